"""Functions of doubles for which ONNX Runtime has no kernel, of those that it has.

Each is exact to a few last bits, also near zero, and keeps zeros' signs. Other floats have kernels.
"""

import math
from collections.abc import Callable

import numpy as np
from onnxscript import ir
from onnxscript.function_libs.torch_lib.ops import core
from onnxscript.function_libs.torch_lib.ops import nn as torchlib

from dycl.backends.onnx_graphs.translations.doubles import constant, polynomial
from dycl.backends.onnx_graphs.translations.logarithms import expm1_like, log_of_one_and
from dycl.backends.onnx_graphs.translations.values import Value, axes, is_float, op

_ERF_NEAR = (
    (9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
     7.00332514112805075473e3, 5.55923013010394962768e4),
    (1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
     2.26290000613890934246e4, 4.92673942608635921086e4),
)  # fmt: skip
ERFC_RATIO = (
    (2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
     4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
     9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2),
    (1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
     9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
     1.65666309194161350182e3, 5.57535340817727675546e2),
)  # fmt: skip
_ATAN = (
    (-8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
     -1.228866684490136173410e2, -6.485021904942025371773e1),
    (1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
     4.853903996359136964868e2, 1.945506571482613964425e2),
)  # fmt: skip
"""Cephes' ``ndtr.c`` and ``atan.c``: factors of a numerator, and of a denominator."""

_LARGE = 1e8
"""From here on one more or less makes no difference to a square."""
_SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def _of_doubles(kernel: str, composed: Callable[[Value], Value]) -> Callable[[Value], Value]:
    def translation(self: Value) -> Value:
        if self.dtype == ir.DataType.DOUBLE:
            return composed(self)
        operand = self if is_float(self) else op.Cast(self, to=ir.DataType.FLOAT)
        return getattr(op, kernel)(operand)

    return translation


def atan_like(typed: Value, x: Value) -> Value:
    """Return the arc tangent; ``typed`` has the element type of ``x``."""
    return _atan(x) if typed.dtype == ir.DataType.DOUBLE else op.Atan(x)


def _odd(x: Value, above: Value) -> Value:
    """Return an odd function, zero at zero, by what it is of absolute values."""
    signed = op.Where(op.Less(x, constant(0.0)), op.Neg(above), above)
    return op.Where(op.Equal(x, constant(0.0)), x, signed)


def ratio(x: Value, factors: tuple[tuple[float, ...], tuple[float, ...]]) -> Value:
    """Return the ratio of two polynomials by their factors."""
    return op.Div(polynomial(x, factors[0]), polynomial(x, factors[1]))


def erf_of(x: Value) -> Value:
    """Return the error function of doubles."""
    size = op.Abs(x)
    square = op.Mul(x, x)
    near = op.Mul(size, ratio(square, _ERF_NEAR))
    below = op.Where(op.Greater(size, constant(6.0)), constant(6.0), size)
    rest = op.Mul(op.Exp(op.Neg(op.Mul(below, below))), ratio(below, ERFC_RATIO))
    far = op.Sub(constant(1.0), rest)
    return _odd(x, op.Where(op.Less(size, constant(1.0)), near, far))


def _tan(x: Value) -> Value:
    return op.Div(op.Sin(x), op.Cos(x))


def _atan(x: Value) -> Value:
    size = op.Abs(x)
    is_steep = op.Greater(size, constant(1 + math.sqrt(2)))
    is_flat = op.LessOrEqual(size, constant(0.66))
    one = constant(1.0)
    turned = op.Div(op.Sub(size, one), op.Add(size, one))
    slope = op.Where(is_flat, size, op.Where(is_steep, op.Neg(op.Reciprocal(size)), turned))
    square = op.Mul(slope, slope)
    angle = op.Add(op.Mul(slope, op.Mul(square, ratio(square, _ATAN))), slope)
    whole = op.Where(is_steep, constant(math.pi / 2), constant(math.pi / 4))
    return _odd(x, op.Where(is_flat, angle, op.Add(whole, angle)))


def _asin(x: Value) -> Value:
    one = constant(1.0)
    return _atan(op.Div(x, op.Sqrt(op.Mul(op.Sub(one, x), op.Add(one, x)))))


def _acos(x: Value) -> Value:
    one = constant(1.0)
    half = _atan(op.Sqrt(op.Div(op.Sub(one, x), op.Add(one, x))))
    return op.Mul(constant(2.0), half)


def _sinh(x: Value) -> Value:
    above = expm1_like(x, x)
    near = op.Add(above, op.Div(above, op.Add(above, constant(1.0))))
    up, down = _half_powers(x)
    is_near = op.Less(op.Abs(x), constant(0.5))
    return op.Where(is_near, op.Mul(constant(0.5), near), _odd(x, op.Sub(up, down)))


def _cosh(x: Value) -> Value:
    return op.Add(*_half_powers(x))


def _half_powers(x: Value) -> tuple[Value, Value]:
    """Return halves of e to the absolute value and to its opposite, where neither overflows."""
    root, half = op.Exp(op.Mul(op.Abs(x), constant(0.5))), constant(0.5)
    return op.Mul(op.Mul(root, half), root), op.Div(op.Div(half, root), root)


