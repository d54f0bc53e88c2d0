"""What operators take and give: results as PyTorch sees them, numbers, and where they are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.run_time_sizes import is_one
from dycl.backends.tvm.sizes import Size, expression, is_known, is_number
from dycl.backends.tvm.tensors import Expression, Tensor


class Unsupported(Exception):
    """An operator, or a use of it, that has no lowering. The text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What PyTorch says that an operator returns (the first, of several)."""

    name: str
    meta: torch.Tensor

    @property
    def dtype(self) -> torch.dtype:
        """Return the element type."""
        return self.meta.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape, where compile time knows it."""
        if any(type(size) is not int for size in self.meta.shape):
            # converting such a size to a number would make it the example's, unseen
            raise Unsupported(f"the operator {self.name} with sizes known only at run time")
        return tuple(self.meta.shape)


def scalar(value: "bool | int | float | Size", dtype: str) -> Expression:
    """Return a number of an element type."""
    if is_number(value):
        return formulas.cast(expression(value), dtype)
    return formulas.constant(value, dtype)


def kind_of(operand: "Tensor | bool | int | float | Size") -> Any:
    """Return what PyTorch can decide about element types by."""
    if isinstance(operand, Tensor):
        return operand.meta
    return 0 if is_number(operand) else operand


def zero() -> Expression:
    """Return the index zero."""
    return tirx.IntImm("int64", 0)


def aligned(
    index: Sequence[Expression], shape: Sequence[Size], common: Sequence[Size]
) -> tuple[Expression, ...]:
    """Return where a tensor of ``shape`` is read that is broadcast to ``common``."""
    skipped = len(common) - len(shape)
    rows = zip(tuple(index)[skipped:], shape, common[skipped:], strict=True)
    return tuple(_place(i, size, whole) for i, size, whole in rows)


def _place(index: Expression, size: Size, whole: Size) -> Expression:
    if size == 1:
        return zero()
    if size == whole or is_known(size):
        return index
    return tirx.Select(is_one(expression(size)), zero(), index)
