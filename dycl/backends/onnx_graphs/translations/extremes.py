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
    if not math.isinf(ord) and self.dtype == ir.DataType.FLOAT16:  # whose powers overflow
        wide = op.Cast(self, to=ir.DataType.FLOAT)
        wide.dtype, wide.shape = ir.DataType.FLOAT, self.shape
        kind = self.dtype if dtype in (None, -1) else dtype
        return op.Cast(torchlib.aten_linalg_vector_norm(wide, ord, dim, keepdim, -1), to=kind)
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


def keys_of(x: Value, unknown: float) -> Value:
    """Return keys in the order of ``x``, with ``unknown`` for NaN: in wider floats, if there are.

    There NaN is beyond infinity, and infinity beyond all other numbers.
    """
    if not is_float(x):
        return _number_of(x)
    if x.dtype not in _WIDER or _is_never_infinite(x):
        return op.Where(op.IsNaN(x), number(x, unknown), x)
    kind, beyond = _WIDER[x.dtype]
    nan, infinity = (_constant(value, kind) for value in (unknown, math.copysign(beyond, unknown)))
    bounded = (op.Min if unknown > 0 else op.Max)(op.Cast(x, to=kind), infinity)
    return op.Where(op.IsNaN(x), nan, bounded)


_WIDER = {
    ir.DataType.FLOAT16: (ir.DataType.FLOAT, 1e30),
    ir.DataType.FLOAT: (ir.DataType.DOUBLE, 1e300),
}
"""What has numbers between the largest one of a type and infinity, and one of these."""


def _constant(value: float, kind: ir.DataType) -> Value:
    return op.Constant(value=ir.tensor(np.array(value, FLOATS[kind])))


def _number_of(x: Value) -> Value:
    """Return integers, 0 and 1 for truths, for which the runtime has no such operator."""
    return op.Cast(x, to=ir.DataType.INT32) if x.dtype == ir.DataType.BOOL else x


def _is_never_infinite(x: Value) -> bool:
    maker = x.producer()
    return maker is not None and maker.op_type in ("Softmax", "Sigmoid", "Tanh")


def _is_two_steps(x: Value) -> bool:
    """Return whether keys are equal for NaN and infinity, as there are no wider floats."""
    return bool(x.dtype == ir.DataType.DOUBLE) and not _is_never_infinite(x)


def _place(x: Value, best: float, dim: int, keepdim: bool) -> Value:
    """Return the place of the first NaN, or else of the first of the largest or smallest."""
    find = op.ArgMax if best > 0 else op.ArgMin
    place = find(keys_of(x, best), axis=dim, keepdims=keepdim)
    if not _is_two_steps(x):
        return place
    marks = op.Cast(op.IsNaN(x), to=ir.DataType.INT32)
    is_any = op.Cast(op.ReduceMax(marks, axes(dim), keepdims=keepdim), to=ir.DataType.BOOL)
    return op.Where(is_any, op.ArgMax(marks, axis=dim, keepdims=keepdim), place)


def _arg(x: Value, best: float, dim: int | None, keepdim: bool) -> Value:
    rank = len(x.shape)
    if rank == 0:
        return integer(0)
    if dim is not None:
        return _place(x, best, dim, keepdim)
    found = _place(flat(x), best, 0, False)
    return op.Reshape(found, op.Constant(value_ints=[1] * rank)) if keepdim else found


def argmax(self: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """Translate ``argmax``."""
    return _arg(self, math.inf, dim, keepdim)


def argmin(self: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    """Translate ``argmin``."""
    return _arg(self, -math.inf, dim, keepdim)


def _value_and_place(x: Value, best: float, dim: int, keepdim: bool) -> tuple[Value, Value]:
    if len(x.shape) == 0:
        return op.Identity(x), integer(0)
    if _is_all_nan_or_none(x, dim):
        reducer = op.ReduceMax if best > 0 else op.ReduceMin
        return reducer(x, axes(dim), keepdims=keepdim), _place(x, best, dim, keepdim)
    kept = _place(x, best, dim, True)
    value = op.GatherElements(x, kept, axis=dim)
    if keepdim:
        return value, kept
    return op.Squeeze(value, axes(dim)), op.Squeeze(kept, axes(dim))


def max_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``max.dim``."""
    return _value_and_place(self, math.inf, dim, keepdim)


def min_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``min.dim``."""
    return _value_and_place(self, -math.inf, dim, keepdim)


def _top(
    x: Value, count: Value | int, dim: int, largest: bool, in_order: bool
) -> tuple[Value, Value]:
    if len(x.shape) == 0:
        return op.Identity(x), integer(0)
    keys = keys_of(x, math.inf)
    counts = flat(integer(count) if isinstance(count, int) else count)
    if _is_two_steps(x):
        places = _with_nan_at_end(x, keys, counts, dim, largest)
        return op.GatherElements(x, places, axis=dim), places
    values, places = op.TopK(keys, counts, axis=dim, largest=largest, sorted=in_order)
    if keys is not x:
        values = op.GatherElements(x, places, axis=dim)
    return values, places


def _with_nan_at_end(x: Value, keys: Value, counts: Value, dim: int, largest: bool) -> Value:
    """Return places in order of keys, those of NaN apart from infinities: at the upper end."""
    _, places = op.TopK(keys, flat(size_of(x, dim)), axis=dim, largest=largest, sorted=True)
    marks = op.GatherElements(op.Cast(op.IsNaN(x), to=ir.DataType.INT32), places, axis=dim)
    _, order = op.TopK(marks, counts, axis=dim, largest=largest, sorted=True)
    return op.GatherElements(places, order, axis=dim)


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
