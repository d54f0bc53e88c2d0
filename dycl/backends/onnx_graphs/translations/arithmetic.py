"""Clipping, signs and division, in the corners where the exporter's translations differ."""

import math

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.logarithms import expm1_like
from dycl.backends.onnx_graphs.translations.precise import atan_like
from dycl.backends.onnx_graphs.translations.values import Value, integer, is_float, number, op

_WIDE = ir.DataType.INT32
"""What maxima and minima of smaller integers are computed in."""


def clamp(self: Value, min: float | None = None, max: float | None = None) -> Value:
    """Translate ``clamp``."""
    low = None if min is None else op.CastLike(min, self)
    high = None if max is None else op.CastLike(max, self)
    if is_float(self) and (low is None or high is None):
        return _bounded(self, low, high)
    return op.Clip(self, low, high)


def clamp_by_tensors(self: Value, min: Value = None, max: Value = None) -> Value:
    """Translate ``clamp.Tensor``, which is also what numbers of another type become."""
    kind = self.dtype
    wide = self if is_float(self) or kind == ir.DataType.INT64 else op.Cast(self, to=_WIDE)
    low = None if min is None else op.CastLike(min, wide)
    high = None if max is None else op.CastLike(max, wide)
    return op.Cast(_bounded(wide, low, high), to=kind)


def clamp_min_by_tensor(self: Value, min: Value) -> Value:
    """Translate ``clamp_min.Tensor``."""
    return clamp_by_tensors(self, min, None)


def clamp_max_by_tensor(self: Value, max: Value) -> Value:
    """Translate ``clamp_max.Tensor``."""
    return clamp_by_tensors(self, None, max)


def relu(self: Value) -> Value:
    """Translate ``relu``, also of integers."""
    return op.Relu(self) if is_float(self) else clamp_by_tensors(self, op.Constant(value_int=0))


def _bounded(x: Value, low: Value, high: Value) -> Value:
    """Return elements within bounds; a ``Clip`` of one bound would make infinities finite."""
    above = x if low is None else op.Max(x, low)
    return above if high is None else op.Min(above, high)


def hardtanh(self: Value, min_val: float = -1.0, max_val: float = 1.0) -> Value:
    """Translate ``hardtanh``: with bounds in the precision of its operand."""
    return clamp(self, min_val, max_val)


def celu(self: Value, alpha: float = 1.0) -> Value:
    """Translate ``celu``: ONNX's is of single precision."""
    if self.dtype == ir.DataType.DOUBLE:
        slope = number(self, alpha)
        below = op.Mul(slope, expm1_like(self, op.Div(self, slope)))
        return op.Where(op.Greater(self, number(self, 0.0)), self, below)
    single = op.Celu(op.Cast(self, to=ir.DataType.FLOAT), alpha=alpha)
    return op.Cast(single, to=self.dtype)


def sinc(self: Value) -> Value:
    """Translate ``sinc``: with pi in the precision of its operand."""
    angle = op.Mul(self, number(self, math.pi))
    is_zero = op.Equal(self, number(self, 0.0))
    return op.Where(is_zero, number(self, 1.0), op.Div(op.Sin(angle), angle))


def clamp_min(self: Value, min: float) -> Value:
    """Translate ``clamp_min``."""
    return clamp(self, min, None)


def clamp_max(self: Value, max: float) -> Value:
    """Translate ``clamp_max``."""
    return clamp(self, None, max)


def sign(self: Value) -> Value:
    """Translate ``sign``."""
    if self.dtype == ir.DataType.BOOL:
        return op.Identity(self)
    found = op.Sign(self)
    return op.Where(op.IsNaN(self), number(self, 0.0), found) if is_float(self) else found


def lerp(self: Value, end: Value, weight: Value) -> Value:
    """Translate ``lerp.Tensor``: from the end that is nearer by the size of the weight."""
    weight = op.CastLike(weight, self)
    distance = op.Sub(end, self)
    from_end = op.Mul(distance, op.Sub(number(self, 1.0), weight))
    is_near = op.Less(op.Abs(weight), number(self, 0.5))
    return op.Where(is_near, op.Add(self, op.Mul(weight, distance)), op.Sub(end, from_end))


def addcdiv(self: Value, tensor1: Value, tensor2: Value, value: float = 1.0) -> Value:
    """Translate ``addcdiv``: multiplied first, which a factor 0 or a divisor near 0 shows."""
    scaled = tensor1 if value == 1 else op.Mul(op.CastLike(value, self), tensor1)
    return op.Add(self, op.Div(scaled, tensor2))


def angle(self: Value) -> Value:
    """Translate ``angle`` of real numbers: 0 or pi, and NaN of NaN."""
    if not is_float(self):
        nothing, half_turn = op.Constant(value_float=0.0), op.Constant(value_float=math.pi)
        below = op.Less(op.Cast(self, to=ir.DataType.FLOAT), nothing)
        return op.Where(below, half_turn, nothing)
    zero = number(self, 0.0)
    known = op.Where(op.Less(self, zero), number(self, math.pi), zero)
    return op.Where(op.IsNaN(self), self, known)


