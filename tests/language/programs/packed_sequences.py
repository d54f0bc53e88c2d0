"""Packed sequences: recurrent layers over rows of different length."""

import torch
from torch import nn
from torch.nn.utils.rnn import (
    PackedSequence,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    unpack_sequence,
)

from tests.language.harness import case, noise

X = noise(3, 5, 4)
ROWS = [(X, torch.tensor([5, 3, 1])), (-X, torch.tensor([4, 4, 2]))]
UNSORTED = [*ROWS, (X, torch.tensor([2, 5, 3])), (X, torch.tensor([1, 1, 4]))]
WRONG = [*UNSORTED, (X, torch.tensor([2, 0, 3])), (X, torch.tensor([2, -1, 3]))]


class _Encoder(nn.Module):
    def __init__(self, kind=nn.LSTM, **settings):
        super().__init__()
        self.rnn = kind(4, 3, **{"batch_first": True, **settings})


@case(inputs=WRONG, rounds=True, slow=True)
class Unsorted(_Encoder):
    """Rows in any order, of lengths known at run time; lengths below one are an error."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed, (hidden, cell) = self.rnn(packed)
        output, sizes = pad_packed_sequence(packed, batch_first=True)
        return (output, hidden, cell, sizes) if x.sum() > 0 else (output, sizes)


@case(inputs=UNSORTED, rounds=True)
class Sorted(_Encoder):
    """Sorted rows are wanted, others are an error; the layout is another one."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True)
        output, hidden = self.rnn(packed)
        output, _ = pad_packed_sequence(output, batch_first=True, padding_value=-1.0)
        try:
            return output.view(-1), hidden
        except RuntimeError:
            return output.reshape(-1) * 2, hidden


class _Deep(_Encoder):
    def __init__(self):
        super().__init__(nn.GRU, batch_first=False, bidirectional=True, num_layers=2)


@case(inputs=[(x.transpose(0, 1), lengths) for x, lengths in UNSORTED], rounds=True, slow=True)
class BothDirections(_Deep):
    """The way back begins at the end of each row; the first states are given."""

    def forward(self, x, lengths):
        first = torch.ones(4, x.size(1), 3) * torch.tensor([1.0, 2.0, 3.0]).view(1, 3, 1)
        packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
        packed, hidden = self.rnn(packed, first)
        output, sizes = pad_packed_sequence(packed, total_length=6)
        return output, hidden, sizes


@case(inputs=UNSORTED, rounds=True, slow=True)
class TotalLength(_Encoder):
    """A total length below the longest row is an error."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=4)[0]


@case(inputs=[(x[0], lengths[0]) for x, lengths in UNSORTED], rounds=True)
class FromAList(_Encoder):
    """Lengths in a list of numbers, for a batch of one."""

    def forward(self, x, length):
        number = length.item()
        packed = pack_padded_sequence(x.unsqueeze(0), [number], batch_first=True)
        output, (hidden, _) = self.rnn(packed)
        return pad_packed_sequence(output, batch_first=True), hidden[-1]


@case(inputs=[(X,), (-X,)], rounds=True)
class KnownLengths(_Encoder):
    """Lengths known at compile time, in three rows."""

    def forward(self, x):
        packed = pack_padded_sequence(x, [5, 3, 3], batch_first=True)
        output, (_, cell) = self.rnn(packed)
        rows = unpack_sequence(output)
        return (rows, cell) if x.sum() > 0 else (rows[:1], cell)


@case(inputs=[(X,), (-X,)], rounds=True, slow=True)
class FromRows(_Encoder):
    """Rows that are packed one by one, and changed after that."""

    def forward(self, x):
        rows = [x[0].clone(), x[1, :2].clone()]
        packed = pack_sequence(rows)
        rows[0].zero_()
        output, _ = self.rnn(packed)
        return pad_packed_sequence(output) if x.sum() > 0 else rows


@case(inputs=ROWS, rounds=True, slow=True)
class FromAnArray(_Encoder):
    """Lengths in an array of numpy."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu().numpy(), True)
        output, hidden = self.rnn(packed, None)
        output, _ = pad_packed_sequence(output)
        return output.transpose(1, 0) if x.sum() > 0 else hidden[0]


