"""Sizes of what functions give back, where those are known only at run time.

Symbols belong to one function. What a call gives has new ones: where two of its sizes are
the same at every end of the function, they are the same symbol for the caller, too.
"""

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from rewriter.array_samples import is_array
from rewriter.evaluation.calls.abstract_calls import tensor_of
from rewriter.size_expressions import Size, is_dense_layout, keys_of
from rewriter.sizes import Sizes
from rewriter.values import HostValue, Value

Pattern: TypeAlias = tuple[tuple[int, ...], ...]
"""The sizes of each leaf. Open ones are -1, -2, ... in order; equal numbers are equal sizes."""


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


def shapes_of(sizes: Sizes, pattern: Pattern) -> list[tuple[Size, ...]]:
    """Return a shape for each leaf, with a new symbol for each open size."""
    made: dict[int, Size] = {}
    for part in {part for column in pattern for part in column if part < 0}:
        made[part] = sizes.new()
    return [tuple(made.get(part, part) for part in column) for column in pattern]


def may_be_open(leaves: Sequence[Value]) -> bool:
    """Return whether leaves may have other sizes: all tensors lie by rows, or in known steps."""
    tensors = [tensor for tensor in map(tensor_of, leaves) if tensor is not None]
    arrays = any(isinstance(leaf, HostValue) and is_array(leaf.sample) for leaf in leaves)
    return not arrays and all(
        is_dense_layout(tensor) or all(isinstance(step, int) for step in tensor.stride())
        for tensor in tensors
    )
