"""Sizes and integers: numbers, or expressions of sympy where only run time knows them.

An expression is equal to another (``==``) only where they are equal whatever the symbols stand
for. So "not equal" means "not known to be": who needs to know more asks at run time.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, TypeAlias

import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, Max, Min, PythonMod
from tvm import tirx

Size: TypeAlias = Any
"""An int, or an integer of run time."""

Expression: TypeAlias = Any


class _Symbol(sympy.Dummy):  # type: ignore[misc]  # sympy has no types
    """An integer of run time, and the variable of TVM's that stands for it."""

    __slots__ = ("variable",)


def new_symbol(name: str, minimum: int | None = 0) -> Size:
    """Return a symbol, with a variable of TVM's that stands for it."""
    low = -1 if minimum is None else minimum
    bounds = {"positive": True} if low > 0 else {"nonnegative": True} if low == 0 else {}
    symbol = _Symbol(name, integer=True, **bounds)
    symbol.variable = tirx.Var(name, "int64")
    return symbol


def variable_of(symbol: Size) -> Expression:
    """Return the variable of TVM's that stands for a symbol."""
    return symbol.variable


def is_known(size: Size) -> bool:
    """Return whether compile time knows a size."""
    return isinstance(size, int | sympy.Integer)


def all_known(sizes: Iterable[Size]) -> bool:
    """Return whether compile time knows all sizes."""
    return all(map(is_known, sizes))


def is_number(value: object) -> bool:
    """Return whether a value is an integer of run time."""
    return isinstance(value, sympy.Expr)


def normal(size: Size) -> Size:
    """Return a size, as an int where it is known."""
    return int(size) if is_known(size) else size


def at_least(size: Size, other: Size) -> bool:
    """Return whether a size is known to be no less than another."""
    difference = size - other
    return bool(difference >= 0 if is_known(difference) else difference.is_nonnegative)


def product_of(sizes: Iterable[Size]) -> Size:
    """Return how many elements a shape has."""
    return normal(reduce(operator.mul, sizes, 1))


def total_of(sizes: Iterable[Size]) -> Size:
    """Return the sum of sizes."""
    return normal(reduce(operator.add, sizes, 0))


def dimensions(shape: Sequence[Size]) -> tuple[Expression, ...]:
    """Return sizes as TVM counts them: in 64 bits, so that no index overflows."""
    return tuple(map(expression, shape))


def expression(size: Size) -> Expression:
    """Return a size as an expression of TVM's."""
    if is_known(size):
        return tirx.IntImm("int64", int(size))
    if size.is_Symbol:
        return size.variable
    parts = [expression(part) for part in size.args]
    make = _EXPRESSIONS.get(size.func)
    if make is None:
        raise NotImplementedError(f"the size {size}")
    return reduce(make, parts)


def _power(base: Expression, exponent: Expression) -> Expression:
    count = int(exponent)
    if count < 1:
        raise NotImplementedError("a size with a negative power")
    return reduce(operator.mul, [base] * count)


_EXPRESSIONS: dict[Any, Callable[..., Expression]] = {
    sympy.Add: operator.add,
    sympy.Mul: operator.mul,
    sympy.Pow: _power,
    sympy.Max: tirx.max,
    sympy.Min: tirx.min,
    Max: tirx.max,
    Min: tirx.min,
    FloorDiv: tirx.floordiv,
    PythonMod: tirx.floormod,
}


def _sum(parts: Iterable[Size]) -> Size:
    return total_of(parts)


FUNCTIONS: dict[Any, Callable[..., Size]] = {
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: operator.mul,
    operator.neg: operator.neg,
    operator.floordiv: FloorDiv,
    operator.mod: PythonMod,
    torch.sym_min: Min,
    torch.sym_max: Max,
    torch.sym_sum: _sum,
}
"""What an exported program computes with integers, and how that is written here."""

IN_TEXTS: dict[str, Callable[..., Size]] = {
    "Min": Min,
    "Max": Max,
    "Mod": PythonMod,
    "FloorDiv": FloorDiv,
}
"""The functions in the text of a size."""
