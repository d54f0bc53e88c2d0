"""Powers: of integers in integers, which wrap around; roots of zeros and infinities."""

from typing import Any

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, integer, is_float, op

_BITS: dict[Any, int] = {
    ir.DataType.INT8: 7,
    ir.DataType.UINT8: 8,
    ir.DataType.INT16: 15,
    ir.DataType.INT32: 31,
    ir.DataType.INT64: 63,
}
"""Integer types, and how many bits an exponent that is not negative may have."""


def pow_scalar(self: Value, exponent: float) -> Value:
    """Translate ``pow.Tensor_Scalar``: roots are NaN for minus infinity, and -0 for -0.

    Those of half precision are powers like others.
    """
    if not is_float(self):
        if not isinstance(exponent, float) and self.dtype in _BITS:
            return op.Cast(_multiplied(_wide(self), exponent), to=self.dtype)
        kind = ir.DataType.FLOAT if isinstance(exponent, float) else self.dtype
        self = op.Cast(self, to=kind)
    elif abs(exponent) == 0.5 and self.dtype != ir.DataType.FLOAT16:
        root = op.Sqrt(self)
        return root if exponent > 0 else op.Reciprocal(root)
    return op.Pow(self, op.Constant(value=ir.tensor(exponent, dtype=self.dtype)))


def pow_tensor(self: Value, exponent: Value) -> Value:
    """Translate ``pow.Tensor_Tensor``: ONNX Runtime has powers in double precision only."""
    if is_float(exponent) or self.dtype not in _BITS or exponent.dtype not in _BITS:
        return op.Pow(self if is_float(self) else op.CastLike(self, exponent), exponent)
    power = _integer_power(_wide(self), _wide(exponent), _BITS[exponent.dtype])
    return op.Cast(power, to=_common_type(self.dtype, exponent.dtype))


def pow_of_scalar(self: float, exponent: Value) -> Value:
    """Translate ``pow.Scalar``."""
    kind = exponent.dtype
    if isinstance(self, float) and not is_float(exponent):
        kind = ir.DataType.FLOAT
    elif kind == ir.DataType.BOOL:
        kind = ir.DataType.INT64
    if kind in _BITS:
        power = _integer_power(integer(int(self)), _wide(exponent), _BITS[kind])
        return op.Cast(power, to=kind)
    return op.Pow(op.Constant(value=ir.tensor(self, dtype=kind)), op.Cast(exponent, to=kind))


def _common_type(one: Any, other: Any) -> Any:
    """Return the integer type that takes the numbers of both."""
    if {one, other} == {ir.DataType.INT8, ir.DataType.UINT8}:
        return ir.DataType.INT16
    return max(one, other, key=_BITS.__getitem__)


def _wide(x: Value) -> Value:
    """Return integers that wrap around later than those of ``x``, or where they do."""
    return op.Cast(x, to=ir.DataType.INT64)


def _multiplied(base: Value, exponent: int) -> Value:
    """Return a power by squares."""
    if exponent < 0:
        raise NotImplementedError("powers of integers below 0: PyTorch raises")
    power = None
    while exponent:
        if exponent % 2:
            power = base if power is None else op.Mul(power, base)
        exponent //= 2
        base = op.Mul(base, base) if exponent else base
    return op.Add(op.Mul(base, integer(0)), integer(1)) if power is None else power


def _integer_power(base: Value, exponent: Value, bits: int) -> Value:
    """Return a power of 64-bit integers: 0 for exponents below 0, but for the bases 1 and -1."""
    zero, one, two = integer(0), integer(1), integer(2)
    is_inverse = op.Less(exponent, zero)
    is_unit = op.Equal(op.Abs(base), one)
    base = op.Where(op.And(is_inverse, op.Not(is_unit)), zero, base)
    odd = op.Where(is_unit, op.Mod(exponent, two), one)
    rest = op.Unsqueeze(op.Where(is_inverse, odd, exponent), _integers([-1]))
    places = _integers([2**bit for bit in range(bits)])
    is_set = op.Equal(op.Mod(op.Div(rest, places), two), one)
    power = one
    for bit in range(bits):
        chosen = op.Gather(is_set, integer(bit), axis=-1)
        power = op.Mul(power, op.Where(chosen, base, one))
        base = op.Mul(base, base)
    return power


def _integers(values: list[int]) -> Value:
    return op.Constant(value_ints=values)
