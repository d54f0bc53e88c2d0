"""Series in double precision, for functions of which ONNX has none of their own."""

from collections.abc import Sequence

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, is_float, op


def constant(value: float) -> Value:
    """Return a number in double precision."""
    return op.Constant(value=ir.tensor(np.array(value, dtype=np.float64)))


def as_double(x: Value) -> Value:
    """Return a value in double precision."""
    return x if x.dtype == ir.DataType.DOUBLE else op.Cast(x, to=ir.DataType.DOUBLE)


def rounded(found: Value, operand: Value) -> Value:
    """Return a result as PyTorch gives it for an operand: integers give single precision."""
    kind = operand.dtype if is_float(operand) else ir.DataType.FLOAT
    return found if kind == ir.DataType.DOUBLE else op.Cast(found, to=kind)


def polynomial(x: Value, factors: Sequence[float]) -> Value:
    """Return a polynomial by its factors, that of the highest power first."""
    found = constant(factors[0])
    for factor in factors[1:]:
        found = op.Add(op.Mul(found, x), constant(factor))
    return found


def chebyshev(x: Value, factors: Sequence[float]) -> Value:
    """Return half a Chebyshev series of ``x / 2``, as Cephes' ``chbevl`` does."""
    before = last = constant(0.0)
    found = constant(factors[0])
    for factor in factors[1:]:
        before, last = last, found
        found = op.Add(op.Sub(op.Mul(x, last), before), constant(factor))
    return op.Mul(constant(0.5), op.Sub(found, before))
