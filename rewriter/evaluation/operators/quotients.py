"""Sizes divided as floats, and what programs round them to: ``math.ceil(n / 4) * 4``.

Below 2 ** 52 a float of a quotient lies between the same integers as the quotient, and is one only
where that is: a number that is no integer is at least one part of the divisor away from any, and
the float is nearer. So what comes of it is an expression over sizes, and ``is_integer()`` a
relation between them.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import sympy

from rewriter.evaluation.run import Run
from rewriter.evaluation.tensors.size_relations import decided
from rewriter.evaluation.tensors.size_values import computed_size, size_of, sized
from rewriter.linear_rows import sum_of
from rewriter.size_expressions import expanded, expression_of
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value

_MOST = 1 << 52
_LARGEST_SIZE = 1 << 42
"""What a size of a tensor is taken to be less than: so many elements fit in no memory."""

Quotient = tuple[sympy.Basic, int]


def note_quotient(
    run: Run, function: Callable[..., Any], operands: tuple[Value, ...], result: ScalarValue
) -> None:
    """Record that a float is a size divided by a positive number, where it is."""
    if function is not operator.truediv or result.type is not float:
        return
    dividend, divisor = operands
    size = dividend.size if isinstance(dividend, ScalarValue) else None
    by = size_of(run, divisor) if isinstance(divisor, Known) else None
    if size is None or not isinstance(by, int) or by <= 0:
        return
    whole = expanded(expression_of(size))
    if _most_of(run, whole) + by < _MOST:
        run.sizes.quotients[result.name] = whole, by


def _most_of(run: Run, expression: sympy.Basic) -> int:
    """Return what the amount of an expression is surely no more than."""
    row = sum_of(expression)
    if row is None:
        return _MOST
    factors, constant = row
    return abs(constant) + sum(abs(factor) * _most_of_term(run, term) for term, factor in factors)


def _most_of_term(run: Run, term: sympy.Basic) -> int:
    low, high = run.sizes.bounds_of(term)
    if low is None:
        return _MOST
    if high is None and term in run.sizes.size_like and term not in run.number_symbols:
        high = _LARGEST_SIZE
    return _MOST if high is None else max(abs(low), abs(high))


def rounded(
    run: Run, state: State, function: object, given: Sequence[Value], result: Value
) -> Value:
    """Return what a function gives, as the size that it is where it rounds a quotient."""
    quotient = _quotient(run, given[0]) if len(given) == 1 else None
    if quotient is None or not isinstance(result, ScalarValue) or result.type is not int:
        return result
    whole, by = quotient
    if function is math.ceil:
        whole += by - 1
    elif function is not math.floor and not (
        function in (math.trunc, int) and decided(run, state, sympy.Ge(whole, 0))
    ):
        return result
    size = computed_size(run, state, operator.floordiv, (_value(run, whole), Known(by)))
    if size is None or isinstance(size, int):
        return result if size is None else Known(size)
    return sized(run, result, size)


def relation_of_integers(run: Run, state: State, number: Value) -> sympy.Basic | None:
    """Return the relation that holds where a quotient is an integer; None for all else."""
    quotient = _quotient(run, number)
    if quotient is None:
        return None
    whole, by = quotient
    rest = computed_size(run, state, operator.mod, (_value(run, whole), Known(by)))
    return None if rest is None else sympy.Eq(expression_of(rest), 0)


def _quotient(run: Run, number: Value) -> Quotient | None:
    return run.sizes.quotients.get(number.name) if isinstance(number, ScalarValue) else None


def _value(run: Run, expression: sympy.Basic) -> Value:
    size = run.sizes.made_of(expression)
    return Known(size) if isinstance(size, int) else ScalarValue("", int, size)
