"""Views of one tensor that share no element, whatever its sizes known only at run time are.

``x[:, 5:]`` and ``x[:, 4]`` of a tensor with any number of rows: what is known only at run time is
how often the steps along rows are taken, and each row holds the columns of both, apart.
"""

import math

import torch

from rewriter.size_expressions import key_of, keys_of


def are_disjoint(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two views of one storage and element type surely share no element."""
    if one.dtype != other.dtype:
        return False
    period = math.gcd(*_open_steps(one), *_open_steps(other))
    first, second = _span(one, period), _span(other, period)
    if period == 0 or first is None or second is None:
        return False
    return first[1] < second[0] or second[1] < first[0]


def _open_steps(tensor: torch.Tensor) -> list[int]:
    """Return the strides along dimensions of unknown size; 1, which proves nothing, if unknown."""
    layout = zip(keys_of(tensor.shape), keys_of(tensor.stride()), strict=True)
    return [
        step if isinstance(step, int) else 1 for size, step in layout if not isinstance(size, int)
    ]


def _span(tensor: torch.Tensor, period: int) -> tuple[int, int] | None:
    """Return the first and last place within a period that a view takes, None if unknown."""
    start = key_of(tensor.storage_offset())
    if not isinstance(start, int) or period == 0:
        return None
    start = last = start % period
    for size, step in zip(keys_of(tensor.shape), keys_of(tensor.stride()), strict=True):
        if not isinstance(size, int):
            continue
        if not isinstance(step, int):
            return None
        last += max(size - 1, 0) * step
    return (start, last) if last < period else None
