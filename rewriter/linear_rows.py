"""Linear inequalities between integers, and whether some of them can hold together.

A row ``(factors, constant)`` says that the sum of the factors times their terms, plus the
constant, is at least zero. Whether rows contradict each other is found by Fourier and Motzkin's
elimination: a term is removed by adding each row that bounds it from below to each that bounds it
from above. As terms are integers, a row is divided by what its factors have in common and its
constant is rounded down.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import gcd
from typing import TypeAlias

import sympy

Factors: TypeAlias = frozenset[tuple[sympy.Basic, int]]
Row: TypeAlias = tuple[Factors, int]
Model: TypeAlias = dict[sympy.Basic, int]
"""Integers for terms."""

_Rows: TypeAlias = Mapping[Factors, int]

_MOST_ROWS = 60


@lru_cache(maxsize=50_000)
def sum_of(expression: sympy.Basic) -> Row | None:
    """Return the factors and the constant of an expanded expression.

    Products and functions of symbols are terms of their own. None where a factor is no integer.
    """
    factors: dict[sympy.Basic, int] = {}
    constant = 0
    for term, factor in expression.as_coefficients_dict().items():
        if not factor.is_Integer:
            return None
        if term.is_Integer:
            constant += int(term * factor)
        else:
            factors[term] = int(factor)
    return frozenset(factors.items()), constant


def row_of(expression: sympy.Basic) -> Row | None:
    """Return the row that says an expanded expression is at least zero, None where none can."""
    found = sum_of(expression)
    return None if found is None else tidied(dict(found[0]), found[1])


def negative(row: Row) -> Row:
    """Return a sum with all signs changed."""
    return frozenset((term, -factor) for term, factor in row[0]), -row[1]


def less_one(row: Row) -> Row:
    """Return the row that says a sum is at least one."""
    return tidied(dict(row[0]), row[1] - 1)


def tidied(factors: Mapping[sympy.Basic, int], constant: int) -> Row:
    """Return a row in its smallest numbers."""
    common = gcd(*factors.values()) or 1
    return frozenset((t, f // common) for t, f in factors.items() if f), constant // common


@lru_cache(maxsize=10_000)
def text_of(term: sympy.Basic) -> str:
    """Return what a term is ordered by; printing one takes long."""
    return str(term)


@lru_cache(maxsize=10_000)
def terms_of(factors: Factors) -> frozenset[sympy.Basic]:
    """Return the terms of a row."""
    return frozenset(term for term, _ in factors)


def holds(row: Row, numbers: Model) -> bool:
    """Return whether a row holds where terms are certain numbers, of those it has none for 0."""
    factors, constant = row
    return sum(factor * numbers.get(term, 0) for term, factor in factors) + constant >= 0


def solved(rows: Iterable[Row]) -> tuple[bool, Model | None]:
    """Return whether rows certainly cannot hold together, and else numbers they hold of.

    False and None where that takes too long, or no integers were found.
    """
    current = _strongest(rows)
    removed: list[tuple[sympy.Basic, _Rows]] = []
    while current:
        if any(constant < 0 for factors, constant in current.items() if not factors):
            return True, None
        term = _cheapest(current)
        if term is None:
            break
        removed.append((term, current))
        current = _without(term, current)
        if len(current) > _MOST_ROWS:
            return False, None
    return False, _put_back(removed)


def _cheapest(rows: _Rows) -> sympy.Basic | None:
    """Return the term whose removal leaves the fewest rows."""
    signs: dict[sympy.Basic, list[int]] = {}
    for factors in rows:
        for term, factor in factors:
            signs.setdefault(term, [0, 0])[factor < 0] += 1
    costs = {term: above * below - above - below for term, (above, below) in signs.items()}
    least = min(costs.values(), default=0)
    return min((term for term, cost in costs.items() if cost == least), key=text_of, default=None)


def _put_back(removed: Sequence[tuple[sympy.Basic, _Rows]]) -> Model | None:
    """Return an integer for each term that was removed, the last one first."""
    numbers: Model = {}
    for term, rows in reversed(removed):
        low, high = None, None
        for factors, constant in rows.items():
            if term not in terms_of(factors):
                continue
            by_term = dict(factors)
            factor = by_term.pop(term)
            rest = constant + sum(f * numbers.setdefault(t, 0) for t, f in by_term.items())
            if factor > 0:
                bound = -(rest // factor)
                low = bound if low is None else max(low, bound)
            else:
                bound = rest // -factor
                high = bound if high is None else min(high, bound)
        if low is not None and high is not None and low > high:
            return None
        numbers[term] = low if low is not None else min(0, high) if high is not None else 0
    return numbers


def _strongest(rows: Iterable[Row]) -> _Rows:
    """Return rows, of those with equal factors only that which says most."""
    found: dict[Factors, int] = {}
    for factors, constant in rows:
        found[factors] = min(constant, found.get(factors, constant))
    return found


def _without(term: sympy.Basic, rows: _Rows) -> _Rows:
    """Return rows that follow, without a term."""
    lower: list[tuple[dict[sympy.Basic, int], int]] = []
    upper: list[tuple[dict[sympy.Basic, int], int]] = []
    others: list[Row] = []
    for factors, constant in rows.items():
        if term not in terms_of(factors):
            others.append((factors, constant))
        else:
            by_term = dict(factors)
            (lower if by_term[term] > 0 else upper).append((by_term, constant))
    for below, least in lower:
        for above, most in upper:
            times, with_ = -above[term], below[term]
            summed = {t: times * f for t, f in below.items()}
            for t, f in above.items():
                summed[t] = summed.get(t, 0) + with_ * f
            left = {t: f for t, f in summed.items() if f}
            others.append(tidied(left, times * least + with_ * most))
    return _strongest(others)
