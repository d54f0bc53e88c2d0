"""Packed sequences of ``torch.nn.utils.rnn``: the rows of a batch, each as long as it is.

PyTorch packs rows of different length into one tensor, step by step, so that a recurrent layer
does not compute with padding. The layout is the layer's affair: here the rows stay apart, and a
recurrent layer is called on each. They are in the order in which the caller gave them.
"""

import torch


class PackedSequence:
    """What stands for PyTorch's: rows of shape (steps, ...), their lengths, whether sorted."""

    def __init__(self, rows, lengths, enforce_sorted):
        self.rows = rows
        self.lengths = lengths
        self.enforce_sorted = enforce_sorted

    @property
    def is_cuda(self):
        """Tell that the rows are not on a GPU."""
        return False

    @property
    def sorted_indices(self):
        """Return which row comes first, second, and so on in the packed form."""
        if self.enforce_sorted:
            return None
        return part(self, "sorted_indices", torch.sort(self.lengths, descending=True)[1])

    @property
    def unsorted_indices(self):
        """Return which place each row has there."""
        if self.enforce_sorted:
            return None
        return part(self, "unsorted_indices", torch.argsort(self.sorted_indices))

    @property
    def batch_sizes(self):
        """Return how many rows have a first step, a second, and so on."""
        longest = max([row.size(0) for row in self.rows])
        there = torch.arange(longest).unsqueeze(1) < self.lengths
        return part(self, "batch_sizes", there.sum(1))

    @property
    def data(self):
        """Return the packed form: step by step, the rows that have it."""
        longest = max([row.size(0) for row in self.rows])
        lengths, padded = self.lengths, _stacked(self.rows, longest, 0.0, 1)
        if not self.enforce_sorted:
            lengths, order = torch.sort(lengths, descending=True)
            padded = padded.index_select(1, order)
        return padded[torch.arange(longest).unsqueeze(1) < lengths]

    def to(self, *args, **kwargs):
        """Return rows of another type."""
        rows = [row.to(*args, **kwargs) for row in self.rows]
        return PackedSequence(rows, self.lengths, self.enforce_sorted)

    def cpu(self):
        """Return the same: the rows are nowhere else."""
        return self

    def __len__(self):
        return 4

    def __iter__(self):
        return iter((self.data, self.batch_sizes, self.sorted_indices, self.unsorted_indices))

    def __getitem__(self, index):
        return (self.data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)[index]


def part(packed, name, tensor):
    """Return what tells how rows are packed: it is noted whose part it is."""
    return tensor


def from_parts(packed, data, in_order):
    """Return other rows, packed as those of a packed sequence are; or in the order of packing."""
    lengths = packed.lengths
    if not packed.enforce_sorted:
        lengths = torch.sort(lengths, descending=True)[0]
    longest = max([row.size(0) for row in packed.rows])
    there = torch.arange(longest).unsqueeze(1) < lengths
    places = there.view(-1).cumsum(0) - 1
    if places[-1] + 1 != data.size(0):
        raise RuntimeError("a packed sequence does not have as many steps as its batch sizes say")
    padded = data[places.view(longest, len(packed.rows))]
    if in_order or packed.enforce_sorted:
        rows = [padded[:number, place].clone() for place, number in enumerate(lengths.tolist())]
        return PackedSequence(rows, lengths, True)
    padded = padded.index_select(1, packed.unsorted_indices)
    rows = [padded[: row.size(0), place].clone() for place, row in enumerate(packed.rows)]
    return PackedSequence(rows, packed.lengths, False)


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Return the rows of a padded batch: without the padding."""
    if isinstance(lengths, torch.Tensor):
        if lengths.dim() != 1:
            raise RuntimeError(
                "'lengths' argument should be a 1D CPU int64 tensor, but got "
                f"{lengths.dim()}D cpu Long tensor"
            )
        lengths = lengths.to(torch.int64)
        numbers = lengths.tolist()
    else:
        listed = lengths.tolist() if hasattr(lengths, "tolist") else lengths
        numbers = [int(length) for length in listed]
        lengths = torch.tensor(numbers)
    batch = input if batch_first else input.transpose(0, 1)
    if len(numbers) != batch.size(0):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(numbers)} "
            f"(batch_size={batch.size(0)})"
        )
    _check(numbers, enforce_sorted)
    for number in numbers:
        if number > batch.size(1):
            raise RuntimeError("a length is larger than the padded batch is long")
    rows = [batch[place, :number].clone() for place, number in enumerate(numbers)]
    return PackedSequence(rows, lengths.clone(), enforce_sorted)


def pack_sequence(sequences, enforce_sorted=True):
    """Return rows, given one by one."""
    numbers = [sequence.size(0) for sequence in sequences]
    _check(numbers, enforce_sorted)
    rows = [sequence.clone() for sequence in sequences]
    return PackedSequence(rows, torch.tensor(numbers), enforce_sorted)


def _check(numbers, enforce_sorted):
    if (numbers[-1] if enforce_sorted else min(numbers)) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if enforce_sorted:
        for place in range(1, len(numbers)):
            if numbers[place - 1] < numbers[place]:
                raise RuntimeError(
                    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is "
                    "True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or "
                    "pack_sequence to sidestep this requirement if you do not need ONNX "
                    "exportability."
                )


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Return the rows as one tensor, padded, and their lengths."""
    longest = max([row.size(0) for row in sequence.rows])
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in "
                f"input, but got total_length={total_length} and max sequence length being "
                f"{longest}"
            )
        longest = total_length
    lengths = sequence.lengths.clone()
    if batch_first and not sequence.enforce_sorted:
        return _stacked(sequence.rows, longest, padding_value, 0), lengths
    # In memory the steps come first.
    padded = _stacked(sequence.rows, longest, padding_value, 1)
    return padded.transpose(0, 1) if batch_first else padded, lengths


def _stacked(rows, longest, value, dim):
    padded = []
    for row in rows:
        sides = [0, 0] * (row.dim() - 1)
        sides = [*sides, 0, longest - row.size(0)]
        padded.append(torch.nn.functional.pad(row, sides, value=value))
    return torch.stack(padded, dim)


def unpack_sequence(packed_sequences):
    """Return the rows, one by one."""
    return [row.clone() for row in packed_sequences.rows]


def recurrent(layer, input, hx=None):
    """Return what a recurrent layer gives for every row: packed outputs, and the last states."""
    if hx is not None:
        for state in hx if isinstance(hx, tuple) else (hx,):
            if state.dim() != 3 or state.size(1) != len(input.rows):
                raise RuntimeError("Expected hidden size to fit the batch")
    outputs, states = [], []
    for place, row in enumerate(input.rows):
        batch = row.unsqueeze(0 if layer.batch_first else 1)
        output, state = layer(batch) if hx is None else layer(batch, _state_of(hx, place))
        outputs.append(output.squeeze(0 if layer.batch_first else 1))
        states.append(state)
    last = PackedSequence(outputs, input.lengths, input.enforce_sorted)
    if isinstance(states[0], tuple):
        hidden = torch.cat([state[0] for state in states], 1)
        return last, (hidden, torch.cat([state[1] for state in states], 1))
    return last, torch.cat(states, 1)


def _state_of(hx, place):
    if isinstance(hx, tuple):
        return (hx[0][:, place : place + 1], hx[1][:, place : place + 1])
    return hx[:, place : place + 1]
