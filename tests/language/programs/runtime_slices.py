"""Run-time integers in tensor code: bounds of slices, sizes, counts, repeats, stores."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case, noise

X = noise(2, 5)
NUMBERS = [(X, 2), (X, 0), (X, 5), (X, 7), (X, -1), (X, -5), (X, -9), (X, 1)]


@case(inputs=NUMBERS)
def slices(x, n):
    """Slices up to, from and between run-time bounds, negative ones and ones too large."""
    return x[:, :n], x[:, n:], x[:, -n:], x[n:], x[:, n : n + 2], x[..., :n]


@case(inputs=NUMBERS)
def sizes_of_slices(x, n):
    """The size of a slice is a number, and what it is made of has that size."""
    part = x[:, :n]
    return part.size(1), part.sum(1), torch.zeros(2, part.size(1)) + part, part * x[:, :n]


@case(inputs=NUMBERS, slow=True)
def stores_into_slices(x, n):
    """Stores into slices with run-time bounds."""
    out = torch.zeros(2, 5)
    out[:, :n] = x[:, :n]
    out[:, n:] = 3
    out[:, :n] += 1
    return out


@case(inputs=NUMBERS, messages=False, slow=True)
def sizes_that_do_not_fit(x, n):
    """A store of another size raises, unless it broadcasts."""
    out = torch.zeros(2, 5)
    out[:, :n] = x[:, :2]
    return out


@case(inputs=[(2,), (0,), (1,), (5,), (-1,)], messages=False)
def made_of_run_time_size(n):
    """zeros, ones, full, arange, eye, new_zeros of a run-time size; negative ones raise."""
    a = torch.zeros(n, 3)
    return a, torch.ones(2, n), torch.full((n,), 2.5), torch.arange(n), torch.eye(n), a.new_zeros(n)


@case(inputs=[(X, 2), (X, 0), (X, 1)])
def repeated(x, n):
    """expand, repeat and repeat_interleave by a run-time count."""
    return x[0].expand(n, -1), x.repeat(n, 1), x.unsqueeze(0).expand(n, 2, 5).sum(0)


@case(inputs=[(X, 2), (X, 0), (X, 5), (X, 6), (X, -1)], messages=False)
def narrowed(x, n):
    """narrow to a run-time length raises where the dimension is shorter."""
    return x.narrow(1, 0, n)


@case(inputs=[(X, 2), (X, 0), (X, 5)])
def padded(x, n):
    """Padding by a run-time amount."""
    return F.pad(x, (0, n)), F.pad(x, (n, 1), value=2.0)


@case(inputs=[(3,), (1,), (0,)])
def causal_mask(size):
    """A mask of run-time size by triu, by comparison of aranges."""
    mask = torch.triu(torch.ones(size, size), diagonal=1).bool()
    positions = torch.arange(size)
    return mask, positions[None, :] <= positions[:, None]


@case(inputs=[(X, torch.tensor(2)), (X, torch.tensor(0)), (X, torch.tensor(-2))])
def bounds_that_are_tensors(x, n):
    """A bound may be a tensor with one integer, or come from one."""
    return x[:, :n], x[:, n.item() :], x[:, : n + 1]


@case(inputs=[(X, torch.tensor([2, 4])), (X, torch.tensor([0, 1]))])
def cut_to_the_longest(x, lengths):
    """A batch is cut to its longest sequence."""
    longest = lengths.max().item()
    cut = x[:, :longest]
    mask = torch.arange(longest)[None, :] < lengths[:, None]
    return cut * mask, mask.sum()


@case(
    inputs=[(noise(1, 4, 6, 6), 4, 4), (noise(1, 4, 6, 6), 2, 3), (noise(1, 4, 6, 6), 1, 1)],
    slow=True,
)
class ElasticConvolution(nn.Module):
    """Weights cut to a run-time number of channels."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4, 3, 3))
        self.bias = nn.Parameter(torch.randn(4))

    def forward(self, x, inputs, outputs):
        x = x[:, :inputs]
        filters = self.weight[:outputs, :inputs].contiguous()
        y = F.conv2d(x, filters, self.bias[:outputs], padding=1)
        if y.mean() > 0:
            y = F.relu(y)
        return y


@case(inputs=[(X, 2), (X, 1), (X, 5)])
def top_of_run_time_count(x, k):
    """topk with a run-time k."""
    values, _ = x.topk(k, dim=1)
    return values, values.sum()


@case(inputs=[(noise(4, 3), 2), (noise(4, 3), 1), (noise(4, 3), 4)])
def reshaped_by_number(x, n):
    """view with a run-time size where it fits."""
    return x.sum(0).expand(n, 3).reshape(n * 3), torch.zeros(n, 4).view(-1, 4)


@case(inputs=[(torch.tensor([4, 4, 1, 7, 7]), n) for n in (0, 3, 5, -2, 9)])
def bounds_of_one_element(tokens, n):
    """A tensor of one integer is a bound at any rank and of any integer type."""
    place = torch.tensor([n])
    small = torch.tensor([[n]]).clamp(min=0).to(torch.uint8)
    written = tokens.clone()
    written[place:] = 0
    return tokens[:place], tokens[place - 1 :], tokens[:small], written


