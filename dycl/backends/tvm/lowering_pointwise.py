"""Operators that compute each element from the elements at the same place."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._prims_common import elementwise_dtypes
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import BAD_VALUE, Emitter, Kind
from dycl.backends.tvm.formulas import constant, dtype_of, is_float, libm
from dycl.backends.tvm.lowering import lower_pointwise, lowers, split_booleans, unsupported
from dycl.backends.tvm.operands import kind_of, zero
from dycl.backends.tvm.sizes import expression, is_number
from dycl.backends.tvm.tensors import Expression, Tensor, type_name

_FLOAT = Kind.INT_TO_FLOAT

for _name in (
    *("exp", "exp2", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh"),
    *("tanh", "asinh", "acosh", "atan", "asin", "acos", "sigmoid", "erf"),
):
    lower_pointwise(getattr(tirx, _name), f"{_name}.default", kind=_FLOAT)

lower_pointwise(libm("expm1"), "expm1.default", kind=_FLOAT)
lower_pointwise(libm("log1p"), "log1p.default", kind=_FLOAT)
lower_pointwise(libm("atanh"), "atanh.default", kind=_FLOAT)
lower_pointwise(libm("erfc"), "erfc.default", kind=_FLOAT)
lower_pointwise(libm("atan2"), "atan2.default", kind=_FLOAT)
lower_pointwise(libm("copysign"), "copysign.Tensor", "copysign.Scalar", kind=_FLOAT)
lower_pointwise(libm("nextafter"), "nextafter.default", kind=_FLOAT)
lower_pointwise(lambda x: _one(x) / tirx.sqrt(x), "rsqrt.default", kind=_FLOAT)
lower_pointwise(lambda x: _one(x) / x, "reciprocal.default", kind=_FLOAT)
lower_pointwise(lambda x, y: x / y, "div.Tensor", "div.Scalar", "true_divide.Tensor", kind=_FLOAT)


def _one(x: Expression) -> Expression:
    return constant(1, dtype_of(x))


def _zero(x: Expression) -> Expression:
    return constant(0, dtype_of(x))


def _rounding(function: Callable[[Expression], Expression]) -> Callable[[Expression], Expression]:
    return lambda x: function(x) if is_float(x) else x


for _name, _function in (
    ("floor", tirx.floor),
    ("ceil", tirx.ceil),
    ("trunc", tirx.trunc),
    ("round", tirx.nearbyint),
):
    lower_pointwise(_rounding(_function), f"{_name}.default")


def _absolute(x: Expression) -> Expression:
    if is_float(x):
        return tirx.abs(x)
    return x if dtype_of(x).startswith("u") else tirx.Select(x < 0, _zero(x) - x, x)


def _sign(x: Expression) -> Expression:
    above = formulas.cast(x > _zero(x), dtype_of(x))
    return above - formulas.cast(x < _zero(x), dtype_of(x))


def _negative(x: Expression) -> Expression:
    return x * constant(-1, dtype_of(x)) if is_float(x) else _zero(x) - x


lower_pointwise(_absolute, "abs.default")
lower_pointwise(_sign, "sign.default")
lower_pointwise(_negative, "neg.default")
lower_pointwise(lambda x: tirx.Select(x < _zero(x), _zero(x), x), "relu.default")
lower_pointwise(split_booleans(tirx.all, lambda x, y: x * y), "mul.Tensor", "mul.Scalar")
lower_pointwise(formulas.maximum, "maximum.default")
lower_pointwise(formulas.minimum, "minimum.default")


def _reflexive(compared: Expression, x: Expression) -> Expression:
    """Return a comparison that TVM takes to hold between a number and itself."""
    return tirx.all(compared, formulas.number(x)) if is_float(x) else compared


_COMPARISONS: dict[str, Callable[..., Expression]] = {
    "eq": formulas.equal,
    "ne": formulas.different,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: _reflexive(x <= y, x),
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: _reflexive(x >= y, x),
}


def _comparing(function: Callable[..., Expression]) -> Callable[..., Expression]:
    def compare(x: Expression, y: Expression) -> Expression:
        if dtype_of(x) == "bool":
            x, y = formulas.cast(x, "int8"), formulas.cast(y, "int8")
        return formulas.opaque(function(x, y)) if is_float(x) else function(x, y)

    return compare


def _of_rounded(
    emitter: Emitter,
    name: str,
    function: Callable[..., Expression],
    operands: Sequence[Any],
    kind: Kind = Kind.DEFAULT,
) -> Tensor:
    """Emit an operator of numbers that are rounded to the type which all have together.

    Computing with half precision takes place in single precision, which has more numbers.
    """
    kinds = (kind_of(x) for x in operands)
    common, _ = elementwise_dtypes(*kinds, type_promotion_kind=Kind.NO_OPMATH)
    if not common.is_floating_point:
        return emitter.pointwise(name, function, operands, kind)

    def of_rounded(*elements: Expression) -> Expression:
        narrow = type_name(common)
        return function(*(formulas.cast(formulas.cast(x, narrow), dtype_of(x)) for x in elements))

    return emitter.pointwise(name, of_rounded, [_rounded(x, common) for x in operands], kind)


def _rounded(operand: Any, kind: torch.dtype) -> Any:
    if not isinstance(operand, int | float):
        return operand
    return torch.tensor(float(operand), dtype=torch.double).to(kind).item()


def _lower_comparison(name: str, function: Callable[..., Expression]) -> None:
    def lowering(emitter: Emitter, x: Any, y: Any) -> Tensor:
        return _of_rounded(emitter, name, function, (x, y), Kind.ALWAYS_BOOL)

    lowers(f"{name}.Tensor", f"{name}.Scalar", blocks=True)(lowering)


for _name, _function in _COMPARISONS.items():
    _lower_comparison(_name, _comparing(_function))


lower_pointwise(formulas.is_nan, "isnan.default", kind=Kind.ALWAYS_BOOL)
lower_pointwise(formulas.has_sign, "signbit.default", kind=Kind.ALWAYS_BOOL)
lower_pointwise(
    lambda x: tirx.isinf(x) if is_float(x) else tirx.const(False, "bool"),
    "isinf.default",
    kind=Kind.ALWAYS_BOOL,
)


@lowers("add.Tensor", "add.Scalar", blocks=True)
def _add(emitter: Emitter, x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    function = split_booleans(tirx.any, lambda a, b: a + b)
    return _of_rounded(emitter, "add", function, _scaled(emitter, x, y, alpha))


@lowers("sub.Tensor", "sub.Scalar", blocks=True)
def _sub(emitter: Emitter, x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    return _of_rounded(emitter, "sub", formulas.difference, _scaled(emitter, x, y, alpha))


def _scaled(emitter: Emitter, x: Any, y: Any, alpha: Any) -> tuple[Any, Any]:
    if alpha == 1:
        return x, y
    if not isinstance(y, Tensor):
        return x, y * alpha
    return x, emitter.pointwise("scale", lambda a, b: a * b, (y, alpha))


_DIVISIONS = {"floor": formulas.floor_division, "trunc": formulas.truncated_division}


@lowers("div.Tensor_mode", "div.Scalar_mode")
def _divide(emitter: Emitter, x: Any, y: Any, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is None:
        return emitter.pointwise("div", lambda a, b: a / b, (x, y), _FLOAT)
    _require_divisor(emitter, x, y)
    return emitter.pointwise("div", _DIVISIONS[rounding_mode], (x, y))


@lowers("floor_divide.default")
def _floor_divide(emitter: Emitter, x: Any, y: Any) -> Tensor:
    return _divide(emitter, x, y, "floor")


@lowers("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def _remainder(emitter: Emitter, x: Any, y: Any) -> Tensor:
    _require_divisor(emitter, x, y)
    return emitter.pointwise("remainder", formulas.floored_remainder, (x, y))


@lowers("fmod.Tensor", "fmod.Scalar")
def _fmod(emitter: Emitter, x: Any, y: Any) -> Tensor:
    _require_divisor(emitter, x, y)
    return emitter.pointwise("fmod", formulas.truncated_remainder, (x, y))


def _require_divisor(emitter: Emitter, x: Any, y: Any) -> None:
    """Have a division of integers by zero raise, as it does in PyTorch."""
    if emitter.result.dtype.is_floating_point:
        return
    if isinstance(y, Tensor):
        emitter.require(
            lambda index, a: formulas.different(a(*index), _zero(a(*index))),
            [y],
            y.shape,
            BAD_VALUE,
        )
    elif is_number(y):
        emitter.sizes.demand(("not zero", y), tirx.NE(expression(y), zero()), "RuntimeError")
    elif y == 0:
        raise unsupported("a division of integers by the constant zero")


@lowers("pow.Tensor_Scalar")
def _power_of_number(emitter: Emitter, x: Tensor, exponent: Any) -> Tensor:
    whole = float(exponent).is_integer() and 0 <= exponent <= 8
    result = emitter.result.dtype
    has_roots = result != torch.float16  # PyTorch's of half precision are powers like others
    if not result.is_floating_point and not whole:
        raise unsupported(f"integers to the power of {exponent}")

    def power(base: Expression) -> Expression:
        dtype = dtype_of(base)
        if whole:
            return math.prod([base] * int(exponent)) if exponent else constant(1, dtype)
        if has_roots and abs(exponent) == 0.5:
            root = tirx.sqrt(base)
            return root if exponent > 0 else _one(base) / root
        return libm("pow")(base, constant(exponent, dtype))

    return emitter.pointwise("pow", power, (emitter.cast(x, result),), Kind.DEFAULT)


@lowers("pow.Tensor_Tensor", "pow.Scalar")
def _power(emitter: Emitter, x: Any, y: Any) -> Tensor:
    if not emitter.result.dtype.is_floating_point:
        raise unsupported("a power of integers that is not a constant")
    return emitter.pointwise("pow", libm("pow"), (x, y))


@lowers("clamp.default", "clamp.Tensor", "clamp_min.default", "clamp_min.Tensor", blocks=True)
def _clamp(emitter: Emitter, x: Tensor, lower: Any = None, upper: Any = None) -> Tensor:
    # the type of the result is that of all three together, whichever is applied first
    operands = [value for value in (x, lower, upper) if value is not None]

    def clamp(value: Expression, *bounds: Expression) -> Expression:
        rest = list(bounds)
        if lower is not None:
            value = formulas.maximum(value, rest.pop(0))
        return formulas.minimum(value, rest.pop(0)) if rest else value

    return emitter.pointwise("clamp", clamp, operands)


@lowers("clamp_max.default", "clamp_max.Tensor", blocks=True)
def _clamp_max(emitter: Emitter, x: Tensor, upper: Any) -> Tensor:
    return _clamp(emitter, x, None, upper)


@lowers("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar", blocks=True)
def _where(emitter: Emitter, condition: Tensor, x: Any, y: Any) -> Tensor:
    # promoted by the two values alone, so the condition is made one of their type
    result = emitter.result.dtype
    values = [
        emitter.cast(v, result) if isinstance(v, Tensor) else emitter.full((), v, result)
        for v in (x, y)
    ]
    return emitter.elementwise(
        "where",
        lambda c, a, b: tirx.Select(formulas.cast(c, "bool"), a, b),
        (condition, *values),
        result,
    )


@lowers("_to_copy.default", "prims.convert_element_type.default", blocks=True)
def _convert(emitter: Emitter, x: Tensor, *_dtype: Any, **_options: Any) -> Tensor:
    return emitter.cast(x, emitter.result.dtype)


@lowers("round.decimals")
def _round_to(emitter: Emitter, x: Tensor, decimals: int = 0) -> Tensor:
    def rounded(value: Expression) -> Expression:
        if not is_float(value):
            return value
        ten = tirx.const(float(10 ** abs(decimals)), dtype_of(value))
        if decimals >= 0:
            return tirx.nearbyint(value * ten) / ten
        return tirx.nearbyint(value / ten) * ten

    return emitter.pointwise("round", rounded, (x,))
