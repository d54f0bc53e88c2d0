"""Places in ordered rows, and the best so far: one comparison after the other, as PyTorch does."""

from collections.abc import Callable

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.indexing import gather
from dycl.backends.onnx_graphs.translations.running import Parts, running
from dycl.backends.onnx_graphs.translations.values import (
    Value,
    axes,
    flat,
    integer,
    is_float,
    op,
    size_of,
)

_MOST_STEPS = 48
"""So many halvings find a place in any row that fits into memory."""
MOST_COMPARED = 128
"""So many elements are compared one after the other; more would be too large a graph."""


def searchsorted(
    sorted_sequence: Value,
    self: Value,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Value | None = None,
) -> Value:
    """Translate ``searchsorted`` by halving, which also says what rows without order give."""
    ordered = sorted_sequence if sorter is None else gather(sorted_sequence, -1, sorter)
    goes_right = op.Greater if right or side == "right" else op.GreaterOrEqual
    row = op.Concat(ordered, _one_more(sorted_sequence), axis=-1)  # is never looked at
    low = op.Expand(integer(0), op.Shape(self))
    high = op.Expand(size_of(sorted_sequence, -1), op.Shape(self))
    for _ in range(_steps(sorted_sequence.shape[-1])):
        middle = op.Div(op.Add(low, high), integer(2))
        found = _taken(row, middle, len(sorted_sequence.shape))
        is_before = op.And(op.Less(low, high), op.Not(goes_right(found, self)))
        is_after = op.And(op.Less(low, high), op.Not(is_before))
        low = op.Where(is_before, op.Add(middle, integer(1)), low)
        high = op.Where(is_after, middle, high)
    return op.Cast(low, to=ir.DataType.INT32) if out_int32 else low


def searchsorted_number(
    sorted_sequence: Value,
    self: Value,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Value | None = None,
) -> Value:
    """Translate ``searchsorted.Scalar``: the sequence says what a number of its kind is."""
    same_kind = isinstance(self, float) == is_float(sorted_sequence) or type(self) is int
    if type(self) not in (int, float) or not same_kind:
        raise NotImplementedError("searchsorted of a number of another kind than the sequence")
    sought = op.CastLike(
        op.Constant(value=ir.tensor(np.array(self, np.int64 if type(self) is int else np.float64))),
        sorted_sequence,
    )
    return searchsorted(sorted_sequence, sought, out_int32, right, side, sorter)


def bucketize(
    self: Value, boundaries: Value, out_int32: bool = False, right: bool = False
) -> Value:
    """Translate ``bucketize``."""
    return searchsorted(boundaries, self, out_int32, right)


def _one_more(x: Value) -> Value:
    """Return one element for each row."""
    rank = len(x.shape)
    if rank == 1:
        return op.CastLike(op.Constant(value_ints=[0]), x)
    kept = op.Slice(op.Shape(x), axes(0), axes(rank - 1), axes(0))
    shape = op.Concat(kept, op.Constant(value_ints=[1]), axis=0)
    return op.Expand(op.CastLike(integer(0), x), shape)


def _steps(size: object) -> int:
    return size.bit_length() if isinstance(size, int) else _MOST_STEPS


def _taken(row: Value, places: Value, rank: int) -> Value:
    return op.Gather(row, places, axis=0) if rank == 1 else op.GatherElements(row, places, axis=-1)


def cummax(self: Value, dim: int) -> tuple[Value, Value]:
    """Translate ``cummax``."""
    return _best_so_far(self, dim, op.GreaterOrEqual)


def cummin(self: Value, dim: int) -> tuple[Value, Value]:
    """Translate ``cummin``."""
    return _best_so_far(self, dim, op.LessOrEqual)


