"""What relations between sizes say together: equal ones replaced, inequalities, what differs."""

from collections.abc import Callable, Iterable
from math import gcd
from typing import TypeAlias

import sympy

from rewriter.facts_of_extremes import said_of_parts
from rewriter.linear_rows import (
    Row,
    less_one,
    negative,
    row_of,
    sum_of,
    terms_of,
    text_of,
)
from rewriter.quotients import quotient_rows, with_dividends
from rewriter.refutations import Refutations
from rewriter.related_rows import RelatedRows
from rewriter.size_expressions import expanded

Bounds: TypeAlias = Callable[[sympy.Basic], tuple[int | None, int | None]]
"""The least and the greatest value of a term, None where unknown."""


class KnownRelations:
    """A set of relations that hold, in a form in which others can be decided by it.

    Equations are solved for a symbol each (Gaussian elimination, where a coefficient is 1 or
    -1), and the symbol is replaced everywhere. All sizes are integers: what is at least zero
    and not zero is at least one.
    """

    def __init__(
        self, facts: frozenset[sympy.Basic], bounds: Bounds, refutations: Refutations
    ) -> None:
        self.facts = facts
        self._bounds = bounds
        self._refutations = refutations
        self._solved: dict[sympy.Basic, sympy.Basic] = {}
        self._entailed: dict[Row, bool] = {}
        self._bounding_rows: dict[sympy.Basic, list[Row]] = {}
        ordered = sorted(facts, key=text_of)  # a set of facts has no order of its own
        self._solve(f.args[0] - f.args[1] for f in ordered if isinstance(f, sympy.Eq))
        least = [known for fact in ordered for known in _at_least_zero_by(fact)]
        # bounds on both sides are an equation as well
        least += said_of_parts(least + [each for f in ordered for each in _zero_by(f)], bounds)
        found = dict.fromkeys(map(expanded, least))
        self._solve(e for e in found if expanded(-e) in found or bounds(e)[1] == 0)
        least += [bound for symbol in self._solved for bound in self._range(symbol)]
        reduced = dict.fromkeys(map(self.reduced, least))
        self._rows = RelatedRows(row for each in reduced if (row := row_of(each)))
        differing = dict.fromkeys(
            self.reduced(f.args[0] - f.args[1]) for f in ordered if isinstance(f, sympy.Ne)
        )
        self.apart = frozenset(differing)
        """Expressions that are not zero."""
        self._sharpen(list(differing))

    def _sharpen(self, differing: list[sympy.Basic]) -> None:
        """Add what follows where one of two sizes that differ cannot be the smaller one."""
        sums = [found for each in differing if (found := sum_of(each)) is not None]
        pending = dict.fromkeys(one for each in sums for one in (each, negative(each)))
        sharper: list[Row] | None = None
        while sharper is None or sharper:
            sharper = [each for each in pending if self._is_natural(each)]
            for each in sharper:
                del pending[each]
            self._rows.add(map(less_one, sharper))
            self._entailed.clear()

    def entails(self, expression: sympy.Basic) -> bool:
        """Return whether an expression is at least zero wherever all of this holds."""
        found = sum_of(expanded(expression))
        return found is not None and self._is_natural(found)

    def _is_natural(self, each: Row) -> bool:
        """Return whether a sum is at least zero: whether nothing holds if it is less."""
        if each not in self._entailed:
            self._entailed[each] = self._excludes(less_one(negative(each)))
        return self._entailed[each]

    def _excludes(self, row: Row) -> bool:
        rows = [row, *self._rows.about(with_dividends(terms_of(row[0])))]
        terms = frozenset[sympy.Basic]().union(*(terms_of(each[0]) for each in rows))
        for term in with_dividends(terms):
            rows += self._bounding(term)
        return self._refutations.contradict(rows)

    def _bounding(self, term: sympy.Basic) -> list[Row]:
        """Return the rows that a term's bounds are."""
        if term not in self._bounding_rows:
            low, high = self._bounds(term)
            below = [] if low is None else [(frozenset({(term, 1)}), -low)]
            above = [] if high is None else [(frozenset({(term, -1)}), high)]
            self._bounding_rows[term] = below + above + quotient_rows(term)
        return self._bounding_rows[term]

    def reduced(self, expression: sympy.Basic) -> sympy.Basic:
        """Return an expression with solved symbols replaced, expanded."""
        expression = expanded(expression)
        if not self._solved or not expression.free_symbols & self._solved.keys():
            return expression
        try:
            return expanded(expression.xreplace(self._solved))
        except ZeroDivisionError:  # a quotient of no size: it says nothing then
            return expression

    def _solve(self, zeros: Iterable[sympy.Basic]) -> None:
        for zero in zeros:
            expression = self.reduced(zero)
            expression = _smallest(expression)
            symbol = _solvable(expression)
            if symbol is None:
                continue
            solution = expanded(symbol - expression / expression.coeff(symbol))
            one = {symbol: solution}
            if symbol in solution.free_symbols and not _stays(solution, one):
                continue
            self._solved = {s: expanded(e.xreplace(one)) for s, e in self._solved.items()}
            self._solved[symbol] = solution

    def _range(self, symbol: sympy.Basic) -> list[sympy.Basic]:
        low, high = self._bounds(symbol)
        below = [] if low is None else [symbol - low]
        return below if high is None else [*below, high - symbol]


def _stays(solution: sympy.Basic, one: dict[sympy.Basic, sympy.Basic]) -> bool:
    """Return whether a solution is the same where it takes the place of its own symbol.

    ``4 * (n // 4)`` in the place of n is: so n is known to be a multiple wherever it is asked for.
    """
    try:
        return bool(expanded(solution.xreplace(one)) == solution)
    except ZeroDivisionError:
        return False


def _smallest(expression: sympy.Basic) -> sympy.Basic:
    """Return an expression that is zero where another is, divided by what its factors share."""
    factors = expression.as_coefficients_dict().values()
    if not all(factor.is_Integer for factor in factors):
        return expression
    common = gcd(*map(int, factors))
    return expanded(expression / common) if common > 1 else expression


def _solvable(expression: sympy.Basic) -> sympy.Symbol | None:
    """Return the newest symbol that an equation gives exactly, None where there is none.

    If possible one that nothing else in the equation has.
    """
    terms = expression.as_coefficients_dict()
    symbols = [t for t, factor in terms.items() if t.is_Symbol and factor in (1, -1)]
    alone = [t for t in symbols if sum(t in other.free_symbols for other in terms) == 1]
    return max(alone or symbols, key=lambda symbol: int(str(symbol)[1:]), default=None)


def _zero_by(fact: sympy.Basic) -> tuple[sympy.Basic, ...]:
    """Return an equation's difference and its opposite: both are at least zero."""
    if not isinstance(fact, sympy.Eq):
        return ()
    left, right = fact.args
    return left - right, right - left


def _at_least_zero_by(fact: sympy.Basic) -> Iterable[sympy.Basic]:
    """Return expressions that are at least zero where a relation holds."""
    if len(fact.args) != 2:
        return ()
    left, right = fact.args
    match fact:
        case sympy.Lt():
            return (right - left - 1,)
        case sympy.Le():
            return (right - left,)
        case sympy.Gt():
            return (left - right - 1,)
        case sympy.Ge():
            return (left - right,)
        case _:
            return ()
