"""Attention: for sizes of run time, for tensors of any rank, and with masks.

The exporter's own translation takes four dimensions, reshapes in a way that fails where a
sequence is empty, and gives NaN or an average where all keys are masked: PyTorch gives zeros.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from onnxscript import ir
from onnxscript.function_libs.torch_lib.ops import nn as torchlib

from dycl.backends.onnx_graphs.translations.values import Value, axes, number, op

_translate_static: Callable[..., Any] = torchlib.aten_scaled_dot_product_attention


def scaled_dot_product_attention(
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Value:
    """Translate ``scaled_dot_product_attention``."""
    known = all(isinstance(size, int) for x in (query, key, value) for size in x.shape)
    if attn_mask is None and known and len(query.shape) == 4:
        return _translate_static(query, key, value, None, dropout_p, is_causal, scale, enable_gqa)
    factor = number(query, math.sqrt(_scale(query) if scale is None else scale))
    order = list(range(len(key.shape)))
    order[-2:] = order[-1], order[-2]
    turned = op.Transpose(_repeated(key, query) if enable_gqa else key, perm=order)
    weights = op.MatMul(op.Mul(query, factor), op.Mul(turned, factor))
    lowest = number(query, float("-inf"))
    mask = _causal(query, key) if is_causal else attn_mask
    if is_causal or (mask is not None and mask.dtype == ir.DataType.BOOL):
        # added as PyTorch does it: NaN stays where it is masked, infinity becomes NaN
        mask = op.Where(mask, number(query, 0.0), lowest)
    if mask is not None:
        weights = op.Add(weights, mask)
    shares = op.Softmax(weights, axis=-1)
    if mask is not None:  # where all is masked, PyTorch gives zeros
        masked = op.Cast(op.Equal(weights, lowest), to=ir.DataType.INT64)
        all_masked = op.Equal(op.ReduceMin(masked, axes(-1), keepdims=True), _one())
        shares = op.Where(all_masked, number(query, 0.0), shares)
    return op.MatMul(shares, _repeated(value, query) if enable_gqa else value)


def _repeated(shared: Value, query: Value) -> Value:
    """Return keys or values with one head for each head of the queries: n of each in turn."""
    heads, wanted = shared.shape[-3], query.shape[-3]
    if not (isinstance(heads, int) and isinstance(wanted, int)):
        raise NotImplementedError("grouped attention over a number of heads known only at run time")
    chosen = np.arange(wanted, dtype=np.int64) // (wanted // heads)
    return op.Gather(shared, op.Constant(value=ir.tensor(chosen)), axis=len(shared.shape) - 3)


def _scale(query: Value) -> float:
    size = query.shape[-1]
    if not isinstance(size, int):
        raise NotImplementedError("attention over vectors of a size known only at run time")
    return 1 / math.sqrt(size)


def _causal(query: Value, key: Value) -> Value:
    """Return which keys a query may see: the lower triangle."""
    sizes = [op.Shape(x, start=len(x.shape) - 2, end=len(x.shape) - 1) for x in (query, key)]
    ones = op.Expand(_one(), op.Concat(*sizes, axis=0))
    return op.Cast(op.Trilu(ones, upper=0), to=ir.DataType.BOOL)


def _one() -> Value:
    return op.Constant(value=ir.tensor(np.array(1, dtype=np.int64)))
