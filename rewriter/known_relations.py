"""What relations between sizes say together: equal ones replaced, inequalities, what differs."""

from collections.abc import Iterable, Mapping
from typing import Any

import sympy
from torch.utils._sympy.numbers import int_oo


class KnownRelations:
    """A set of relations that hold, in a form in which others can be decided by it.

    Equations are solved for a symbol each (Gaussian elimination, where a coefficient is 1 or
    -1), and the symbol is replaced everywhere. All sizes are integers: what is at least zero
    and not zero is at least one.
    """

    def __init__(self, facts: frozenset[sympy.Basic], ranges: Mapping[sympy.Symbol, Any]) -> None:
        self._solved: dict[sympy.Basic, sympy.Basic] = {}
        ordered = sorted(facts, key=str)  # a set of facts has no order of its own
        self._solve(f.args[0] - f.args[1] for f in ordered if isinstance(f, sympy.Eq))
        least = [known for fact in ordered for known in _at_least_zero_by(fact)]
        # bounds on both sides are an equation as well
        found = {sympy.expand(known) for known in least}
        self._solve(e for e in map(sympy.expand, least) if sympy.expand(-e) in found)
        least += [bound for symbol in self._solved for bound in _range(symbol, ranges)]
        inequalities = dict.fromkeys(map(self.reduced, least))
        differing = [self.reduced(f.args[0] - f.args[1]) for f in ordered if _differs(f)]
        self.apart = frozenset(differing)
        """Expressions that are not zero."""
        for each in differing:
            for expression in (each, sympy.expand(-each)):
                if expression in inequalities:
                    inequalities[sympy.expand(expression - 1)] = None
        self.at_least_zero = tuple(e for e in inequalities if e.free_symbols)
        """Expressions that are zero or more."""

    def reduced(self, expression: sympy.Basic) -> sympy.Basic:
        """Return an expression with solved symbols replaced, expanded."""
        expression = sympy.expand(expression)
        if not self._solved or not expression.free_symbols & self._solved.keys():
            return expression
        return sympy.expand(expression.xreplace(self._solved))

    def _solve(self, zeros: Iterable[sympy.Basic]) -> None:
        for zero in zeros:
            expression = self.reduced(zero)
            symbol = _solvable(expression)
            if symbol is None:
                continue
            solution = sympy.expand(symbol - expression / expression.coeff(symbol))
            one = {symbol: solution}
            self._solved = {s: sympy.expand(e.xreplace(one)) for s, e in self._solved.items()}
            self._solved[symbol] = solution


def _solvable(expression: sympy.Basic) -> sympy.Symbol | None:
    """Return the newest symbol that an equation gives exactly, None where there is none."""
    terms = expression.as_coefficients_dict()
    symbols = [
        term
        for term, factor in terms.items()
        if term.is_Symbol
        and factor in (1, -1)
        and sum(term in other.free_symbols for other in terms) == 1
    ]
    return max(symbols, key=lambda symbol: int(str(symbol)[1:]), default=None)


def _range(symbol: sympy.Basic, ranges: Mapping[sympy.Symbol, Any]) -> list[sympy.Basic]:
    bounds = ranges.get(symbol)
    if bounds is None:
        return []
    below = [] if bounds.lower == -int_oo else [symbol - bounds.lower]
    return below if bounds.upper == int_oo else [*below, bounds.upper - symbol]


def _differs(fact: sympy.Basic) -> bool:
    return isinstance(fact, sympy.Ne)


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
