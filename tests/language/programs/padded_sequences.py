"""``pad_sequence`` of pieces whose lengths, or whose number, are known only at run time."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

FIVE = [(MIXED,), (POSITIVE,), (NEGATIVE,), (LARGE,), (ZERO,)]


@case(inputs=FIVE)
def pieces(x):
    """Pieces as long as the content says, with a mask of where they are."""
    lengths = [int((row > 0).sum().item()) for row in x]
    rows = [row[:length] for row, length in zip(x, lengths, strict=True)]
    padded = pad_sequence(rows, batch_first=True, padding_value=-1.0)
    mask = torch.arange(padded.size(1))[None, :] < torch.tensor(lengths)[:, None]
    return padded, mask, padded.masked_fill(~mask, 0).sum(1)


@case(inputs=FIVE)
def steps_first(x):
    """Steps come first, or padding does; all takes the type of the first."""
    one, other = x[x > 0], (x[x > 1] * 2).to(torch.float64)
    rows = (one.unsqueeze(1).expand(-1, 2), other.unsqueeze(1))
    return pad_sequence(rows), pad_sequence([other, one], True, 7, "left")


@case(inputs=FIVE)
def as_many_as_are_found(x):
    """A list of run time, of pieces of run time."""
    rows = []
    for row in x:
        chosen = row[row > 0]
        for start in range(chosen.shape[0] - 1):
            rows.append(chosen[start:] + 1)
    if not rows:
        return x.new_zeros(0, 0), x.new_zeros(0, 0)
    return pad_sequence(rows, batch_first=True), pad_sequence(rows, padding_side="left")


@case(inputs=FIVE)
def none_is_found(x):
    """Of no pieces at all it raises."""
    rows = []
    while x.sum() > len(rows):
        rows.append(x[0])
    return pad_sequence(rows)


@case(inputs=FIVE)
class LengthRegulator(nn.Module):
    """Every row is repeated as often as its predicted duration says."""

    def __init__(self):
        super().__init__()
        self.duration = nn.Linear(3, 2)

    def expanded(self, rows, durations):
        """Repeat rows."""
        out = []
        for row, times in zip(rows, durations, strict=True):
            out.append(row.expand(max(int(times.item()), 0), -1))
        return torch.cat(out, 0)

    def forward(self, x):
        batch = torch.stack([x, x * 2])
        durations = torch.clamp(torch.round(self.duration(batch).exp() - 1), min=0, max=3)
        output, lengths = [], []
        for rows, times in zip(batch, durations[..., 0], strict=True):
            output.append(self.expanded(rows, times))
            lengths.append(output[-1].shape[0])
        return pad_sequence(output, batch_first=True), torch.LongTensor(lengths)


@case(inputs=FIVE)
def masked_to_the_longest(x):
    """A mask of as many columns as the longest is, as wide again as it says itself."""
    lengths = (x > 0).sum(1)
    longest = torch.max(lengths).item()
    mask = ~(torch.arange(0, longest) < lengths.unsqueeze(1))
    return mask.expand(4, mask.size(0), mask.size(1))


@case(inputs=[(MIXED, 2, 1), (MIXED, -1, 0), (MIXED, 0, 0), (MIXED, -3, 2), (MIXED, 6, 7)])
def no_less_than_nothing(x, n, m):
    """max(n, 0) is a size wherever it comes; the least of sizes is one; others may be negative."""
    most, least = max(n, m, 0), min(n, m)
    cut = min(max(n, 0), 3)
    wide = x[None].expand(cut, -1, -1)
    return wide, x.new_ones(most, 2)[:cut], x * least, torch.arange(cut + 1), max(n, 1.5)
