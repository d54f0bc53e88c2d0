"""Operators of truth values and of the bits of integers."""

from collections.abc import Callable
from typing import Any

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter, Kind
from dycl.backends.tvm.lowering import lower_pointwise, lowers, split_booleans, unsupported
from dycl.backends.tvm.tensors import Expression, Tensor


def _different(x: Expression, y: Expression) -> Expression:
    return formulas.different(formulas.cast(x, "int8"), formulas.cast(y, "int8"))


def _truth(function: Callable[..., Expression]) -> Callable[..., Expression]:
    return lambda *values: function(*(formulas.cast(value, "bool") for value in values))


lower_pointwise(_truth(tirx.all), "logical_and.default", kind=Kind.ALWAYS_BOOL)
lower_pointwise(_truth(tirx.any), "logical_or.default", kind=Kind.ALWAYS_BOOL)
lower_pointwise(_truth(_different), "logical_xor.default", kind=Kind.ALWAYS_BOOL)
lower_pointwise(_truth(formulas.negate), "logical_not.default", kind=Kind.ALWAYS_BOOL)
for _name, _booleans, _function in (
    ("and", tirx.all, tirx.bitwise_and),
    ("or", tirx.any, tirx.bitwise_or),
    ("xor", _different, tirx.bitwise_xor),
):
    lower_pointwise(
        split_booleans(_booleans, _function), f"bitwise_{_name}.Tensor", f"bitwise_{_name}.Scalar"
    )
lower_pointwise(split_booleans(formulas.negate, tirx.bitwise_not), "bitwise_not.default")


def _shifts(name: str, function: Callable[..., Expression]) -> None:
    operators = (f"__{name[0]}shift__", f"bitwise_{name}_shift")
    scalar_last = (f"{operators[0]}.Scalar", f"{operators[1]}.Tensor_Scalar")

    @lowers(*(f"{operator}.Tensor" for operator in operators), *scalar_last)
    def _shift(emitter: Emitter, x: Tensor, count: Any) -> Tensor:
        dtype = emitter.result.dtype
        if dtype.is_floating_point or dtype == torch.bool:
            raise unsupported(f"a shift of {dtype}")
        return emitter.pointwise(f"shift_{name}", function, (x, count))


_shifts("left", formulas.shifted_left)
_shifts("right", formulas.shifted_right)
