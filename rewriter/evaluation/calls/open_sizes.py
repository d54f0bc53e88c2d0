"""Sizes, known only at run time, of what functions are given and give back.

Symbols belong to one function. What it is given has new ones, and so has what a call of it
gives: where two sizes are the same at every end of the function, they are the same symbol for
the caller, too.
"""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import torch

from rewriter.array_samples import is_array
from rewriter.size_expressions import Size, is_dense_layout, is_fixed, keys_of
from rewriter.sizes import Sizes
from rewriter.values import HostValue, Known, TensorValue, Value

Pattern: TypeAlias = tuple[tuple[int, ...], ...]
"""The sizes of each leaf. Open ones are -1, -2, ... in order; equal numbers are equal sizes."""


def tensor_of(leaf: Value) -> torch.Tensor | None:
    """Return the fake or known tensor of a leaf, None for leaves that are no tensors."""
    match leaf:
        case TensorValue():
            return leaf.fake
        case Known() if isinstance(leaf.value, torch.Tensor):
            return leaf.value
        case _:
            return None


def are_fixed(leaves: Sequence[Value]) -> bool:
    """Return whether the sizes of all tensors are known."""
    return all(is_fixed(leaf.fake) for leaf in leaves if isinstance(leaf, TensorValue))


def pattern_of(leaves: Sequence[Value]) -> Pattern:
    """Return the sizes of the tensors among leaves; other leaves have none."""
    numbers: dict[Hashable, int] = {}
    tensors = map(tensor_of, leaves)
    columns = (() if tensor is None else keys_of(tensor.shape) for tensor in tensors)
    return tuple(
        tuple(
            key if isinstance(key, int) else numbers.setdefault(key, -1 - len(numbers))
            for key in column
        )
        for column in columns
    )


def joined_pattern(before: Pattern, now: Pattern) -> Pattern:
    """Return what holds of the sizes in two patterns of one structure."""
    numbers: dict[Hashable, int] = {}
    return tuple(
        tuple(
            one if one == two and one >= 0 else numbers.setdefault((one, two), -1 - len(numbers))
            for one, two in zip(left, right, strict=True)
        )
        for left, right in zip(before, now, strict=True)
    )


def shapes_of(
    sizes: Sizes, pattern: Pattern, given: Sequence[Value] = ()
) -> list[tuple[Size, ...]]:
    """Return a shape for each leaf: open sizes are new symbols, but for those of what is given.

    That comes first in the pattern.
    """
    made: dict[int, Size] = {}
    for column, tensor in zip(pattern, map(tensor_of, given), strict=False):
        if tensor is not None:
            made.update(zip(column, tensor.shape, strict=True))
    for part in sorted({part for column in pattern for part in column} - made.keys()):
        made[part] = sizes.new() if part < 0 else part
    return [tuple(part if part >= 0 else made[part] for part in column) for column in pattern]


def may_be_open(leaves: Sequence[Value]) -> bool:
    """Return whether leaves may have other sizes: all tensors lie by rows, or in known steps."""
    tensors = [tensor for tensor in map(tensor_of, leaves) if tensor is not None]
    arrays = any(isinstance(leaf, HostValue) and is_array(leaf.sample) for leaf in leaves)
    return not arrays and all(
        is_dense_layout(tensor) or all(isinstance(step, int) for step in tensor.stride())
        for tensor in tensors
    )
