"""Reductions, which may run over nothing."""

from collections.abc import Sequence

from onnxscript import ir
from onnxscript import opset18 as op
from onnxscript.function_libs.torch_lib.tensor_typing import BOOL, TReal, TTensor

from dycl.backends.onnxruntime.translations.values import Value, axes


def _any(x: Value, dims: Sequence[int] | int | None, keepdim: bool) -> Value:
    ones = op.Cast(op.Cast(x, to=ir.DataType.BOOL), to=ir.DataType.INT64)
    count = op.ReduceSum(ones, axes(dims), keepdims=keepdim) if len(x.shape) else ones
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
        return op.ReduceMean(self, axes(dim), keepdims=keepdim)
    total = op.ReduceSum(self, axes(dim), keepdims=keepdim)
    return op.Div(total, op.Sub(total, total))  # 0 / 0: the mean of nothing is NaN
