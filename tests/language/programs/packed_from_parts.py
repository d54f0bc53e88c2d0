"""Packed sequences that are put together of parts of another: new data, packed in the same way."""

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from tests.language.harness import case, noise

X = noise(3, 5, 4)
ROWS = [(X, torch.tensor([5, 3, 1])), (-X, torch.tensor([4, 4, 2]))]
UNSORTED = [*ROWS, (X, torch.tensor([2, 5, 3])), (X, torch.tensor([1, 1, 4]))]


class _Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 3, batch_first=True)


@case(inputs=[*ROWS, (X, torch.tensor([2, 3, 1]))], rounds=True, slow=True)
class NewData(_Encoder):
    """New data with the batch sizes of a packed sequence, as dropout between layers is written."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed = PackedSequence(packed.data * 2, packed.batch_sizes)
        output, (hidden, _) = self.rnn(packed)
        return pad_packed_sequence(output), hidden, packed.sorted_indices


@case(inputs=UNSORTED, rounds=True, slow=True)
class NewDataInOrder(_Encoder):
    """Attention weights over packed rows, computed from the packed form, and padded again."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        given = packed
        packed, _ = self.rnn(packed)
        scores = packed.data.sum(1).exp()
        weights = PackedSequence(
            data=scores,
            batch_sizes=packed.batch_sizes,
            sorted_indices=given.sorted_indices,
            unsorted_indices=packed.unsorted_indices,
        )
        weights, _ = pad_packed_sequence(weights, batch_first=True)
        return weights / weights.sum(1, keepdim=True), pad_packed_sequence(packed)


@case(inputs=UNSORTED, rounds=True, slow=True)
class OrderLost(_Encoder):
    """Without the order, rows stay in the order of packing: longer ones first."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        data, sizes, order, _ = packed
        lost = PackedSequence(-data, sizes)
        kept = PackedSequence(-data, packed[1], order)
        return pad_packed_sequence(lost), pad_packed_sequence(self.rnn(kept)[0])


@case(inputs=ROWS, refused="DYCL045")
class Rebuilt(_Encoder):
    """The rows of a packed sequence made from any batch sizes are not known."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed = PackedSequence(packed.data * 2, packed.batch_sizes * 1)  # <- refused
        return self.rnn(packed)[1][0]


@case(inputs=ROWS, refused="DYCL045")
class WrongWayRound(_Encoder):
    """The two orders in each other's place."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        data, sizes, order, back = packed
        packed = PackedSequence(data, sizes, back, order)  # <- refused
        return self.rnn(packed)[1][0]


@case(inputs=ROWS, refused="DYCL045")
class OrderOfAnother(_Encoder):
    """The batch sizes of one packed sequence, and the order of another."""

    def forward(self, x, lengths):
        one = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        two = pack_padded_sequence(x, lengths.flip(0), batch_first=True, enforce_sorted=False)
        mixed = PackedSequence(one.data, one.batch_sizes, two.sorted_indices)  # <- refused
        return self.rnn(mixed)[1][0]


@case(inputs=ROWS, refused="DYCL045")
class ChangedSizes(_Encoder):
    """Batch sizes that were written to are any batch sizes."""

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        data, sizes, _, _ = packed
        sizes[-1] = 1
        packed = PackedSequence(data * 2, sizes)  # <- refused
        return self.rnn(packed)[1][0]
