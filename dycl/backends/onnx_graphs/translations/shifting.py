"""Shifts of bits: of bytes, too, and by as many places as there are, or more."""

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, integer, op

_WIDE = ir.DataType.INT64
_MOST = 63
"""By so many places a 64-bit integer is shifted until only its sign is left."""


def left_shift(self: Value, other: Value) -> Value:
    """Translate ``bitwise_left_shift.Tensor``."""
    return _left(_wide(self), _wide(other), self.dtype)


def left_shift_by_number(self: Value, other: int) -> Value:
    """Translate ``bitwise_left_shift.Tensor_Scalar``."""
    return _left(_wide(self), integer(other), self.dtype)


def left_shift_of_number(self: int, other: Value) -> Value:
    """Translate ``bitwise_left_shift.Scalar_Tensor``."""
    return _left(_wide(op.CastLike(integer(self), other)), _wide(other), other.dtype)


def right_shift(self: Value, other: Value) -> Value:
    """Translate ``bitwise_right_shift.Tensor``."""
    return _right(_wide(self), _wide(other), self.dtype)


def right_shift_by_number(self: Value, other: int) -> Value:
    """Translate ``bitwise_right_shift.Tensor_Scalar``."""
    return _right(_wide(self), integer(other), self.dtype)


def right_shift_of_number(self: int, other: Value) -> Value:
    """Translate ``bitwise_right_shift.Scalar_Tensor``."""
    return _right(_wide(op.CastLike(integer(self), other)), _wide(other), other.dtype)


def _left(x: Value, places: Value, kind: ir.DataType) -> Value:
    """Return 0 where all bits leave."""
    is_all = _are_too_many(places, kind)
    shifted = _shifted(x, op.Where(is_all, integer(0), places), "LEFT")
    return op.Cast(op.Where(is_all, integer(0), shifted), to=kind)


def _right(x: Value, places: Value, kind: ir.DataType) -> Value:
    """Fill up with the sign: of a negative number the opposite of each bit is shifted."""
    count = op.Where(_are_too_many(places, kind), integer(_MOST), places)
    is_negative = op.Less(x, integer(0))
    shifted = _shifted(op.Where(is_negative, op.BitwiseNot(x), x), count, "RIGHT")
    return op.Cast(op.Where(is_negative, op.BitwiseNot(shifted), shifted), to=kind)


def _are_too_many(places: Value, kind: ir.DataType) -> Value:
    """Return where PyTorch shifts by as many places as it can: negative ones are taken for that."""
    return op.Or(op.Less(places, integer(0)), op.GreaterOrEqual(places, integer(kind.bitwidth)))


def _shifted(x: Value, places: Value, direction: str) -> Value:
    bits, count = (op.Cast(each, to=ir.DataType.UINT64) for each in (x, places))
    return op.Cast(op.BitShift(bits, count, direction=direction), to=_WIDE)


def _wide(x: Value) -> Value:
    return op.Cast(x, to=_WIDE)
