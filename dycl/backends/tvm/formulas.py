"""Scalar formulas: what one element of an operator's result is.

TVM simplifies ``x * 0`` to ``0`` and ``x + 0`` to ``x``, for floating-point numbers too, where
NaN, infinities and negative zero make that wrong. So a floating-point zero is never written
as one: ``constant`` writes it in a way that only LLVM, which keeps to IEEE 754, sees through.
"""

from collections.abc import Callable
from typing import Any

from tvm import te, tirx

Expression = Any

_BITS_OF = {"float16": "uint16", "float32": "uint32", "float64": "uint64"}
"""Unsigned: TVM widens constants of the types that it counts loops with."""

_SUFFIX = {"float32": "f", "float64": ""}


def constant(value: bool | int | float, dtype: str) -> Expression:
    """Return a number of an element type."""
    if dtype in _BITS_OF:
        return _float_zero(value, dtype) if value == 0 else tirx.const(float(value), dtype)
    if dtype == "bool":
        return tirx.const(bool(value), dtype)
    bits = _bits(dtype)
    wrapped = int(value) % 2**bits
    if dtype[0] != "u" and wrapped >= 2 ** (bits - 1):
        wrapped -= 2**bits
    return tirx.const(wrapped, dtype)


def _float_zero(value: float, dtype: str) -> Expression:
    bits = int(dtype.removeprefix("float"))
    negative = tirx.reinterpret(dtype, tirx.const(2 ** (bits - 1), _BITS_OF[dtype]))
    if str(float(value)).startswith("-"):
        return negative
    return negative * tirx.const(-1.0, dtype)


def dtype_of(value: Expression) -> str:
    """Return the element type of a scalar, as TVM spells it."""
    # an element of a tensor expression is not yet an expression itself
    return str(value.dtype if isinstance(value, te.TensorSlice) else value.ty.dtype)


def equal(left: Expression, right: Expression) -> Expression:
    """Return whether two scalars are equal, which NaN is not even to itself."""
    same = _plain(left == right)
    return tirx.all(same, number(left)) if is_float(left) else same


def number(value: Expression) -> Expression:
    """Return whether a number is not NaN."""
    return negate(is_nan(value))


def _plain(value: Expression) -> Expression:
    """Return an expression for what ``==`` gives, which also serves as Python's equality."""
    return value.asobject() if hasattr(value, "asobject") else value


def different(left: Expression, right: Expression) -> Expression:
    """Return whether two scalars are not equal, as NaN is to everything."""
    if dtype_of(left) == "bool":
        return _plain(left.astype("int8") != right.astype("int8"))
    if is_float(left):  # TVM's own operator calls NaN equal to everything
        return tirx.any(left < right, left > right, is_nan(left), is_nan(right))
    return _plain(left != right)


def negate(value: Expression) -> Expression:
    """Return whether a boolean is false.

    TVM turns ``not (x < y)`` into ``x >= y``, which NaN makes something else. It does not look
    into operations on bits.
    """
    return opaque(value, 1)


def opaque(value: Expression, flipped: int = 0) -> Expression:
    """Return a boolean that TVM does not simplify together with others."""
    bits = tirx.bitwise_xor(value.astype("int8"), tirx.const(flipped, "int8"))
    return _plain(bits != tirx.const(0, "int8"))


def same(value: Expression) -> Expression:
    """Return a scalar unchanged, in a way that TVM does not take for a copy it may leave out."""
    dtype = dtype_of(value)
    if dtype == "bool":
        return opaque(value)
    if dtype not in _BITS_OF:
        return tirx.bitwise_xor(value, constant(0, dtype))
    bits = tirx.reinterpret(_BITS_OF[dtype], value)
    return tirx.reinterpret(dtype, tirx.bitwise_xor(bits, tirx.const(0, _BITS_OF[dtype])))


def difference(left: Expression, right: Expression) -> Expression:
    """Return one scalar less another: TVM takes ``x - x`` for ``0``, which NaN is not."""
    return left - same(right) if is_float(left) else left - right