def _asinh(x: Value) -> Value:
    size, one = op.Abs(x), constant(1.0)
    square = op.Mul(size, size)
    rest = op.Div(square, op.Add(one, op.Sqrt(op.Add(one, square))))
    near = log_of_one_and(x, op.Add(size, rest))
    return _odd(x, op.Where(op.Greater(size, constant(_LARGE)), _log_of_twice(size), near))


def _acosh(x: Value) -> Value:
    above = op.Sub(x, constant(1.0))
    root = op.Sqrt(op.Mul(above, op.Add(above, constant(2.0))))
    near = log_of_one_and(x, op.Add(above, root))
    found = op.Where(op.Greater(x, constant(_LARGE)), _log_of_twice(x), near)
    return op.Where(op.Less(x, constant(1.0)), constant(math.nan), found)


def _log_of_twice(x: Value) -> Value:
    return op.Add(op.Log(x), constant(math.log(2)))


def _atanh(x: Value) -> Value:
    size = op.Abs(x)
    ratio = op.Div(op.Add(size, size), op.Sub(constant(1.0), size))
    return _odd(x, op.Mul(constant(0.5), log_of_one_and(x, ratio)))


erf = _of_doubles("Erf", erf_of)
tan = _of_doubles("Tan", _tan)
asin = _of_doubles("Asin", _asin)
acos = _of_doubles("Acos", _acos)
atan = _of_doubles("Atan", _atan)
sinh = _of_doubles("Sinh", _sinh)
cosh = _of_doubles("Cosh", _cosh)
asinh = _of_doubles("Asinh", _asinh)
acosh = _of_doubles("Acosh", _acosh)
atanh = _of_doubles("Atanh", _atanh)


def leaky_relu(self: Value, negative_slope: float = 0.01) -> Value:
    """Translate ``leaky_relu``."""
    if self.dtype != ir.DataType.DOUBLE:
        return op.LeakyRelu(self, alpha=negative_slope)
    below = op.Mul(self, constant(negative_slope))
    return op.Where(op.Greater(self, constant(0.0)), self, below)


def prelu(self: Value, weight: Value) -> Value:
    """Translate ``prelu``."""
    if self.dtype != ir.DataType.DOUBLE:
        return core.aten_prelu(self, weight)
    if len(self.shape) > 2 and len(weight.shape) == 1:
        weight = op.Unsqueeze(weight, axes([*range(1, len(self.shape) - 1)]))
    return op.Where(op.Greater(self, constant(0.0)), self, op.Mul(self, weight))


def elu(self: Value, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Value:
    """Translate ``elu``."""
    if self.dtype != ir.DataType.DOUBLE:
        inner = op.Mul(self, op.CastLike(input_scale, self))
        return op.Mul(op.Elu(inner, alpha=alpha), op.CastLike(scale, self))
    power = expm1_like(self, op.Mul(self, constant(input_scale)))
    below, above = op.Mul(power, constant(alpha * scale)), op.Mul(self, constant(scale))
    return op.Where(op.Greater(self, constant(0.0)), above, below)


def selu(self: Value) -> Value:
    """Translate ``selu``."""
    return elu(self, *_SELU) if self.dtype == ir.DataType.DOUBLE else op.Selu(self)


def gelu(self: Value, approximate: str = "none") -> Value:
    """Translate ``gelu``."""
    if self.dtype != ir.DataType.DOUBLE or approximate != "none":
        return torchlib.aten_gelu(self, approximate)
    above = op.Add(erf_of(op.Mul(self, constant(math.sqrt(0.5)))), constant(1.0))
    return op.Mul(op.Mul(constant(0.5), self), above)


def softplus(self: Value, beta: float = 1.0, threshold: float = 20.0) -> Value:
    """Translate ``softplus``."""
    if self.dtype != ir.DataType.DOUBLE:
        return _softplus_of_singles(self, beta, threshold)
    scaled = op.Mul(self, constant(beta))
    below = op.Div(log_of_one_and(self, op.Exp(scaled)), constant(beta))
    return op.Where(op.Greater(scaled, constant(threshold)), self, below)


_LOG_OF_LARGEST = math.log(float(np.finfo(np.float32).max))
"""The power of e by what is larger is infinite in single precision."""


def _softplus_of_singles(x: Value, beta: float, threshold: float) -> Value:
    """Return the softplus; ONNX's has no power that overflows, as PyTorch's has."""
    slope, most = (op.CastLike(value, x) for value in (beta, threshold))
    scaled = op.Mul(x, slope)
    log = op.Softplus(scaled)
    if threshold > _LOG_OF_LARGEST:
        infinity = op.CastLike(math.inf, x)
        log = op.Where(op.Greater(scaled, op.CastLike(_LOG_OF_LARGEST, x)), infinity, log)
    return op.Where(op.Greater(scaled, most), x, op.Div(log, slope))


def mish(self: Value) -> Value:
    """Translate ``mish``."""
    if self.dtype != ir.DataType.DOUBLE:
        return torchlib.aten_mish(self)
    return op.Mul(self, op.Tanh(log_of_one_and(self, op.Exp(self))))
