"""Elements that stand at a place of the order of their size.

Which of equal elements it is PyTorch leaves open: ``places.py`` refuses programs that ask.
"""

from math import prod

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.extremes import topk
from dycl.backends.onnx_graphs.translations.values import (
    Value,
    axes,
    flat,
    integer,
    is_float,
    number,
    op,
)


def kthvalue(self: Value, k: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``kthvalue``."""
    if len(self.shape) == 0:
        return op.Identity(self), integer(0)
    values, places = topk(self, k, dim, largest=False)
    if isinstance(k, int):
        return _taken(values, k - 1, dim, keepdim), _taken(places, k - 1, dim, keepdim)
    last = op.Sub(op.Cast(k, to=ir.DataType.INT64), integer(1))
    last = flat(last) if keepdim else last
    return op.Gather(values, last, axis=dim), op.Gather(places, last, axis=dim)


_MOST_PAIRS = 1 << 22
"""So many elements are compared with each other, no more."""


def mode(self: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``mode`` of integers: the least of those that are there most often.

    PyTorch sorts by ``<``, which gives NaN no place, and counts equal neighbours.
    """
    rank = len(self.shape)
    if rank == 0:
        return op.Identity(self), integer(0)
    if is_float(self):
        raise NotImplementedError("the most frequent of floats: what NaN does is left open")
    dim %= rank
    if not all(isinstance(size, int) for size in self.shape):
        raise NotImplementedError("the most frequent of so many elements as run time says")
    if prod(self.shape) * self.shape[dim] > _MOST_PAIRS:
        raise NotImplementedError("the most frequent of very many elements")
    x = op.Cast(self, to=ir.DataType.INT64)
    is_same = op.Equal(op.Unsqueeze(x, axes(dim)), op.Unsqueeze(x, axes(dim + 1)))
    counts = op.ReduceSum(op.Cast(is_same, to=ir.DataType.INT64), axes(dim), keepdims=False)
    is_chosen = op.Equal(counts, op.ReduceMax(counts, axes(dim), keepdims=True))
    chosen = op.Where(is_chosen, x, integer(np.iinfo(np.int64).max))
    found = op.ReduceMin(chosen, axes(dim), keepdims=keepdim)
    return op.Cast(found, to=self.dtype), op.Shape(x)


def median_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``median.dim``."""
    if len(self.shape) == 0:
        return op.Identity(self), integer(0)
    return _median(self, self, self.shape[dim], dim, keepdim)


def median_all(self: Value) -> Value:
    """Translate ``median``."""
    if len(self.shape) == 0:
        return op.Identity(self)
    sizes = [size if isinstance(size, int) else 0 for size in self.shape]
    return _median(self, flat(self), prod(sizes), 0, False)[0]


def _median(typed: Value, x: Value, count: object, dim: int, keepdim: bool) -> tuple[Value, Value]:
    """Return the lower one of two in the middle, or NaN where there is one."""
    if not isinstance(count, int) or count == 0:
        return _middle_of_many(typed, x, dim, keepdim, is_nan_left_out=False)
    nothing = number(typed, 0.0) if is_float(typed) else None
    keys = x if nothing is None else op.Where(op.IsNaN(x), nothing, x)
    middle = (count - 1) // 2
    values, places = op.TopK(keys, axes(middle + 1), axis=dim, largest=False, sorted=True)
    found = _taken(values, middle, dim, keepdim)
    if nothing is not None:
        only_nan = op.Where(op.IsNaN(x), x, nothing)
        found = op.Add(found, op.ReduceSum(only_nan, axes(dim), keepdims=keepdim))
    return found, _taken(places, middle, dim, keepdim)


def nanmedian_all(self: Value) -> Value:
    """Translate ``nanmedian``."""
    if len(self.shape) == 0:
        return op.Identity(self)
    if not is_float(self):
        return median_all(self)
    return _middle_of_many(self, flat(self), 0, False, is_nan_left_out=True)[0]


def nanmedian_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``nanmedian.dim``."""
    if len(self.shape) == 0:
        return op.Identity(self), integer(0)
    if not is_float(self):
        return median_dim(self, dim, keepdim)
    return _middle_of_many(self, self, dim, keepdim, is_nan_left_out=True)


def _middle_of_many(
    typed: Value, x: Value, dim: int, keepdim: bool, *, is_nan_left_out: bool
) -> tuple[Value, Value]:
    """Return a median of elements that are counted at run time, and in place of its place nothing.

    NaN where nothing is counted, or anything is NaN that is not left out.
    """
    if not is_float(typed):
        return _middle_integer(typed, x, dim, keepdim), op.Shape(x)
    is_nan, nan = op.IsNaN(x), number(typed, float("nan"))
    marks = op.Cast(is_nan, to=ir.DataType.INT64)
    unknown = op.ReduceSum(marks, axes(dim), keepdims=True)
    known = op.ReduceSum(op.Sub(integer(1), marks), axes(dim), keepdims=True)
    size = op.Gather(op.Shape(x), axes(dim), axis=0)
    keys = op.Where(is_nan, number(typed, float("inf")), x)
    in_order, _ = op.TopK(keys, size, axis=dim, largest=False, sorted=True)
    one_more = op.Expand(nan, op.Shape(known))  # what is taken where there is nothing
    middle = op.Div(op.Max(op.Sub(known, integer(1)), integer(0)), integer(2))
    found = op.GatherElements(op.Concat(in_order, one_more, axis=dim), middle, axis=dim)
    is_lost = op.Equal(known, integer(0)) if is_nan_left_out else op.Greater(unknown, integer(0))
    found = op.Where(is_lost, nan, found)
    return (found if keepdim else op.Squeeze(found, axes(dim))), op.Shape(x)


def _middle_integer(typed: Value, x: Value, dim: int, keepdim: bool) -> Value:
    """Return the lower one of two in the middle; of nothing, what PyTorch makes of NaN."""
    wide = op.Cast(x, to=ir.DataType.INT64)
    size = op.Gather(op.Shape(wide), axes(dim), axis=0)
    in_order, _ = op.TopK(wide, size, axis=dim, largest=False, sorted=True)
    rank = len(typed.shape) if x is typed else 1
    one_more = [0] * (2 * rank)
    one_more[rank + dim % rank] = 1
    kind = typed.dtype.numpy()
    lost = np.iinfo(kind).min if kind.itemsize >= 4 else 0
    padded = op.Pad(in_order, op.Constant(value_ints=one_more), integer(lost))
    middle = op.Div(op.Sub(op.Max(size, axes(1)), axes(1)), axes(2))
    found = op.Cast(op.Gather(padded, middle, axis=dim), to=typed.dtype)
    return found if keepdim else op.Squeeze(found, axes(dim))


def _taken(x: Value, place: int, dim: int, keepdim: bool) -> Value:
    return op.Gather(x, axes(place) if keepdim else integer(place), axis=dim)