def _best_so_far(x: Value, dim: int, is_as_good: Callable[..., Value]) -> tuple[Value, Value]:
    """Return the best and their places: the last of equal ones, and the last NaN."""
    if len(x.shape) == 0:
        return op.Identity(x), integer(0)
    count = x.shape[dim]
    if not isinstance(count, int) or not 0 < count <= MOST_COMPARED:
        return _best_of_many(x, dim, is_as_good)
    best = op.Slice(x, axes(0), axes(1), axes(dim))
    place = op.Expand(integer(0), op.Shape(best))
    values, places = [best], [place]
    for number in range(1, count):
        element = op.Slice(x, axes(number), axes(number + 1), axes(dim))
        taken = is_as_good(element, best)
        taken = op.Or(taken, op.IsNaN(element)) if is_float(x) else taken
        best, place = op.Where(taken, element, best), op.Where(taken, integer(number), place)
        values.append(best)
        places.append(place)
    return op.Concat(*values, axis=dim), op.Concat(*places, axis=dim)


def _best_of_many(x: Value, dim: int, is_as_good: Callable[..., Value]) -> tuple[Value, Value]:
    def better(earlier: Parts, later: Parts) -> Parts:
        taken = is_as_good(later[0], earlier[0])
        taken = op.Or(taken, op.IsNaN(later[0])) if is_float(x) else taken
        pairs = zip(later, earlier, strict=True)
        return [op.Where(taken, after, before) for after, before in pairs]

    shape = [1] * len(x.shape)
    shape[dim] = -1
    steps = op.Reshape(op.Range(integer(0), size_of(x, dim), integer(1)), axes(shape))
    best, places = running([x, op.Expand(steps, op.Shape(x))], dim, better)
    return best, places


def bincount(self: Value, weights: Value | None = None, minlength: Value = 0) -> Value:
    """Translate ``bincount``; a negative number is out of range, for a length any is."""
    numbers = op.Cast(self, to=ir.DataType.INT64)
    least = integer(minlength) if isinstance(minlength, int) else minlength
    largest = op.ReduceMax(op.Concat(numbers, op.Constant(value_ints=[-1]), axis=0), keepdims=False)
    size = op.Max(op.Add(largest, integer(1)), op.Cast(least, to=ir.DataType.INT64))
    places = op.Where(op.Less(numbers, integer(0)), size, numbers)
    if not isinstance(minlength, int):
        places = op.Where(op.Less(least, op.CastLike(integer(0), least)), size, places)
    if weights is None:
        each = op.Expand(integer(1), op.Shape(numbers))
    elif weights.dtype == ir.DataType.FLOAT:
        each = op.Identity(weights)
    else:
        each = op.Cast(weights, to=ir.DataType.DOUBLE)
    zeros = op.Expand(op.CastLike(integer(0), each), flat(size))
    return op.ScatterElements(zeros, places, each, axis=0, reduction="add")


def roll(self: Value, shifts: Value, dims: Value = ()) -> Value:
    """Translate ``roll`` by numbers that may be known at run time only."""
    if len(self.shape) == 0 or 0 in self.shape:
        return op.Identity(self)
    given = list(shifts) if isinstance(shifts, list | tuple) else [shifts]
    if not len(dims):
        return op.Reshape(_rolled(flat(self), given[0], 0), op.Shape(self), allowzero=True)
    rolled = self
    for shift, dim in zip(given, dims, strict=True):
        rolled = _rolled(rolled, shift, dim)
    return rolled


def _rolled(x: Value, shift: Value, dim: int) -> Value:
    size = op.Squeeze(op.Gather(op.Shape(x), op.Constant(value_ints=[dim]), axis=0))
    count = op.Cast(integer(shift) if isinstance(shift, int) else shift, to=ir.DataType.INT64)
    moved = op.Mod(op.Neg(count), op.Max(size, integer(1)))
    place = flat(moved)
    first = op.Slice(x, axes(0), place, axes(dim))
    rest = op.Slice(x, place, flat(size), axes(dim))
    return op.Concat(rest, first, axis=dim)