@case(inputs=UNSORTED, rounds=True, slow=True)
class Packed(_Encoder):
    """The packed form itself: step by step, longer rows first."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        if isinstance(packed, PackedSequence):  # known
            packed, _ = self.rnn(packed)
        return packed.data, packed.batch_sizes, packed.unsorted_indices


@case(inputs=UNSORTED, rounds=True, slow=True)
class SortedByTheUser(_Encoder):
    """The batch is put in order before, and back after it."""

    def forward(self, x, lengths):
        lengths, order = lengths.sort(0, descending=True)
        packed = pack_padded_sequence(x[order], lengths, batch_first=True)
        output, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return output[order.argsort()].sum(1)


_BATCH = torch.export.Dim("batch", min=2, max=8)


@case(
    inputs=[*ROWS, (X[:2], torch.tensor([2, 4])), (noise(5, 6, 4), torch.tensor([6, 1, 2, 6, 3]))],
    rounds=True,
    dynamic_shapes={
        "x": {0: _BATCH, 1: torch.export.Dim("steps", min=2, max=8)},
        "lengths": {0: _BATCH},
    },
    slow=True,
)
class AnyBatch(_Encoder):
    """Any number of rows, padded to any length."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        output, (hidden, _) = self.rnn(packed)
        return pad_packed_sequence(output, batch_first=True)[0], hidden


@case(inputs=[(X, X > 0), (-X, X < 1)], rounds=True, slow=True)
class FromAMask(_Encoder):
    """Lengths counted in a mask, and a way on that depends on the last states."""

    def forward(self, x, mask):
        lengths = mask[:, :, 0].long().sum(1).clamp(min=1)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        output, (hidden, _) = self.rnn(packed)
        scores = hidden[-1].mean(1)
        if scores[0] > scores[1]:
            output, _ = self.rnn(pack_sequence([x[0], x[1]]))
        return pad_packed_sequence(output, batch_first=True)


@case(inputs=[(X, torch.tensor([5, 3])), (-X, torch.tensor([4, 3]))], refused="DYCL066")
class WrongNumber(_Encoder):
    """A length for each row is wanted."""

    def forward(self, x, lengths):
        return pack_padded_sequence(x, lengths, batch_first=True).data


@case(inputs=ROWS, refused="DYCL065")
class Returned(_Encoder):
    """A packed sequence cannot be a result: it has another form."""

    def forward(self, x, lengths):
        return pack_padded_sequence(x, lengths, batch_first=True)


@case(
    inputs=[
        (X, torch.tensor([5, 2, 2])),
        (-X, torch.tensor([5, 5, 1])),
        (X, torch.tensor([4, 4, 1])),
    ],
    rounds=True,
    messages=False,
)
class BesideThePadded(_Encoder):
    """What is padded again is added to what was never packed: it must be as long."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        output, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return output.contiguous().view(-1, 3) + x[:, :, :3].reshape(-1, 3)


@case(inputs=ROWS, rounds=True)
class ByKeyword(_Encoder):
    """The layer's argument has a name; fields of our own are none of a packed sequence."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        hidden = self.rnn(input=packed)[1][0]
        return hidden, hasattr(packed, "rows"), getattr(packed, "lengths", 7), packed == None  # noqa: E711


@case(inputs=ROWS, refused="DYCL039")
class OtherMethods(_Encoder):
    """What a packed sequence has and is not supported is refused, not missing."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        try:
            return packed._replace(data=packed.data * 2).data  # <- refused
        except AttributeError:  # never
            return x  # never


@case(inputs=ROWS, refused="DYCL038")
class Compared(_Encoder):
    """Packed sequences are compared part by part, which is not supported."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        other = pack_padded_sequence(x, lengths, batch_first=True)
        return packed == other  # <- refused


@case(inputs=ROWS, refused="DYCL050")
class Marked(_Encoder):
    """An attribute of the user's on a packed sequence."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed.mark = 3  # <- refused
        return packed.mark
