"""Facts about sizes, parted by the symbols that they have in common."""

import sympy

from rewriter.fact_parts import FactParts

A, B, C, D, E = sympy.symbols("u0:5", integer=True)


def test_facts_that_share_symbols_are_one_part() -> None:
    """Directly or through others, in whatever order they come."""
    chain = {sympy.Gt(A, B), sympy.Eq(C, D), sympy.Lt(B, C)}
    apart = {sympy.Gt(E, 3)}
    parts = FactParts(frozenset(chain | apart))
    for symbol in (A, B, C, D):
        assert parts.about([symbol]) == chain
    assert parts.about([E]) == apart
    assert parts.about([A, E]) == chain | apart


def test_nothing_is_known_of_a_new_symbol() -> None:
    """A symbol that no fact names has no facts."""
    assert FactParts(frozenset({sympy.Gt(A, B)})).about([C]) == frozenset()
