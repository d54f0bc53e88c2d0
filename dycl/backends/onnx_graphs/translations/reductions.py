"""Reductions, which may run over nothing."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.running import running
from dycl.backends.onnx_graphs.translations.values import FLOATS, Value, axes, integer, number, op


def _any(x: Value, dims: Sequence[int] | int | None, keepdim: bool) -> Value:
    ones = op.Cast(op.Cast(x, to=ir.DataType.BOOL), to=ir.DataType.INT64)
    count = op.ReduceSum(ones, axes(dims), keepdims=keepdim) if len(x.shape) else ones
    return op.Cast(count, to=ir.DataType.BOOL)


def any_all(self: Value) -> Value:
    """Translate ``any``."""
    return _any(self, None, False)


def any_dim(self: Value, dim: int, keepdim: bool = False) -> Value:
    """Translate ``any.dim``."""
    return _any(self, dim, keepdim)


def any_dims(self: Value, dim: Sequence[int] | None = None, keepdim: bool = False) -> Value:
    """Translate ``any.dims``."""
    return _any(self, dim, keepdim)


def mean_dim(
    self: Value, dim: Sequence[int] | None = None, keepdim: bool = False, dtype: int = -1
) -> Value:
    """Translate ``mean.dim``."""
    reduced = [self.shape[d] for d in dim] if dim and len(self.shape) else self.shape
    return _mean_dim(self, dim, keepdim, dtype, reduced)


def mean_dim_of_known(
    self: Value, dim: Sequence[int] | None = None, keepdim: bool = False, dtype: int = -1
) -> Value:
    """Translate ``mean.dim`` for a runtime that is not trusted with means of empty tensors."""
    return _mean_dim(self, dim, keepdim, dtype, self.shape)


def _mean_dim(
    x: Value, dim: Sequence[int] | None, keepdim: bool, dtype: int, sizes: Sequence[object]
) -> Value:
    """Return a mean: counted, unless these sizes are known."""
    if dtype is not None and dtype != -1:
        x = op.Cast(x, to=dtype)
    if len(x.shape) == 0:
        return op.Identity(x)
    if all(isinstance(size, int) and size > 0 for size in sizes):
        return _mean(x, dim, keepdim)
    total = op.ReduceSum(x, axes(dim), keepdims=keepdim)
    ones = op.Expand(number(x, 1.0), op.Shape(x))
    return op.Div(total, op.ReduceSum(ones, axes(dim), keepdims=keepdim))  # of nothing: NaN


def _mean(x: Value, dim: Sequence[int] | None, keepdim: bool) -> Value:
    """Return the mean of elements that exist; of whole images as the runtime likes it best."""
    rank = len(x.shape)
    places = {d % rank for d in dim or ()}
    is_known = all(isinstance(size, int) and size > 0 for size in x.shape)
    if rank != 4 or places != {2, 3} or x.dtype != ir.DataType.FLOAT or not is_known:
        return op.ReduceMean(x, axes(dim), keepdims=keepdim)
    means = op.GlobalAveragePool(x)
    return means if keepdim else op.Squeeze(means, axes((2, 3)))


def mean_all(self: Value, dtype: int = -1) -> Value:
    """Translate ``mean``."""
    return mean_dim(self, None, False, dtype)


MOST_FACTORS = 128
"""So many factors are multiplied one after the other; more would be too large a graph."""


def cumprod(self: Value, dim: int, dtype: int = -1) -> Value:
    """Translate ``cumprod``: from first to last in double precision, as PyTorch does."""
    wide, kind = _widened(self, dtype)
    if len(self.shape) == 0:
        return op.Cast(wide, to=kind)
    count = self.shape[dim]
    if not isinstance(count, int) or not 0 < count <= MOST_FACTORS:
        [found] = running([wide], dim, lambda one, two: [op.Mul(one[0], two[0])])
        return op.Cast(found, to=kind)
    factors = [op.Slice(wide, axes(i), axes(i + 1), axes(dim)) for i in range(count)]
    products = list(accumulate(factors, op.Mul))
    return op.Cast(op.Concat(*products, axis=dim), to=kind)


def cumsum(self: Value, dim: int, dtype: int = -1) -> Value:
    """Translate ``cumsum``: in double precision, as PyTorch does."""
    wide, kind = _widened(self, dtype)
    sums = op.CumSum(wide, integer(dim)) if len(self.shape) else wide
    return op.Cast(sums, to=kind)


def _widened(x: Value, dtype: int) -> tuple[Value, ir.DataType]:
    """Return the elements as they are brought together, and the type of what comes out."""
    kind = x.dtype if dtype is None or dtype == -1 else ir.DataType(dtype)
    if kind not in FLOATS and (dtype is None or dtype == -1):
        kind = ir.DataType.INT64
    return op.Cast(x, to=ir.DataType.DOUBLE if kind in FLOATS else ir.DataType.INT64), kind


def std(
    self: Value,
    dim: Sequence[int] | None = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> Value:
    """Translate ``std``: in double precision, as PyTorch does, for squares may be large."""
    return op.Cast(op.Sqrt(_variance(self, dim, correction, keepdim)), to=self.dtype)


def std_mean(
    self: Value,
    dim: Sequence[int] | None = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[Value, Value]:
    """Translate ``std_mean``."""
    return std(self, dim, correction, keepdim), _wide_mean(self, dim, keepdim)


def var(
    self: Value,
    dim: Sequence[int] | None = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> Value:
    """Translate ``var``: in double precision, as PyTorch does, for a mean may be far away."""
    return op.Cast(_variance(self, dim, correction, keepdim), to=self.dtype)


def var_mean(
    self: Value,
    dim: Sequence[int] | None = None,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[Value, Value]:
    """Translate ``var_mean``."""
    return var(self, dim, correction, keepdim), _wide_mean(self, dim, keepdim)


def _wide_mean(x: Value, dim: Sequence[int] | None, keepdim: bool) -> Value:
    wide, ones = _wide_and_ones(x)
    total = op.ReduceSum(wide, axes(dim), keepdims=keepdim)
    return op.Cast(op.Div(total, op.ReduceSum(ones, axes(dim), keepdims=keepdim)), to=x.dtype)


def _wide_and_ones(x: Value) -> tuple[Value, Value]:
    """Return the elements in double precision, and as many ones, whose sum counts them."""
    wide = op.Cast(x, to=ir.DataType.DOUBLE)
    return wide, op.Expand(_double(1.0), op.Shape(wide))


def _variance(
    x: Value, dim: Sequence[int] | None, correction: float | None, keepdim: bool
) -> Value:
    wide, ones = _wide_and_ones(x)
    mean = op.Div(
        op.ReduceSum(wide, axes(dim), keepdims=True), op.ReduceSum(ones, axes(dim), keepdims=True)
    )
    distance = op.Sub(wide, mean)
    squares = op.ReduceSum(op.Mul(distance, distance), axes(dim), keepdims=keepdim)
    fewer = _double(1.0 if correction is None else float(correction))
    count = op.Sub(op.ReduceSum(ones, axes(dim), keepdims=keepdim), fewer)
    return op.Div(squares, op.Max(count, _double(0.0)))


def _double(value: float) -> Value:
    return op.Constant(value=ir.tensor(np.array(value, np.float64)))


def amax(self: Value, dim: Sequence[int] = (), keepdim: bool = False) -> Value:
    """Translate ``amax`` where there is no NaN."""
    return op.ReduceMax(self, axes(dim), keepdims=keepdim) if len(self.shape) else op.Identity(self)


def amin(self: Value, dim: Sequence[int] = (), keepdim: bool = False) -> Value:
    """Translate ``amin`` where there is no NaN."""
    return op.ReduceMin(self, axes(dim), keepdims=keepdim) if len(self.shape) else op.Identity(self)
