"""Maximum, minimum and sorting: PyTorch takes NaN for the largest value, the runtime drops it.

Not where all is NaN, as it is in a row of a softmax in which one element is.
"""

import math
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from onnxscript import ir
from onnxscript.function_libs.torch_lib.ops import linalg as torchlib

from dycl.backends.onnx_graphs.translations.values import (
    FLOATS,
    Value,
    axes,
    flat,
    integer,
    is_float,
    number,
    op,
    size_of,
)


def _reduce(
    reducer: Callable[..., Value], x: Value, dims: Sequence[int] | int | None, keepdim: bool
) -> Value:
    """Reduce; NaN where a NaN is among what is reduced."""
    if len(x.shape) == 0:
        return op.Identity(x)
    best = reducer(x, axes(dims), keepdims=keepdim)
    if not is_float(x) or _is_all_nan_or_none(x, dims):
        return best
    only_nan = op.Where(op.IsNaN(x), x, number(x, 0.0))
    return op.Add(best, op.ReduceSum(only_nan, axes(dims), keepdims=keepdim))


def _is_all_nan_or_none(x: Value, dims: Sequence[int] | int | None) -> bool:
    """Return whether what is reduced to one element is a row of a softmax."""
    maker, rank = x.producer(), len(x.shape)
    if maker is None or maker.op_type != "Softmax" or rank == 0:
        return False
    given = [dims] if isinstance(dims, int) else list(dims or range(rank))
    axis = maker.attributes["axis"].as_int() if "axis" in maker.attributes else -1
    reduced = {dim % rank for dim in given}
    is_row = axis % rank in reduced and isinstance(x.shape[axis], int)
    return is_row and all(x.shape[d] == 1 for d in reduced - {axis % rank})


def amax(self: Value, dim: Sequence[int] = (), keepdim: bool = False) -> Value:
    """Translate ``amax``."""
    return _reduce(op.ReduceMax, self, dim, keepdim)


def amin(self: Value, dim: Sequence[int] = (), keepdim: bool = False) -> Value:
    """Translate ``amin``."""
    return _reduce(op.ReduceMin, self, dim, keepdim)


def vector_norm(
    self: Value, ord: float = 2.0, dim: Sequence[int] | None = None, keepdim: bool = False,
    dtype: int = -1,
) -> Value:  # fmt: skip
    """Translate ``linalg_vector_norm``: to infinity it is the largest or smallest size."""
    if not math.isinf(ord):
        return cast(Value, torchlib.aten_linalg_vector_norm(self, ord, dim, keepdim, dtype))

    def reducer(x: Value, over: Value | None, *, keepdims: bool) -> Value:
        reduced = op.ReduceMax if ord > 0 else op.ReduceMin
        return reduced(op.Abs(x), over, keepdims=keepdims)

    best = _reduce(reducer, self, dim, keepdim) if len(self.shape) else op.Abs(self)
    return best if dtype == -1 else op.Cast(best, to=dtype)


def max_all(self: Value) -> Value:
    """Translate ``max``."""
    return _reduce(op.ReduceMax, self, None, False)


def min_all(self: Value) -> Value:
    """Translate ``min``."""
    return _reduce(op.ReduceMin, self, None, False)


def _with_nan_largest(x: Value) -> Value:
    """Return keys that are ordered as PyTorch orders ``x``: NaN above infinity."""
    if not is_float(x):
        return _number_of(x)
    largest = number(x, float(np.finfo(FLOATS[x.dtype]).max))
    return op.Where(op.IsNaN(x), number(x, float("inf")), op.Min(x, largest))


def _number_of(x: Value) -> Value:
    """Return integers, 0 and 1 for truths, for which the runtime has no such operator."""
    return op.Cast(x, to=ir.DataType.INT32) if x.dtype == ir.DataType.BOOL else x


def _with_nan_smallest(x: Value) -> Value:
    if not is_float(x):
        return _number_of(x)
    smallest = number(x, float(np.finfo(FLOATS[x.dtype]).min))
    return op.Where(op.IsNaN(x), number(x, float("-inf")), op.Max(x, smallest))


def _arg(
    find: Callable[..., Value], x: Value, keys: Value, dim: int | None, keepdim: bool
) -> Value:
    rank = len(x.shape)
    if rank == 0:
        return integer(0)
    if dim is not None:
        return find(keys, axis=dim, keepdims=keepdim)
    found = find(flat(keys), axis=0, keepdims=False)
    return op.Reshape(found, op.Constant(value_ints=[1] * rank)) if keepdim else found


def argmax(self: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """Translate ``argmax``."""
    return _arg(op.ArgMax, self, _with_nan_largest(self), dim, keepdim)


def argmin(self: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """Translate ``argmin``."""
    return _arg(op.ArgMin, self, _with_nan_smallest(self), dim, keepdim)


def _values_and_indices(
    find: Callable[..., Value],
    reducer: Callable[..., Value],
    x: Value,
    keys: Value,
    dim: int,
    keepdim: bool,
) -> tuple[Value, Value]:
    if len(x.shape) == 0:
        return op.Identity(x), integer(0)
    if _is_all_nan_or_none(x, dim):
        values = reducer(x, axes(dim), keepdims=keepdim)
        return values, find(keys, axis=dim, keepdims=keepdim)
    kept = find(keys, axis=dim, keepdims=True)
    values = op.GatherElements(x, kept, axis=dim)
    if keepdim:
        return values, kept
    return op.Squeeze(values, axes(dim)), op.Squeeze(kept, axes(dim))


def max_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``max.dim``."""
    return _values_and_indices(op.ArgMax, op.ReduceMax, self, _with_nan_largest(self), dim, keepdim)


def min_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``min.dim``."""
    return _values_and_indices(
        op.ArgMin, op.ReduceMin, self, _with_nan_smallest(self), dim, keepdim
    )


def _top(
    x: Value, count: Value | int, dim: int, largest: bool, in_order: bool
) -> tuple[Value, Value]:
    if len(x.shape) == 0:
        return op.Identity(x), integer(0)
    keys = _with_nan_largest(x)
    counts = flat(integer(count) if isinstance(count, int) else count)
    values, indices = op.TopK(keys, counts, axis=dim, largest=largest, sorted=in_order)
    if keys is not x:
        values = op.GatherElements(x, indices, axis=dim)
    return values, indices


def topk(
    self: Value, k: Value | int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    """Translate ``topk``."""
    return _top(self, k, dim, largest, sorted or _is_in_order(self, k, dim))


def _is_in_order(x: Value, k: Value | int, dim: int) -> bool:
    """Return whether PyTorch gives elements in order that need not be.

    It divides the row at the element at place ``k - 1``, or sorts the first of many.
    """
    if not isinstance(k, int):
        return False
    size = x.shape[dim] if len(x.shape) else 1
    return k <= 2 or (isinstance(size, int) and 64 * k <= size)


def sort(self: Value, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    """Translate ``sort``."""
    count = size_of(self, dim) if len(self.shape) else 1
    return _top(self, count, dim, descending, True)


def sort_stable(
    self: Value, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[Value, Value]:
    """Translate ``sort.stable``."""
    return sort(self, dim, descending)  # equal elements keep their order in any case
