"""Inequalities that cannot hold together, and numbers for those that can."""

import random

import sympy

from rewriter.linear_rows import Row, holds, row_of, solved
from rewriter.refutations import Refutations
from rewriter.related_rows import RelatedRows

A, B, C = sympy.symbols("u0:3", integer=True)


def _rows(*expressions: sympy.Basic) -> list[Row]:
    rows = [row_of(sympy.expand(expression)) for expression in expressions]
    return [row for row in rows if row is not None]


def _drawn(seed: int) -> list[Row]:
    draw = random.Random(seed)
    expressions = [
        sum(draw.choice((-2, -1, 0, 0, 1, 1)) * term for term in (A, B, C)) + draw.randint(-3, 3)
        for _ in range(draw.randint(2, 7))
    ]
    return _rows(*map(sympy.sympify, expressions))


def test_rows_that_can_hold_have_numbers() -> None:
    """What is found for the terms holds in every row."""
    rows = _rows(A - 3, B - A - 1, 7 - B)
    contradicts, numbers = solved(rows)
    assert not contradicts
    assert numbers is not None
    assert all(holds(row, numbers) for row in rows)


def test_rows_without_integers_between_have_no_numbers() -> None:
    """2a = 3 has no integers; that it cannot hold is found where it is rounded."""
    assert solved(_rows(2 * A - 3, 3 - 2 * A)) == (True, None)


def test_numbers_found_before_change_no_answer() -> None:
    """Whatever was asked before, an answer is what removing the terms says."""
    refutations = Refutations()
    for seed in range(300):
        rows = _drawn(seed)
        contradicts, numbers = solved(rows)
        assert refutations.contradict(rows) is contradicts
        assert numbers is None or all(holds(row, numbers) for row in rows)


def test_rows_are_found_through_others() -> None:
    """A row about a and b leads to one about b and c, not to one about d."""
    (d,) = sympy.symbols("u3:4", integer=True)
    one, two, three = _rows(A - B, B - C, d - 1)
    rows = RelatedRows([one, two, three])
    assert rows.about(frozenset({A})) == [one, two]
    assert rows.about(frozenset({d})) == [three]
    (more,) = _rows(d - A)
    rows.add([more])
    assert rows.about(frozenset({A})) == [one, more, two, three]
