"""Logarithms and powers near 1, and of sums: the exporter's overflow, or lose what is small."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.reductions import MOST_FACTORS
from dycl.backends.onnx_graphs.translations.running import running
from dycl.backends.onnx_graphs.translations.values import Value, axes, number, op


def log2(self: Value) -> Value:
    """Translate ``log2``: with the constant in the precision of its operand."""
    return op.Div(op.Log(self), number(self, math.log(2)))


def logsumexp(self: Value, dim: Sequence[int], keepdim: bool = False) -> Value:
    """Translate ``logsumexp``: ONNX Runtime loses NaN beside infinity."""
    if len(self.shape) == 0:
        return op.Identity(self)
    only_nan = op.Where(op.IsNaN(self), self, number(self, 0.0))
    lost = op.ReduceSum(only_nan, axes(dim), keepdims=keepdim)
    return op.Add(op.ReduceLogSumExp(self, axes(dim), keepdims=keepdim), lost)


def log10(self: Value) -> Value:
    """Translate ``log10``."""
    return op.Div(op.Log(self), number(self, math.log(10)))


def logit(self: Value, eps: float | None = None) -> Value:
    """Translate ``logit``: NaN stays NaN, also between bounds."""
    one, bounded = number(self, 1.0), self
    if eps is not None:
        low, high = number(self, eps), number(self, 1 - eps)
        bounded = op.Where(op.Less(bounded, low), low, bounded)
        bounded = op.Where(op.Greater(bounded, high), high, bounded)
    return op.Log(op.Div(bounded, op.Sub(one, bounded)))


def log1p(self: Value) -> Value:
    """Translate ``log1p``: exact to the last bits also where ``1 + self`` drops bits."""
    return log_of_one_and(self, self)


def expm1(self: Value) -> Value:
    """Translate ``expm1``: exact to the last bits near 0, by the log of the rounded power.

    Kahan's, as in Higham, "Accuracy and stability of numerical algorithms", 2002, section 1.14.1.
    """
    return expm1_like(self, self)


def expm1_like(typed: Value, x: Value) -> Value:
    """Return ``exp(x) - 1``; ``typed`` has the element type of ``x``."""
    one = number(typed, 1.0)
    power = op.Exp(x)
    above = op.Sub(power, one)
    is_lost = op.Equal(above, number(typed, 0.0))
    log = op.Log(op.Where(is_lost, number(typed, 2.0), power))
    near = op.Where(is_lost, x, op.Div(op.Mul(above, x), log))
    return op.Where(_is_small(typed, x), near, above)


def log_sigmoid(self: Value) -> Value:
    """Translate ``log_sigmoid``."""
    below = op.Where(op.Less(self, number(self, 0.0)), self, number(self, 0.0))
    return op.Sub(below, log_of_one_and(self, op.Exp(op.Neg(op.Abs(self)))))


def logaddexp(self: Value, other: Value) -> Value:
    """Translate ``logaddexp``."""
    return _together(self, self, other)


def logaddexp2(self: Value, other: Value) -> Value:
    """Translate ``logaddexp2``."""
    two = number(self, math.log(2))
    rest = log_of_one_and(self, op.Exp(op.Mul(_minus_distance(self, self, other), two)))
    return op.Add(op.Max(self, other), op.Div(rest, two))


def logcumsumexp(self: Value, dim: int) -> Value:
    """Translate ``logcumsumexp``: from first to last, as PyTorch does."""
    if len(self.shape) == 0:
        return op.Identity(self)
    count = self.shape[dim]
    if not isinstance(count, int) or not 0 < count <= MOST_FACTORS:
        [found] = running([self], dim, lambda one, two: [_together(self, one[0], two[0])])
        return found
    terms = [op.Slice(self, axes(i), axes(i + 1), axes(dim)) for i in range(count)]
    return op.Concat(*accumulate(terms, partial(_together, self)), axis=dim)


def _together(typed: Value, x: Value, y: Value) -> Value:
    """Return the log of the sum of two powers; ``typed`` has the element type of both."""
    return op.Add(op.Max(x, y), log_of_one_and(typed, op.Exp(_minus_distance(typed, x, y))))


def _minus_distance(typed: Value, x: Value, y: Value) -> Value:
    """Return 0 between equal infinities, too."""
    return op.Where(op.Equal(x, y), number(typed, 0.0), op.Neg(op.Abs(op.Sub(x, y))))


def log_of_one_and(typed: Value, x: Value) -> Value:
    """Return ``log(1 + x)``: what the sum drops of ``x`` is made up for by what it keeps.

    Kahan's; see Goldberg, "What every computer scientist should know about floating-point
    arithmetic", 1991, theorem 4. The ratio is taken near 0 only, where nothing overflows.
    """
    one = number(typed, 1.0)
    total = op.Add(x, one)
    kept = op.Sub(total, one)
    is_lost = op.Equal(kept, number(typed, 0.0))
    log = op.Log(total)
    near = op.Where(is_lost, x, op.Mul(log, op.Div(x, op.Where(is_lost, one, kept))))
    return op.Where(_is_small(typed, x), near, log)


def _is_small(typed: Value, x: Value) -> Value:
    return op.Less(op.Abs(x), number(typed, 0.5))


def xlogy(self: Value, other: Value) -> Value:
    """Translate ``xlogy``: 0 of a factor 0, but NaN of NaN."""
    return _times_log(self, other, op.Log(other))


def xlog1py(self: Value, other: Value) -> Value:
    """Translate ``special_xlog1py``."""
    return _times_log(self, other, log_of_one_and(self, other))


def _times_log(factor: Value, inner: Value, log: Value) -> Value:
    zero = number(factor, 0.0)
    product = op.Where(op.Equal(factor, zero), zero, op.Mul(factor, log))
    return op.Where(op.IsNaN(inner), inner, product)


def log_softmax(self: Value, dim: int, half_to_float: bool = False) -> Value:
    """Translate ``_log_softmax``."""
    return log_softmax_in(self, dim, ir.DataType.FLOAT if half_to_float else -1)


def log_softmax_in(self: Value, dim: int, dtype: int = -1) -> Value:
    """Translate ``log_softmax`` with a type: ONNX Runtime's of doubles looks for no NaN."""
    x = _of_type(self, dtype)
    if len(self.shape) == 0:
        return op.Sub(x, x)
    if (self.dtype if dtype == -1 else dtype) != ir.DataType.DOUBLE:
        return op.LogSoftmax(x, axis=dim)
    below = op.Sub(x, op.ReduceMax(x, axes(dim), keepdims=True))
    return op.Sub(below, op.Log(op.ReduceSum(op.Exp(below), axes(dim), keepdims=True)))


def softmax_in(self: Value, dim: int, dtype: int = -1) -> Value:
    """Translate ``softmax`` with a type, which the operand gets before it is computed."""
    x = _of_type(self, dtype)
    return op.Softmax(x, axis=dim) if len(self.shape) else op.Exp(op.Sub(x, x))


def _of_type(x: Value, dtype: int) -> Value:
    return x if dtype in (-1, x.dtype) else op.Cast(x, to=dtype)
