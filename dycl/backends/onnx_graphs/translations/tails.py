"""What the error function leaves of 1: as small as it is, where ``1 - erf(x)`` is 0."""

import math

from dycl.backends.onnx_graphs.translations.doubles import as_double, constant, rounded
from dycl.backends.onnx_graphs.translations.precise import ERFC_RATIO, erf_of, ratio
from dycl.backends.onnx_graphs.translations.values import Value, op

_FAR = 8.0
_ERFC_FAR = (
    (5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
     6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0),
    (1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
     1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0),
)  # fmt: skip
"""Cephes' ``ndtr.c``: factors of a numerator, and of a denominator, from 8 on."""
_LARGE = 1e8
"""From here on the inverse is all that counts."""


def erfc(self: Value) -> Value:
    """Translate ``erfc``."""
    return rounded(_erfc(as_double(self)), self)


def erfcx(self: Value) -> Value:
    """Translate ``special.erfcx``: the same times ``exp(x * x)``, which may be infinite."""
    x = as_double(self)
    near = op.Mul(op.Exp(op.Mul(x, x)), _erfc(x))
    return rounded(op.Where(op.Less(x, constant(1.0)), near, _scaled(op.Abs(x))), self)


def _erfc(x: Value) -> Value:
    size, one = op.Abs(x), constant(1.0)
    beyond = op.Mul(op.Exp(op.Neg(op.Mul(x, x))), _scaled(size))
    turned = op.Where(op.Less(x, constant(0.0)), op.Sub(constant(2.0), beyond), beyond)
    return op.Where(op.Less(size, one), op.Sub(one, erf_of(x)), turned)


def _scaled(size: Value) -> Value:
    """Return ``erfc(x) * exp(x * x)`` for numbers from 1 on."""
    large = constant(_LARGE)
    below = op.Where(op.Greater(size, large), large, size)
    near = op.Where(
        op.Less(below, constant(_FAR)), ratio(below, ERFC_RATIO), ratio(below, _ERFC_FAR)
    )
    inverse = op.Div(constant(1 / math.sqrt(math.pi)), size)
    return op.Where(op.Greater(size, large), inverse, near)
