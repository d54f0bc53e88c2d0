"""Linear inequalities between integers, and whether some of them can hold together.

A row ``(factors, constant)`` says that the sum of the factors times their terms, plus the
constant, is at least zero. Whether rows contradict each other is found by Fourier and Motzkin's
elimination: a term is removed by adding each row that bounds it from below to each that bounds it
from above. As terms are integers, a row is divided by what its factors have in common and its
constant is rounded down.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import gcd
from typing import TypeAlias

import sympy

Row: TypeAlias = tuple[frozenset[tuple[sympy.Basic, int]], int]

_MOST_ROWS = 60
_MOST_RELATED = 30


def row_of(expression: sympy.Basic) -> Row | None:
    """Return the row that says an expanded expression is at least zero.

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
    return tidied(factors, constant)


def tidied(factors: Mapping[sympy.Basic, int], constant: int) -> Row:
    """Return a row in its smallest numbers."""
    common = gcd(*factors.values()) or 1
    return frozenset((t, f // common) for t, f in factors.items() if f), constant // common


@lru_cache(maxsize=10_000)
def text_of(term: sympy.Basic) -> str:
    """Return what a term is ordered by; printing one takes long."""
    return str(term)


def related(row: Row, known: Iterable[Row]) -> list[Row]:
    """Return the rows that share a term with a row, or with another related one."""
    terms = {term for term, _ in row[0]}
    found: list[Row] = []
    left = list(known)
    while True:
        near = [each for each in left if any(term in terms for term, _ in each[0])]
        if not near or len(found) + len(near) > _MOST_RELATED:
            return found
        found += near
        left = [each for each in left if not any(term in terms for term, _ in each[0])]
        terms |= {term for each in near for term, _ in each[0]}


def contradict(rows: Iterable[Row]) -> bool:
    """Return whether rows certainly cannot hold together; False where that takes too long."""
    current = _strongest(rows)
    while current:
        if any(constant < 0 for factors, constant in current.items() if not factors):
            return True
        signs: dict[sympy.Basic, list[int]] = {}
        for factors in current:
            for term, factor in factors:
                signs.setdefault(term, [0, 0])[factor < 0] += 1
        if not signs:
            return False
        term = min(signs, key=lambda t: (signs[t][0] * signs[t][1] - sum(signs[t]), text_of(t)))
        current = _without(term, current)
        if len(current) > _MOST_ROWS:
            return False
    return False


def _strongest(rows: Iterable[Row]) -> dict[frozenset[tuple[sympy.Basic, int]], int]:
    """Return rows, of those with equal factors only that which says most."""
    found: dict[frozenset[tuple[sympy.Basic, int]], int] = {}
    for factors, constant in rows:
        found[factors] = min(constant, found.get(factors, constant))
    return found


def _without(
    term: sympy.Basic, rows: Mapping[frozenset[tuple[sympy.Basic, int]], int]
) -> dict[frozenset[tuple[sympy.Basic, int]], int]:
    """Return rows that follow, without a term."""
    lower: list[tuple[dict[sympy.Basic, int], int]] = []
    upper: list[tuple[dict[sympy.Basic, int], int]] = []
    others: list[Row] = []
    for factors, constant in rows.items():
        by_term = dict(factors)
        if term not in by_term:
            others.append((factors, constant))
        else:
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