def heaviside(self: Value, values: Value) -> Value:
    """Translate ``heaviside``: 0 for NaN."""
    zero = number(self, 0.0) if is_float(self) else op.CastLike(0, self)
    return op.Where(op.Equal(self, zero), values, op.CastLike(op.Greater(self, zero), self))


def atan2(self: Value, other: Value) -> Value:
    """Translate ``atan2``: NaN stays NaN, and zeros have the signs that tell the direction."""
    up, right = op.Abs(self), op.Abs(other)
    is_diagonal = op.Equal(up, right)  # both may be zero, or infinite
    rise = op.Where(is_diagonal, op.Sign(up), up)
    angle = atan_like(self, op.Div(rise, op.Where(is_diagonal, number(self, 1.0), right)))
    turned = op.Where(_points_back(other), op.Sub(number(self, math.pi), angle), angle)
    return op.Where(_points_back(self), op.Neg(turned), turned)


def _points_back(x: Value) -> Value:
    """Return where a number is negative, or negative zero."""
    zero = number(x, 0.0)
    return op.Or(op.Less(x, zero), op.Less(op.Reciprocal(x), zero))


def signbit(self: Value) -> Value:
    """Translate ``signbit``."""
    return _points_back(self) if is_float(self) else op.Less(self, op.CastLike(0, self))


def remainder(self: Value, other: Value) -> Value:
    """Translate ``remainder.Tensor``."""
    return _remainder(self, other, self)


def _remainder(x: Value, other: Value, typed: Value) -> Value:
    if not is_float(typed):
        return op.Mod(x, _divisor(x, other))
    rest = op.Mod(x, other, fmod=1)
    return op.Where(_signs_differ(rest, other), op.Add(rest, other), rest)


def remainder_of_scalar(self: float, other: Value) -> Value:
    """Translate ``remainder.Scalar_Tensor``."""
    return _remainder(op.CastLike(self, other), other, other)


def remainder_scalar(self: Value, other: float) -> Value:
    """Translate ``remainder.Scalar``."""
    return remainder(self, op.CastLike(_divisor(self, other), self))


def fmod(self: Value, other: Value) -> Value:
    """Translate ``fmod.Tensor``: of 64-bit integers in integers, not in double precision."""
    if self.dtype != ir.DataType.INT64:
        return op.Mod(self, _divisor(self, other), fmod=1)
    return op.Sub(self, op.Mul(op.Div(self, _divisor(self, other)), other))


def fmod_scalar(self: Value, other: float) -> Value:
    """Translate ``fmod.Scalar``."""
    return fmod(self, op.CastLike(_divisor(self, other), self))


def floor_divide(self: Value, other: Value) -> Value:
    """Translate ``floor_divide``."""
    divide = _floor_divide_floats if is_float(self) else _floor_divide_integers
    return divide(self, other)


def divide_with_mode(self: Value, other: Value, rounding_mode: str | None = None) -> Value:
    """Translate ``div.Tensor_mode``."""
    match rounding_mode:
        case "floor":
            return floor_divide(self, other)
        case "trunc" if is_float(self):
            quotient = op.Div(self, other)
            return op.Mul(op.Sign(quotient), op.Floor(op.Abs(quotient)))
        case "trunc":
            return op.Div(self, _divisor(self, other))
        case _:
            return op.Div(self, other)


def _floor_divide_integers(x: Value, y: Value) -> Value:
    quotient = op.Div(x, _divisor(x, y))
    if not x.dtype.is_signed():
        return quotient
    rest = op.Sub(x, op.Mul(quotient, y))
    return op.Sub(quotient, op.Cast(_signs_differ(rest, y), to=x.dtype))


def _floor_divide_floats(x: Value, y: Value) -> Value:
    """Divide as Python does: 1.0 // 0.1 is 9, though 1.0 / 0.1 rounds to 10."""
    rest = op.Mod(x, y, fmod=1)
    quotient = op.Div(op.Sub(x, rest), y)
    lower = op.Where(_signs_differ(rest, y), op.Sub(quotient, number(x, 1.0)), quotient)
    below = op.Floor(lower)
    is_short = op.Greater(op.Sub(lower, below), number(x, 0.5))
    rounded = op.Where(is_short, op.Add(below, number(x, 1.0)), below)
    by_zero = op.Equal(y, number(x, 0.0))
    return op.Where(by_zero, op.Div(x, y), rounded)


def _divisor(x: Value, y: Value) -> Value:
    """Return what numbers are divided by: not 0 where there are none, which is no error in PyTorch.

    The runtime looks at a lone divisor of integers before it looks for what to divide.
    """
    if is_float(x) or not isinstance(y, ir.Value) or y.const_value is not None or y.shape is None:
        return y
    may_be_empty = x.shape is not None and not all(isinstance(n, int) and n for n in x.shape)
    if not may_be_empty or any(size != 1 for size in y.shape):
        return y
    return op.Where(op.Equal(op.Size(x), integer(0)), op.CastLike(1, y), y)


def _signs_differ(rest: Value, divisor: Value) -> Value:
    """Return where a remainder is not zero and has not the sign of the divisor."""
    zero = op.CastLike(op.Constant(value=ir.tensor(0)), divisor)
    return op.And(
        op.Not(op.Equal(rest, zero)),
        op.Not(op.Equal(op.Less(rest, zero), op.Less(divisor, zero))),
    )
