"""The gamma function, its relatives and the inverse error function: ONNX has none of them.

All are computed in double precision, whatever their operand is, and rounded once.
"""

import math
from collections.abc import Callable, Sequence

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.doubles import (
    as_double,
    constant,
    polynomial,
    rounded,
)
from dycl.backends.onnx_graphs.translations.values import FLOATS, Value, op

_LANCZOS_G = 7.0
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip
"""Lanczos, "A precision approximation of the gamma function", 1964, for nine terms."""

_BERNOULLI = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
"""Of the asymptotic series of digamma, the highest power first."""
_SHIFT = 10
"""From here on the series has converged."""

_NEAR = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)  # fmt: skip
_FAR = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
)  # fmt: skip
"""Giles, "Approximating the erfinv function", 2010: for single precision."""


def lgamma(self: Value) -> Value:
    """Translate ``lgamma``: infinite at 0, at negative integers and at infinity."""
    x = as_double(self)
    is_low = op.Less(x, constant(0.5))
    above = op.Where(is_low, op.Sub(constant(1.0), x), x)
    found = _lgamma_above(above)
    sine = op.Sin(_angle(x))
    mirrored = op.Sub(op.Log(op.Div(constant(math.pi), sine)), found)
    infinite = op.Equal(op.Abs(x), constant(math.inf))
    result = op.Where(is_low, mirrored, found)
    return rounded(op.Where(infinite, constant(math.inf), result), self)


def _lgamma_above(x: Value) -> Value:
    """Return the logarithm for numbers from one half on."""
    series = constant(_LANCZOS[0])
    for place, factor in enumerate(_LANCZOS[1:]):
        series = op.Add(series, op.Div(constant(factor), op.Add(x, constant(float(place)))))
    middle = op.Sub(x, constant(0.5))
    shifted = op.Add(middle, constant(_LANCZOS_G))
    power = op.Sub(op.Mul(middle, op.Log(shifted)), shifted)
    return op.Add(op.Add(power, constant(0.5 * math.log(2 * math.pi))), op.Log(series))


def digamma(self: Value) -> Value:
    """Translate ``digamma``: infinite at zeros, NaN at negative integers."""
    x = as_double(self)
    zero = constant(0.0)
    is_low = op.Less(x, zero)
    above = op.Where(is_low, op.Sub(constant(1.0), x), x)
    found = _digamma_above(above)
    angle = _angle(x)
    slope = op.Div(op.Mul(constant(math.pi), op.Cos(angle)), op.Sin(angle))
    is_integer = op.Equal(x, op.Floor(x))
    mirrored = op.Where(is_integer, constant(math.nan), op.Add(found, slope))
    at_zero = op.Div(constant(-1.0), x)
    result = op.Where(is_low, mirrored, found)
    return rounded(op.Where(op.Equal(x, zero), at_zero, result), self)


def _angle(x: Value) -> Value:
    """Return pi times the part behind the point, of the number without its sign."""
    size = op.Abs(x)
    return op.Mul(constant(math.pi), op.Sub(size, op.Floor(size)))


def _digamma_above(x: Value) -> Value:
    """Return digamma of what is not negative."""
    one = constant(1.0)
    steps = [op.Div(one, op.Add(x, constant(float(step)))) for step in range(_SHIFT)]
    y = op.Add(x, constant(float(_SHIFT)))
    square = op.Div(one, op.Mul(y, y))
    series = op.Mul(square, polynomial(square, _BERNOULLI))
    found = op.Sub(op.Sub(op.Log(y), op.Div(constant(0.5), y)), series)
    return op.Sub(found, op.Sum(*steps))


def polygamma(n: int, self: Value) -> Value:
    """Translate ``polygamma`` of the orders 0 and 1."""
    if n == 0:
        return digamma(self)
    if n != 1:
        raise NotImplementedError(f"polygamma of order {n}")
    return trigamma(self)


def trigamma(self: Value) -> Value:
    """Translate the slope of digamma: in the precision of its operand, as it has poles."""
    if self.dtype not in (ir.DataType.FLOAT, ir.DataType.DOUBLE):
        raise NotImplementedError("polygamma of other numbers than in single or double precision")
    kind = FLOATS[self.dtype]

    def number(value: float) -> Value:
        return op.Constant(value=ir.tensor(kind(value)))

    one = number(1.0)
    is_low = op.Less(self, number(0.5))
    x = op.Where(is_low, op.Sub(one, self), self)
    total = number(0.0)
    for _ in range(6):
        total = op.Add(total, op.Div(one, op.Mul(x, x)))
        x = op.Add(x, one)
    square = op.Div(one, op.Mul(x, x))
    series = _nested(square, (1 / 6, 1 / 30, 1 / 42), number)
    rest = op.Add(op.Add(one, op.Div(one, op.Mul(number(2.0), x))), series)
    total = op.Add(total, op.Div(rest, x))
    sine = op.Sin(op.Mul(number(math.pi), self))
    pole = op.Div(number(float(kind(math.pi) * kind(math.pi))), op.Mul(sine, sine))
    return op.Where(is_low, op.Sub(pole, total), total)


def _nested(x: Value, factors: Sequence[float], number: Callable[[float], Value]) -> Value:
    """Return ``x (a - x (b - x c))``."""
    found = op.Mul(x, number(factors[-1]))
    for factor in reversed(factors[:-1]):
        found = op.Mul(x, op.Sub(number(factor), found))
    return found


def erfinv(self: Value) -> Value:
    """Translate ``erfinv``, which is infinite at the ends."""
    if self.dtype == ir.DataType.DOUBLE:
        raise NotImplementedError("erfinv in double precision")
    x = as_double(self)
    one = constant(1.0)
    depth = op.Neg(op.Log(op.Mul(op.Sub(one, x), op.Add(one, x))))
    near = polynomial(op.Sub(depth, constant(2.5)), _NEAR)
    far = polynomial(op.Sub(op.Sqrt(depth), constant(3.0)), _FAR)
    found = op.Mul(x, op.Where(op.Less(depth, constant(5.0)), near, far))
    is_end = op.Equal(op.Abs(x), one)
    return rounded(op.Where(is_end, op.Mul(x, constant(math.inf)), found), self)
