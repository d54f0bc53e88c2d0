"""What is certain of a quotient of sizes: ``2 * (u // 2)`` is ``u`` or one less."""

from collections.abc import Iterable

import sympy
from torch.utils._sympy.functions import FloorDiv

from rewriter.linear_rows import Row, row_of, terms_of
from rewriter.size_expressions import expanded


def quotient_rows(term: sympy.Basic) -> list[Row]:
    """Return the rows between which a quotient by a positive number lies; none of other terms."""
    parts = _parts(term)
    if parts is None:
        return []
    dividend, divisor = parts
    rest = dividend - divisor * term
    rows = (row_of(expanded(rest)), row_of(expanded(divisor - 1 - rest)))
    return [row for row in rows if row is not None]


def with_dividends(terms: Iterable[sympy.Basic]) -> frozenset[sympy.Basic]:
    """Return terms with those of which the quotients among them are quotients."""
    found: set[sympy.Basic] = set()
    pending = [*terms]
    while pending:
        term = pending.pop()
        if term not in found:
            found.add(term)
            pending += [each for row in quotient_rows(term) for each in terms_of(row[0])]
    return frozenset(found)


def _parts(term: sympy.Basic) -> tuple[sympy.Basic, sympy.Integer] | None:
    if not isinstance(term, FloorDiv):
        return None
    dividend, divisor = term.args
    plain = isinstance(divisor, sympy.Integer) and divisor > 0
    return (dividend, divisor) if plain else None
