"""Expressions over sizes at numbers, computed plainly.

Operations are tried at many small numbers, and substituting in sympy costs a hundred times what the
sum of two integers does.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import sympy
from torch.utils._sympy.functions import FloorDiv, Max, Min, PythonMod

Numbers = Mapping[sympy.Basic, int]


class _Unknown(Exception):
    """An expression that only sympy computes."""


def _power(parts: Sequence[int]) -> int:
    base, exponent = parts
    if exponent < 0:
        raise _Unknown
    return int(base**exponent)


def _of_divisor(function: Callable[[int, int], int]) -> Callable[[Sequence[int]], int]:
    def divided(parts: Sequence[int]) -> int:
        number, divisor = parts
        if divisor == 0:
            raise _Unknown
        return function(number, divisor)

    return divided


def _of_two(function: Callable[[int, int], bool]) -> Callable[[Sequence[int]], bool]:
    return lambda parts: function(*parts)


_RULES: dict[type, Callable[[Sequence[Any]], Any]] = {
    sympy.Add: sum,
    sympy.Mul: lambda parts: reduce(operator.mul, parts),
    sympy.Pow: _power,
    Max: max,
    Min: min,
    FloorDiv: _of_divisor(operator.floordiv),
    PythonMod: _of_divisor(operator.mod),
    sympy.Eq: _of_two(operator.eq),
    sympy.Ne: _of_two(operator.ne),
    sympy.Lt: _of_two(operator.lt),
    sympy.Le: _of_two(operator.le),
    sympy.Gt: _of_two(operator.gt),
    sympy.Ge: _of_two(operator.ge),
    sympy.And: all,
    sympy.Or: any,
    sympy.Not: lambda parts: not parts[0],
}


def integer_at(expression: sympy.Basic, numbers: Numbers) -> int | None:
    """Return the integer that an expression is at numbers; None where it is none."""
    try:
        return int(_at(expression, numbers))
    except _Unknown:
        pass
    try:
        found = _in_sympy(expression, numbers)
    except ZeroDivisionError:
        return None
    return None if found.free_symbols else int(found)


def holds_at(relation: sympy.Basic, numbers: Numbers) -> bool:
    """Return whether a relation holds at numbers; one that divides by zero does not."""
    if isinstance(relation, sympy.Or):
        return any(holds_at(part, numbers) for part in relation.args)
    if isinstance(relation, sympy.And):
        return all(holds_at(part, numbers) for part in relation.args)
    try:
        return bool(_at(relation, numbers))
    except _Unknown:
        pass
    try:
        return bool(_in_sympy(relation, numbers) == sympy.true)
    except ZeroDivisionError:
        return False


def _at(expression: sympy.Basic, numbers: Numbers) -> Any:
    if expression.is_Symbol:
        if expression not in numbers:
            raise _Unknown
        return int(numbers[expression])
    if expression.is_Integer:
        return int(expression)
    rule = _RULES.get(type(expression))
    if rule is None:
        if expression in (sympy.true, sympy.false):
            return expression == sympy.true
        raise _Unknown
    return rule([_at(part, numbers) for part in expression.args])


def _in_sympy(expression: sympy.Basic, numbers: Numbers) -> sympy.Basic:
    found: sympy.Basic = expression.xreplace(
        {symbol: sympy.Integer(number) for symbol, number in numbers.items()}
    )
    return found