def is_float(value: Expression) -> bool:
    """Return whether an expression is a floating-point number."""
    return dtype_of(value).startswith("float")


def cast(value: Expression, dtype: str) -> Expression:
    """Convert as C does, but for booleans, which are whether a number is not zero."""
    current = dtype_of(value)
    if current == dtype:
        return value
    if dtype == "bool":
        return different(value, constant(0, current))
    if current == "bool":
        return tirx.Select(value, constant(1, dtype), constant(0, dtype))
    if current.startswith("float") and dtype in ("int8", "uint8", "int16"):
        return _whole(value, "int64").astype(dtype)
    if current.startswith("float") and dtype in ("int32", "int64"):
        return _whole(value, dtype)
    return value.astype(dtype)


def _whole(value: Expression, dtype: str) -> Expression:
    """Return an integer; the least one for what is NaN or too large, as processors do.

    Unless that is said, a compiler may take a number that is made an integer and a float again
    for the number without what is behind the point, which infinity has no trouble with.
    """
    if dtype_of(value) == "float16":
        value = value.astype("float32")
    end = float(2 ** (_bits(dtype) - 1))
    low, high = (constant(bound, dtype_of(value)) for bound in (-end, end))
    is_taken = tirx.all(value >= low, value < high)
    return tirx.Select(
        opaque(is_taken), value.astype(dtype), constant(-(2 ** (_bits(dtype) - 1)), dtype)
    )


def libm(name: str) -> Callable[..., Expression]:
    """Return a function of the C library, for what TVM approximates or lacks."""

    def call(*values: Expression) -> Expression:
        dtype = dtype_of(values[0])
        return tirx.call_pure_extern(dtype, name + _SUFFIX[dtype], *values)

    return call


_INFINITE_BITS = {"float16": 0x7C00, "float32": 0x7F800000, "float64": 0x7FF0000000000000}


def is_nan(value: Expression) -> Expression:
    """Return whether a number is NaN, which its bits say; no integer is."""
    dtype = dtype_of(value)
    if dtype not in _BITS_OF:
        return tirx.const(False, "bool")
    bits = tirx.reinterpret(_BITS_OF[dtype], value)
    magnitude = tirx.bitwise_and(bits, tirx.const(2 ** (int(dtype[5:]) - 1) - 1, _BITS_OF[dtype]))
    return magnitude > tirx.const(_INFINITE_BITS[dtype], _BITS_OF[dtype])


def has_sign(value: Expression) -> Expression:
    """Return whether a number is negative, which the bits of zeros and NaN tell, too."""
    dtype = dtype_of(value)
    if dtype not in _BITS_OF:
        return tirx.const(False, "bool") if dtype == "bool" else value < constant(0, dtype)
    bits = tirx.reinterpret(_BITS_OF[dtype], value)
    return bits >= tirx.const(2 ** (int(dtype[5:]) - 1), _BITS_OF[dtype])


def maximum(left: Expression, right: Expression) -> Expression:
    """Return the larger number; NaN where one of them is."""
    if dtype_of(left) == "bool":
        return tirx.any(left, right)
    # the left one is what a loop has found so far: the less is asked of it, the less is waited for
    larger = right >= left
    return tirx.Select(tirx.any(is_nan(right), larger) if is_float(left) else larger, right, left)


def minimum(left: Expression, right: Expression) -> Expression:
    """Return the smaller number; NaN where one of them is."""
    if dtype_of(left) == "bool":
        return tirx.all(left, right)
    smaller = right <= left
    return tirx.Select(tirx.any(is_nan(right), smaller) if is_float(left) else smaller, right, left)


def lowest(dtype: str) -> Expression:
    """Return what no number is less than."""
    if dtype in _BITS_OF:
        return tirx.const(float("-inf"), dtype)
    return tirx.const(False, dtype) if dtype == "bool" else tirx.min_value(dtype)


