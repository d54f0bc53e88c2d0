"""Orders of sizes (``u0 <= u1``), made without asking sympy what cannot be known.

Sympy first tries to find out from its assumptions whether an inequality holds. Of sums of symbols
that may be any integer it finds nothing, after a millisecond.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

import sympy

Order: TypeAlias = "type[sympy.Lt] | type[sympy.Le] | type[sympy.Gt] | type[sympy.Ge]"


def order(kind: Order, left: sympy.Basic, right: sympy.Basic) -> sympy.Basic:
    """Return an order of two sizes, as sympy makes it: a truth where that is certain."""
    return kind(left, right, evaluate=not _is_open(left, right))


def replaced(relation: sympy.Basic, replacement: Mapping[sympy.Symbol, sympy.Basic]) -> sympy.Basic:
    """Return a relation with other sizes in the place of symbols."""
    if not isinstance(relation, sympy.Lt | sympy.Le | sympy.Gt | sympy.Ge):
        return relation.xreplace(replacement)
    left, right = (part.xreplace(replacement) for part in relation.args)
    return order(relation.func, left, right)


def _is_open(left: sympy.Basic, right: sympy.Basic) -> bool:
    """Return whether two sizes differ by a sum of symbols, each of which may be any integer."""
    factors: Counter[sympy.Basic] = Counter(left.as_coefficients_dict())
    factors.subtract(right.as_coefficients_dict())
    del factors[sympy.S.One]
    terms = [term for term, factor in factors.items() if factor != 0]
    return bool(terms) and all(map(_is_any_integer, terms))


def _is_any_integer(term: sympy.Basic) -> bool:
    return bool(term.is_Symbol and term.is_integer) and term.is_extended_nonnegative is None
