"""Operators of two tensors that ONNX does not have: extremes without NaN, divisors, distances."""

import math

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import (
    FLOATS,
    Value,
    integer,
    is_float,
    number,
    op,
)

_STEPS = {ir.DataType.INT64: 92, ir.DataType.INT32: 46}
"""So many divisions find the common divisor of any two integers; 24 do for smaller ones."""
_FEW = 24


def fmax(self: Value, other: Value) -> Value:
    """Translate ``fmax``."""
    return _known_one(self, other, op.Max)


def fmin(self: Value, other: Value) -> Value:
    """Translate ``fmin``."""
    return _known_one(self, other, op.Min)


def _known_one(x: Value, y: Value, better: Value) -> Value:
    """Return the better of two, or the one that is not NaN."""
    if not is_float(x):
        wide = ir.DataType.INT64
        return op.Cast(better(op.Cast(x, to=wide), op.Cast(y, to=wide)), to=x.dtype)
    return op.Where(op.IsNaN(x), y, op.Where(op.IsNaN(y), x, better(x, y)))


def hypot(self: Value, other: Value) -> Value:
    """Translate ``hypot``: infinite where one of the two is, even if the other is NaN."""
    if self.dtype == ir.DataType.DOUBLE:
        length = _length_of_doubles(self, other)
    else:
        x, y = (op.Cast(part, to=ir.DataType.DOUBLE) for part in (self, other))
        length = op.Cast(op.Sqrt(op.Add(op.Mul(x, x), op.Mul(y, y))), to=self.dtype)
    endless = [op.Equal(op.Abs(part), number(self, np.inf)) for part in (self, other)]
    return op.Where(op.Or(*endless), number(self, np.inf), length)


def _length_of_doubles(x: Value, y: Value) -> Value:
    """Return lengths from quotients, of which no square is infinite."""
    one, zero = number(x, 1.0), number(x, 0.0)
    x, y = op.Abs(x), op.Abs(y)
    larger, smaller = op.Max(x, y), op.Min(x, y)
    slope = op.Div(smaller, op.Where(op.Equal(larger, zero), one, larger))
    length = op.Mul(larger, op.Sqrt(op.Add(one, op.Mul(slope, slope))))
    return op.Where(op.Or(op.IsNaN(x), op.IsNaN(y)), op.Add(x, y), length)


def copysign(self: Value, other: Value) -> Value:
    """Translate ``copysign``: of a zero, too."""
    if not is_float(self):
        raise NotImplementedError("copysign of integers")
    zero = number(self, 0.0)
    one = op.Constant(value=ir.tensor(np.array(1.0, FLOATS[self.dtype])))
    is_below = op.Or(op.Less(other, zero), _is_negative_zero(other, zero, one))
    return op.Where(is_below, op.Neg(op.Abs(self)), op.Abs(self))


def copysign_of_number(self: Value, other: float) -> Value:
    """Translate ``copysign.Scalar``."""
    if not is_float(self):
        raise NotImplementedError("copysign of integers")
    if math.isnan(other):
        raise NotImplementedError("the sign of NaN")
    return op.Neg(op.Abs(self)) if math.copysign(1.0, other) < 0 else op.Abs(self)


def _is_negative_zero(x: Value, zero: Value, one: Value) -> Value:
    return op.And(op.Equal(x, zero), op.Less(op.Div(one, x), zero))


def gcd(self: Value, other: Value) -> Value:
    """Translate ``gcd``: the lowest number has no absolute value, on the way."""
    return op.Cast(op.Abs(_divisor(self, other)), to=self.dtype)


def lcm(self: Value, other: Value) -> Value:
    """Translate ``lcm``: 0 where either is."""
    divisor = _divisor(self, other)
    divisor = op.Where(op.Equal(divisor, integer(0)), integer(1), divisor)
    wide = ir.DataType.INT64
    product = op.Mul(op.Div(op.Cast(self, to=wide), divisor), op.Cast(other, to=wide))
    if self.dtype == ir.DataType.INT32:  # in which PyTorch multiplies; smaller ones as these
        return op.Abs(op.Cast(product, to=self.dtype))
    return op.Cast(op.Abs(product), to=self.dtype)


def _divisor(x: Value, y: Value) -> Value:
    """Return the greatest common divisor by Euclid's algorithm, as 64-bit integers."""
    one, zero = integer(1), integer(0)
    larger, smaller = (op.Abs(op.Cast(part, to=ir.DataType.INT64)) for part in (x, y))
    for _ in range(_STEPS.get(x.dtype, _FEW)):
        is_done = op.Equal(smaller, zero)
        rest = op.Mod(larger, op.Where(is_done, one, smaller))
        larger, smaller = op.Where(is_done, larger, smaller), op.Where(is_done, zero, rest)
    return larger