def highest(dtype: str) -> Expression:
    """Return what no number is greater than."""
    if dtype in _BITS_OF:
        return tirx.const(float("inf"), dtype)
    return tirx.const(True, dtype) if dtype == "bool" else tirx.max_value(dtype)


def safe_divisor(value: Expression) -> Expression:
    """Return a divisor of integers that cannot trap; a check reports the zero itself."""
    one = constant(1, dtype_of(value))
    return tirx.Select(equal(value, constant(0, dtype_of(value))), one, value)


def truncated_division(left: Expression, right: Expression) -> Expression:
    """Divide and drop what is behind the point."""
    if is_float(left):
        return tirx.trunc(left / right)
    dtype = dtype_of(left)
    quotient = tirx.truncdiv(left, safe_divisor(right))
    if dtype.startswith("u"):
        return quotient
    # the lowest number has no counterpart, and processors trap on dividing it by -1
    minus = equal(right, constant(-1, dtype))
    divisor = tirx.Select(minus, constant(1, dtype), safe_divisor(right))
    return tirx.Select(minus, constant(0, dtype) - left, tirx.truncdiv(left, divisor))


def floor_division(left: Expression, right: Expression) -> Expression:
    """Divide and round down, as PyTorch does it: from the remainder, for floats."""
    if not is_float(left):
        quotient = truncated_division(left, right)
        rest = left - quotient * right
        dtype = dtype_of(left)
        wrong = tirx.all(different(rest, constant(0, dtype)), different(rest < 0, right < 0))
        return tirx.Select(wrong, quotient - constant(1, dtype), quotient)
    dtype = dtype_of(left)
    nothing, one = constant(0, dtype), tirx.const(1.0, dtype)
    rest = libm("fmod")(left, right)
    quotient = (left - rest) / right
    wrong = tirx.all(different(rest, nothing), different(right < nothing, rest < nothing))
    quotient = tirx.Select(wrong, quotient - one, quotient)
    floored = tirx.floor(quotient)
    floored = tirx.Select(quotient - floored > tirx.const(0.5, dtype), floored + one, floored)
    floored = tirx.Select(
        equal(quotient, nothing), libm("copysign")(nothing, left / right), floored
    )
    return tirx.Select(equal(right, nothing), left / right, floored)


def truncated_remainder(left: Expression, right: Expression) -> Expression:
    """Return the remainder with the sign of the dividend."""
    if is_float(left):
        return libm("fmod")(left, right)
    return left - truncated_division(left, right) * right


def floored_remainder(left: Expression, right: Expression) -> Expression:
    """Return the remainder with the sign of the divisor."""
    rest = truncated_remainder(left, right)
    nothing = constant(0, dtype_of(left))
    wrong = tirx.all(different(rest, nothing), different(rest < nothing, right < nothing))
    return tirx.Select(wrong, rest + right, rest)


def shifted_left(value: Expression, count: Expression) -> Expression:
    """Move an integer's bits up; beyond its width, or by a negative number, nothing is left."""
    inside, places = _places(value, count)
    return tirx.Select(inside, value << places, constant(0, dtype_of(value)))


def shifted_right(value: Expression, count: Expression) -> Expression:
    """Move an integer's bits down; beyond its width, or by a negative number, its sign is left."""
    inside, places = _places(value, count)
    dtype = dtype_of(value)
    rest = (
        constant(0, dtype) if dtype.startswith("u") else value >> constant(_bits(dtype) - 1, dtype)
    )
    return tirx.Select(inside, value >> places, rest)


def _places(value: Expression, count: Expression) -> tuple[Expression, Expression]:
    """Return whether bits can be moved so far, and how far, 0 where not: processors differ."""
    nothing, dtype = constant(0, dtype_of(count)), dtype_of(value)
    inside = tirx.all(count >= nothing, count < constant(_bits(dtype), dtype))
    return inside, tirx.Select(inside, count, nothing)


def _bits(dtype: str) -> int:
    return int(dtype.removeprefix("u").removeprefix("int"))
