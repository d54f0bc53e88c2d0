"""``pad_sequence`` of tensors whose lengths, or whose number, are known only at run time."""

import torch


def _check(padding_side):
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )


def _padded(row, first, longest, value, side):
    missing = longest - row.size(0)
    ends = [0, missing] if side == "right" else [missing, 0]
    sides = [0, 0] * (first.dim() - 1)
    return torch.nn.functional.pad(row, [*sides, *ends], value=value)


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Return one tensor of so many tensors, the shorter ones padded."""
    _check(padding_side)
    if len(sequences) == 0:
        raise RuntimeError("received an empty list of sequences")
    first = sequences[0]
    longest = max([row.size(0) for row in sequences])
    padded = []
    for row in sequences:
        fitting = row.expand(row.size(0), *first.shape[1:]).to(first.dtype)
        padded.append(_padded(fitting, first, longest, padding_value, padding_side))
    return torch.stack(padded, 0 if batch_first else 1)


def pad_listed(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """``pad_sequence`` of a list of run time."""
    _check(padding_side)
    if len(sequences) == 0:
        raise RuntimeError("received an empty list of sequences")
    first = sequences[0]
    longest = max([row.size(0) for row in sequences])
    padded = first.new_full((len(sequences), longest, *first.shape[1:]), padding_value)
    for place, row in enumerate(sequences):
        padded[place] = _padded(row, first, longest, padding_value, padding_side)
    return padded if batch_first else padded.transpose(0, 1).contiguous()
