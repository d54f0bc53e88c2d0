"""ONNX for the ATen operators that the exporter translates to something slightly different.

ONNX Runtime's maximum, sorting and pooling ignore NaN, where PyTorch takes NaN for the
largest value; gathering takes negative indices, where PyTorch raises; clipping on one side
turns infinities into the largest number. Here these are built from operators that agree.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from onnxscript import ir
from onnxscript import opset18 as op
from onnxscript.function_libs.torch_lib.tensor_typing import BOOL, INT64, IntType, TReal, TTensor

_FLOATS = {
    ir.DataType.FLOAT16: np.float16,
    ir.DataType.FLOAT: np.float32,
    ir.DataType.DOUBLE: np.float64,
}
_Value = Any  # a symbolic tensor of the exporter, which has no public type


def _is_float(x: _Value) -> bool:
    return x.dtype in _FLOATS


def _number(x: _Value, value: float) -> _Value:
    """Return a constant of the element type of ``x``."""
    return op.Constant(value=ir.tensor(np.array(value, dtype=_FLOATS[x.dtype])))


def _axes(dims: Sequence[int] | int | None) -> _Value:
    if dims is None:
        return None
    found = [dims] if isinstance(dims, int) else list(dims)
    return op.Constant(value_ints=found) if found else None


# --- maximum and minimum ----------------------------------------------------------------------


def _reduce(
    reducer: Callable[..., _Value], x: _Value, dims: Sequence[int] | int | None, keepdim: bool
) -> _Value:
    """Reduce; NaN where a NaN is among what is reduced."""
    if len(x.shape) == 0:
        return op.Identity(x)
    best = reducer(x, _axes(dims), keepdims=keepdim)
    if not _is_float(x):
        return best
    only_nan = op.Where(op.IsNaN(x), x, _number(x, 0.0))
    return op.Add(best, op.ReduceSum(only_nan, _axes(dims), keepdims=keepdim))


def amax(self: TReal, dim: Sequence[int] = (), keepdim: bool = False) -> TReal:
    """amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"""
    return _reduce(op.ReduceMax, self, dim, keepdim)


def amin(self: TReal, dim: Sequence[int] = (), keepdim: bool = False) -> TReal:
    """amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"""
    return _reduce(op.ReduceMin, self, dim, keepdim)


def max_all(self: TReal) -> TReal:
    """max(Tensor self) -> Tensor"""
    return _reduce(op.ReduceMax, self, None, False)


def min_all(self: TReal) -> TReal:
    """min(Tensor self) -> Tensor"""
    return _reduce(op.ReduceMin, self, None, False)


def _with_nan_largest(x: _Value) -> _Value:
    """Return keys that are ordered as PyTorch orders ``x``: NaN above infinity."""
    if not _is_float(x):
        return x
    largest = _number(x, float(np.finfo(_FLOATS[x.dtype]).max))
    return op.Where(op.IsNaN(x), _number(x, float("inf")), op.Min(x, largest))


def _with_nan_smallest(x: _Value) -> _Value:
    if not _is_float(x):
        return x
    smallest = _number(x, float(np.finfo(_FLOATS[x.dtype]).min))
    return op.Where(op.IsNaN(x), _number(x, float("-inf")), op.Max(x, smallest))


def _arg(
    find: Callable[..., _Value], keys: _Value, dim: int | None, keepdim: bool
) -> _Value:
    rank = len(keys.shape)
    if rank == 0:
        return op.Constant(value=ir.tensor(np.array(0, dtype=np.int64)))
    if dim is not None:
        return find(keys, axis=dim, keepdims=keepdim)
    flat = find(op.Reshape(keys, op.Constant(value_ints=[-1])), axis=0, keepdims=False)
    return op.Reshape(flat, op.Constant(value_ints=[1] * rank)) if keepdim else flat


def argmax(self: TReal, dim: int | None = None, keepdim: bool = False) -> INT64:
    """argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"""
    return _arg(op.ArgMax, _with_nan_largest(self), dim, keepdim)


def argmin(self: TReal, dim: int | None = None, keepdim: bool = False) -> INT64:
    """argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"""
    return _arg(op.ArgMin, _with_nan_smallest(self), dim, keepdim)


def _values_and_indices(
    find: Callable[..., _Value], x: _Value, keys: _Value, dim: int, keepdim: bool
) -> tuple[_Value, _Value]:
    if len(x.shape) == 0:
        return op.Identity(x), op.Constant(value=ir.tensor(np.array(0, dtype=np.int64)))
    kept = find(keys, axis=dim, keepdims=True)
    values = op.GatherElements(x, kept, axis=dim)
    if keepdim:
        return values, kept
    return op.Squeeze(values, _axes(dim)), op.Squeeze(kept, _axes(dim))


def max_dim(self: TReal, dim: int, keepdim: bool = False) -> tuple[TReal, INT64]:
    """max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"""
    return _values_and_indices(op.ArgMax, self, _with_nan_largest(self), dim, keepdim)


def min_dim(self: TReal, dim: int, keepdim: bool = False) -> tuple[TReal, INT64]:
    """min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"""
    return _values_and_indices(op.ArgMin, self, _with_nan_smallest(self), dim, keepdim)


# --- sorting ----------------------------------------------------------------------------------


def _top(x: _Value, count: int, dim: int, largest: bool, in_order: bool) -> tuple[_Value, _Value]:
    if len(x.shape) == 0:
        return op.Identity(x), op.Constant(value=ir.tensor(np.array(0, dtype=np.int64)))
    keys = _with_nan_largest(x)
    counts = op.Constant(value_ints=[count])
    values, indices = op.TopK(keys, counts, axis=dim, largest=largest, sorted=in_order)
    if keys is not x:
        values = op.GatherElements(x, indices, axis=dim)
    return values, indices


def topk(
    self: TReal, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[TReal, INT64]:
    """topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor, Tensor)"""
    return _top(self, k, dim, largest, sorted)


def sort(self: TReal, dim: int = -1, descending: bool = False) -> tuple[TReal, INT64]:
    """sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"""
    count = self.shape[dim] if len(self.shape) else 1
    return _top(self, count, dim, descending, True)


def sort_stable(
    self: TReal, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[TReal, INT64]:
    """sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> ..."""
    return sort(self, dim, descending)  # equal elements keep their order in any case


# --- pooling ----------------------------------------------------------------------------------


def _max_pool(
    x: _Value,
    rank: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> _Value:
    """Pool; NaN where a NaN is in the window."""
    kernel = _repeated(kernel_size, rank)
    attributes = {
        "kernel_shape": kernel,
        "strides": _repeated(stride, rank) if stride else kernel,
        "pads": _repeated(padding, rank) * 2,
        "dilations": _repeated(dilation, rank),
        "ceil_mode": int(ceil_mode),
    }
    is_batch = len(x.shape) == rank + 2
    if not is_batch:
        x = op.Unsqueeze(x, _axes(0))
    nan = op.IsNaN(x)
    largest, _ = op.MaxPool(x, **attributes)
    marks, _ = op.MaxPool(op.Cast(nan, to=x.dtype), **attributes)
    pooled = op.Where(op.Greater(marks, _number(x, 0.0)), _number(x, float("nan")), largest)
    return pooled if is_batch else op.Squeeze(pooled, _axes(0))


def _repeated(sizes: Sequence[int] | int, rank: int) -> list[int]:
    found = [sizes] if isinstance(sizes, int) else list(sizes)
    return found * rank if len(found) == 1 else found


def max_pool1d(
    self: TReal,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> TReal:
    """max_pool1d(Tensor self, int[1] kernel_size, ...) -> Tensor"""
    return _max_pool(self, 1, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    self: TReal,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> TReal:
    """max_pool2d(Tensor self, int[2] kernel_size, ...) -> Tensor"""
    return _max_pool(self, 2, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    self: TReal,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0, 0),
    dilation: Sequence[int] = (1, 1, 1),
    ceil_mode: bool = False,
) -> TReal:
    """max_pool3d(Tensor self, int[3] kernel_size, ...) -> Tensor"""
    return _max_pool(self, 3, kernel_size, stride, padding, dilation, ceil_mode)


# --- one element at a time --------------------------------------------------------------------


def clamp(self: TReal, min: float | None = None, max: float | None = None) -> TReal:
    """clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"""
    low = None if min is None else op.CastLike(min, self)
    high = None if max is None else op.CastLike(max, self)
    if not _is_float(self):
        return op.Clip(self, low, high)
    if low is None or high is None:
        bounded = self if low is None else op.Max(self, low)
        return bounded if high is None else op.Min(bounded, high)
    return op.Clip(self, low, high)


def clamp_min(self: TReal, min: float) -> TReal:
    """clamp_min(Tensor self, Scalar min) -> Tensor"""
    return clamp(self, min, None)


def clamp_max(self: TReal, max: float) -> TReal:
    """clamp_max(Tensor self, Scalar max) -> Tensor"""
    return clamp(self, None, max)


def sign(self: TReal) -> TReal:
    """sign(Tensor self) -> Tensor"""
    if self.dtype == ir.DataType.BOOL:
        return op.Identity(self)
    found = op.Sign(self)
    return op.Where(op.IsNaN(self), _number(self, 0.0), found) if _is_float(self) else found


# --- reductions over nothing ------------------------------------------------------------------


def _any(x: _Value, dims: Sequence[int] | int | None, keepdim: bool) -> _Value:
    ones = op.Cast(op.Cast(x, to=ir.DataType.BOOL), to=ir.DataType.INT64)
    count = op.ReduceSum(ones, _axes(dims), keepdims=keepdim) if len(x.shape) else ones
    return op.Cast(count, to=ir.DataType.BOOL)


def any_all(self: TTensor) -> BOOL:
    """any(Tensor self) -> Tensor"""
    return _any(self, None, False)


def any_dim(self: TTensor, dim: int, keepdim: bool = False) -> BOOL:
    """any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"""
    return _any(self, dim, keepdim)


def any_dims(
    self: TTensor, dim: Sequence[int] | None = None, keepdim: bool = False
) -> BOOL:
    """any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"""
    return _any(self, dim, keepdim)


def mean_dim(
    self: TReal, dim: Sequence[int] | None = None, keepdim: bool = False, dtype: int = -1
) -> TReal:
    """mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, dtype=None) -> Tensor"""
    if dtype is not None and dtype != -1:
        self = op.Cast(self, to=dtype)
    if len(self.shape) == 0:
        return op.Identity(self)
    if 0 not in self.shape:
        return op.ReduceMean(self, _axes(dim), keepdims=keepdim)
    total = op.ReduceSum(self, _axes(dim), keepdims=keepdim)
    return op.Div(total, op.Sub(total, total))  # 0 / 0: the mean of nothing is NaN


# --- indices ----------------------------------------------------------------------------------


def _no_negative(index: _Value, x: _Value, dim: int) -> _Value:
    """Return indices with negative ones out of range, so that they raise as in PyTorch."""
    index = op.Cast(index, to=ir.DataType.INT64)
    size = x.shape[dim] if len(x.shape) else 1
    zero = op.Constant(value=ir.tensor(np.array(0, dtype=np.int64)))
    outside = op.Constant(value=ir.tensor(np.array(size, dtype=np.int64)))
    return op.Where(op.Less(index, zero), outside, index)


def gather(self: TReal, dim: int, index: IntType, sparse_grad: bool = False) -> TReal:
    """gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"""
    flat = op.Reshape(self, op.Constant(value_ints=[-1])) if len(self.shape) == 0 else self
    rank = len(index.shape)
    places = op.Unsqueeze(index, _axes(0)) if rank == 0 else index
    found = op.GatherElements(flat, _no_negative(places, flat, dim), axis=dim)
    return op.Squeeze(found, _axes(0)) if rank == 0 else found


def index_select(self: TTensor, dim: int, index: IntType) -> TTensor:
    """index_select(Tensor self, int dim, Tensor index) -> Tensor"""
    places = op.Reshape(index, op.Constant(value_ints=[-1]))
    if len(self.shape) == 0:
        flat = op.Reshape(self, op.Constant(value_ints=[-1]))
        return op.Squeeze(op.Gather(flat, _no_negative(places, self, 0), axis=0), _axes(0))
    return op.Gather(self, _no_negative(places, self, dim), axis=dim)


def embedding(
    weight: TTensor,
    indices: IntType,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> TTensor:
    """embedding(Tensor weight, Tensor indices, int padding_idx=-1, ...) -> Tensor"""
    return op.Gather(weight, _no_negative(indices, weight, 0), axis=0)


def _scatter(x: _Value, dim: int, index: _Value, source: _Value, reduction: str) -> _Value:
    rank = len(x.shape)
    parts = [op.Unsqueeze(t, _axes(0)) if len(t.shape) == 0 else t for t in (x, index, source)]
    places = _no_negative(parts[1], parts[0], dim)
    found = op.ScatterElements(parts[0], places, parts[2], axis=dim, reduction=reduction)
    return op.Squeeze(found, _axes(0)) if rank == 0 else found


def scatter_src(self: TTensor, dim: int, index: IntType, src: TTensor) -> TTensor:
    """scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"""
    if list(src.shape) != list(index.shape):
        # ATen takes the leading part of a larger source.
        ends = op.Shape(index)
        starts = op.Constant(value_ints=[0] * len(index.shape))
        src = op.Slice(src, starts, ends, op.Constant(value_ints=list(range(len(index.shape)))))
    return _scatter(self, dim, index, src, "none")


def scatter_value(self: TTensor, dim: int, index: IntType, value: float) -> TTensor:
    """scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"""
    scalar = op.CastLike(value, self)
    return _scatter(self, dim, index, op.Expand(scalar, op.Shape(index)), "none")


def one_hot(self: IntType, num_classes: int = -1) -> INT64:
    """one_hot(Tensor self, int num_classes=-1) -> Tensor"""
    depth = op.Constant(value_ints=[num_classes])
    off_on = op.Constant(value_ints=[0, 1])
    places = op.Cast(self, to=ir.DataType.INT64)
    zeros = op.ConstantOfShape(depth, value=ir.tensor(np.array([0], dtype=np.int64)))
    # Looking the classes up raises where one is out of range, as PyTorch does.
    lookup = op.Gather(zeros, _no_negative(places, zeros_like(num_classes), 0), axis=0)
    return op.OneHot(op.Add(places, lookup), depth, off_on, axis=-1)
