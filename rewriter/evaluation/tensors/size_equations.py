"""Sizes that equations give: computed from the others, not tried at numbers of their own."""

from collections.abc import Iterable, Sequence

import sympy

Solutions = dict[sympy.Symbol, sympy.Basic]
"""Symbols with what gives them, in terms of symbols that are not among them."""


def solutions(symbols: Sequence[sympy.Symbol], facts: Iterable[sympy.Basic]) -> Solutions:
    """Solve the equations between symbols for one symbol each."""
    solved: Solutions = {}
    for fact in sorted(facts, key=str):  # a set of facts has no order of its own
        if not isinstance(fact, sympy.Eq) or not fact.free_symbols <= set(symbols):
            continue
        zero = sympy.expand((fact.args[0] - fact.args[1]).xreplace(solved))
        if len(zero.free_symbols) < 2 or (found := _solution(zero)) is None:
            continue
        symbol, solution = found
        one = {symbol: solution}
        solved = {s: sympy.expand(e.xreplace(one)) for s, e in solved.items()}
        solved[symbol] = solution
    return solved


def _solution(zero: sympy.Basic) -> tuple[sympy.Symbol, sympy.Basic] | None:
    """Solve for a symbol that is a sum of the others, where there is one: it is never negative."""
    terms = zero.as_coefficients_dict()
    found = [
        (term, sympy.expand(term - zero / factor))
        for term, factor in terms.items()
        if term.is_Symbol
        and factor in (1, -1)
        and sum(term in other.free_symbols for other in terms) == 1
    ]
    return min(found, key=lambda pair: (_subtracts(pair[1]), str(pair[0])), default=None)


def _subtracts(expression: sympy.Basic) -> bool:
    return any(factor < 0 for factor in expression.as_coefficients_dict().values())
