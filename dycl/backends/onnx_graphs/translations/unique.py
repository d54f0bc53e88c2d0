"""Elements and rows without those that are equal: PyTorch takes no NaN for equal to another.

The runtime's order has no place for NaN: everything is equal to it.
"""

from collections.abc import Callable

from onnxscript import ir
from onnxscript.function_libs.torch_lib.ops import core as torchlib

from dycl.backends.onnx_graphs.translations.values import (
    Value,
    axes,
    flat,
    integer,
    is_float,
    op,
)

Found = tuple[Value, Value, Value]
"""What is left, where each element went, and how many went there."""

_translate_unique2: Callable[..., Found] = torchlib.aten__unique2
_translate_unique_dim: Callable[..., Found] = torchlib.aten_unique_dim


def unique2(
    self: Value, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> Found:
    """Translate ``_unique2``: each NaN comes behind what has an order."""
    if not is_float(self):
        return _translate_unique2(self, sorted, return_inverse, return_counts)
    row = flat(self)
    is_nan = op.IsNaN(row)
    ordered = op.Not(is_nan)
    values, _, places, counts = op.Unique(op.Compress(row, ordered), axis=None, sorted=True)
    rest = op.Compress(row, is_nan)
    each = op.Expand(integer(1), op.Shape(rest))
    behind = op.Add(op.Sub(op.CumSum(each, integer(0)), integer(1)), op.Size(values))
    inverse = op.Expand(integer(0), op.Shape(row))
    for chosen, found in ((ordered, places), (is_nan, behind)):
        inverse = op.ScatterElements(inverse, flat(op.NonZero(chosen)), found, axis=0)
    shaped = op.Reshape(inverse, op.Shape(self), allowzero=True)
    return op.Concat(values, rest, axis=0), shaped, op.Concat(counts, each, axis=0)


def unique_dim(
    self: Value,
    dim: int,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Found:
    """Translate ``unique_dim``: rows in which there is NaN are equal to none."""
    if not is_float(self):
        return _translate_unique_dim(self, dim, sorted, return_inverse, return_counts)
    _, places, inverse, counts = op.Unique(_ordered_rows(self, dim), axis=0, sorted=True)
    return op.Gather(self, places, axis=dim), inverse, counts


def _ordered_rows(x: Value, dim: int) -> Value:
    """Return rows in the order of those along a dimension, of elements that have an order.

    An element is two: whether it is NaN, and what it is if not. In the end there is the number of
    the row, if anything in it is NaN.
    """
    rows = op.Cast(_rows(x, dim, len(x.shape)), to=ir.DataType.DOUBLE)
    is_nan = op.IsNaN(rows)
    marks = op.Cast(is_nan, to=ir.DataType.DOUBLE)
    known = op.Where(is_nan, op.CastLike(integer(0), rows), rows)
    elements = op.Concat(op.Unsqueeze(marks, axes(2)), op.Unsqueeze(known, axes(2)), axis=2)
    count = op.Slice(op.Shape(rows), axes(0), axes(1))
    width = op.Mul(op.Slice(op.Shape(rows), axes(1), axes(2)), integer(2))
    flattened = op.Reshape(elements, op.Concat(count, width, axis=0), allowzero=True)
    steps = op.Range(integer(0), op.Squeeze(count), integer(1))
    numbers = op.Mul(op.Cast(op.Add(steps, integer(1)), to=ir.DataType.DOUBLE), _any_of(marks))
    return op.Concat(flattened, op.Unsqueeze(numbers, axes(1)), axis=1)


def _any_of(marks: Value) -> Value:
    """Return for each row 1.0 if there is a mark in it."""
    return op.Cast(op.Cast(_sum(marks), to=ir.DataType.BOOL), to=ir.DataType.DOUBLE)


def _sum(rows: Value) -> Value:
    return op.ReduceSum(rows, axes(1), keepdims=False)


def _rows(x: Value, dim: int, rank: int) -> Value:
    """Return a matrix with a row for each place along a dimension."""
    if rank == 1:
        return op.Unsqueeze(x, axes(1))
    first = dim % rank
    order = [first, *(place for place in range(rank) if place != first)]
    turned = op.Transpose(x, perm=order)
    shape = op.Shape(turned)
    width = op.ReduceProd(op.Slice(shape, axes(1), axes(rank)), axes(0), keepdims=True)
    count = op.Slice(shape, axes(0), axes(1))
    return op.Reshape(turned, op.Concat(count, width, axis=0), allowzero=True)


def unique_consecutive(
    self: Value,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Found:
    """Translate ``unique_consecutive``: what is not equal to what comes before it."""
    x, along = (flat(self), 0) if dim is None else (self, dim)
    rows = _rows(x, along, 1 if dim is None else len(self.shape))
    count = op.Slice(op.Shape(rows), axes(0), axes(1))
    earlier = op.Slice(rows, axes(0), axes(-1), axes(0))
    later = op.Slice(rows, axes(1), axes(_END), axes(0))
    differs = op.Cast(op.Not(op.Equal(later, earlier)), to=ir.DataType.INT64)
    first = op.Slice(op.Expand(integer(1), count), axes(0), axes(1))
    begins = op.Cast(op.Concat(first, _sum(differs), axis=0), to=ir.DataType.BOOL)
    starts = flat(op.NonZero(begins))
    inverse = op.CumSum(op.Cast(begins, to=ir.DataType.INT64), integer(0))
    inverse = op.Sub(inverse, integer(1))
    if dim is None:
        inverse = op.Reshape(inverse, op.Shape(self), allowzero=True)
    ends = op.Concat(starts, count, axis=0)
    ends = op.Slice(ends, axes(1), axes(_END), axes(0))
    return op.Compress(x, begins, axis=along), inverse, op.Sub(ends, starts)


_END = 2**62