@case(
    inputs=[
        (torch.tensor([4, 7, 1, 2]),),
        (torch.tensor([4, 1, 7, 2]),),
        (torch.tensor([0, 0, 0, 0]),),
    ]
)
def bounds_that_go_on_in_a_loop(tokens):
    """A place that a decoder carries along as a tensor ends the result."""
    place = torch.arange(0, 1)
    for _ in range(3):
        place = place[-1:] + 1
        if tokens[place] == 7:
            return tokens[:place]
    return tokens


@case(inputs=[(torch.tensor([4, 7, 1]), n) for n in (2, 0, 1, 5)])
def drafts_and_what_verifies_them(tokens, n):
    """From the last token of a prompt of any length on; the drafts after it have all but one."""
    grown = []
    for i in range(n):
        grown.append(i)
    prompt = torch.cat([tokens, torch.tensor(grown, dtype=torch.long)])
    drafts = torch.tensor([9, 3])
    found = torch.cat([prompt, drafts])[prompt.size(0) - 1 :]
    return found[1:] == drafts, found[:-1], found.shape[0]


@case(inputs=[(torch.ones(2, 1, 2),), (torch.ones(2, 1, 2) * 9,)], slow=True)
def last_of_what_is_filled(x):
    """A slice up to what a loop counts from 4 has a last row: one token for a cache that grows."""
    tokens, keys, filled = torch.ones(2, 7), torch.ones(2, 4, 2), 4
    while x.sum() < 20:
        last = tokens[:, :filled][:, -1:]
        query = last.unsqueeze(-1) * x
        keys = torch.cat([keys, query], 1)
        x = x + (query @ keys.transpose(1, 2)).sum(-1, keepdim=True)
        filled += 1
    return x, keys


@case(inputs=[(noise(1, 2, 8), n) for n in (0, 3, 8)])
class SegmentsFilledUp(nn.Module):
    """An encoder that takes eight steps exactly."""

    def __init__(self):
        super().__init__()
        self.halves = nn.Conv1d(2, 3, 3, stride=2, padding=1)
        self.places = nn.Embedding(4, 3)

    def forward(self, x, n):
        """What is cut out is as long as that, or is filled up; nothing is raised."""
        part = x[:, :, n : n + 8]
        if part.shape[-1] < 8:
            part = F.pad(part, (0, 8 - part.shape[-1]))
        if part.shape[-1] != 8:  # known
            raise ValueError("eight steps")  # never
        return self.halves(part).permute(0, 2, 1) + self.places(torch.arange(4))


STARTS = [(X, torch.tensor(n)) for n in (1, 0, 4, 5, 7, -1, -2, -5, -6, 3)]


@case(inputs=STARTS, messages=False)
def one_row_expanded(x, n):
    """A row taken as a slice is one or none: it is expanded, or that raises."""
    return x.t()[n : n + 1].expand(2, 2)


@case(inputs=[(X, torch.tensor(n)) for n in (3, 0, 1, 5)])
def rows_expanded_in_a_loop(x, n):
    """In a loop it is one for certain: nothing raises."""
    total = torch.zeros(2, 2)
    for i in range(n):
        total = total + x.t()[i : i + 1].expand(2, 2)
    return total


PARTS = [(1, 3), (0, 2), (2, 0), (4, 5), (6, 1), (-2, 1), (-3, -1), (-9, 3), (-3, 5)]


@case(inputs=[(torch.tensor([0, 1, 2, 1, 1]), torch.tensor(n), torch.tensor(m)) for n, m in PARTS])
def walks_over_parts(x, n, m):
    """The rows of what is between run-time bounds are walked: as many as there are."""
    total = 0
    for row in x[n : n + m]:
        total = total + row
    return total, [int(row) for row in x[n:m]], "".join(["abc"[row] for row in x[:n]])


LENGTHS = [torch.tensor(n) for n in ([3, 2], [1, 4], [0, 5], [2, 2])]


@case(inputs=[(torch.tensor([0, 1, 2, 1, 1]), lengths) for lengths in LENGTHS])
class TextsOfABatch(nn.Module):
    """What CTC or attention has read, all sentences in one row."""

    def forward(self, labels, lengths):
        """Decoded one after the other: every part is walked."""
        assert labels.numel() == lengths.sum()
        texts, begin = [], 0
        for i in range(lengths.numel()):
            length = lengths[i]
            texts.append(self.decode(labels[begin : begin + length], torch.IntTensor([length])))
            begin += length
        return texts

    def decode(self, labels, lengths):
        """Leave out what is twice."""
        kept = []
        for i in range(lengths[0]):
            if not (i > 0 and labels[i - 1] == labels[i]):
                kept.append("abc"[labels[i]])
        return "".join(kept), "".join(["abc"[label] for label in labels])


@case(inputs=[(X, torch.tensor([n, m])) for n, m in ((2, 3), (0, 5), (4, 1), (5, 5), (-2, 1))])
def columns_written_of_walked_rows(x, n):
    """Each row between bounds is written where it belongs, with its place."""
    out = torch.zeros(2, 5)
    for i, column in enumerate(x.t()[n[0] : n[0] + n[1]]):
        out[:, i] = column * i
    return out
