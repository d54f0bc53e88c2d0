"""Expressions at numbers: computed plainly, they are what sympy makes of them."""

import random

import pytest
import sympy
from torch.utils._sympy.functions import FloorDiv, Max, Min, PythonMod

from rewriter.size_numbers import holds_at, integer_at

SYMBOLS = [sympy.Symbol(f"u{n}", integer=True) for n in range(3)]
BINARY = (sympy.Add, sympy.Mul, Max, Min)
DIVIDING = (FloorDiv, PythonMod)
RELATIONS = (sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge)


def expression(draw: random.Random, depth: int) -> sympy.Basic:
    """Return a random expression over the symbols."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice([*SYMBOLS, sympy.Integer(draw.randint(-4, 9))])
    if draw.random() < 0.2:
        divisor = sympy.Integer(draw.choice([1, 2, 3, 5]))
        return draw.choice(DIVIDING)(expression(draw, depth - 1), divisor)
    return draw.choice(BINARY)(expression(draw, depth - 1), expression(draw, depth - 1))


@pytest.mark.parametrize("seed", range(40))
def test_integers_are_those_of_sympy(seed: int) -> None:
    draw = random.Random(seed)
    made = expression(draw, 3)
    numbers = {symbol: draw.randint(-5, 9) for symbol in SYMBOLS}
    substituted = made.xreplace({s: sympy.Integer(n) for s, n in numbers.items()})
    assert integer_at(made, numbers) == int(substituted)


@pytest.mark.parametrize("seed", range(40))
def test_relations_hold_where_sympy_says_so(seed: int) -> None:
    draw = random.Random(seed)
    one, two = (draw.choice(RELATIONS)(expression(draw, 2), expression(draw, 2)) for _ in range(2))
    numbers = {symbol: draw.randint(-5, 9) for symbol in SYMBOLS}
    whole = {s: sympy.Integer(n) for s, n in numbers.items()}
    for made in (one, sympy.Not(one), sympy.And(one, two), sympy.Or(one, two)):
        assert holds_at(made, numbers) == bool(made.xreplace(whole))


def test_a_symbol_without_a_number_leaves_an_expression() -> None:
    one, two, _ = SYMBOLS
    assert integer_at(one + two, {one: 1}) is None
    assert integer_at(one * 0 + 4, {}) == 4
    assert not holds_at(sympy.Lt(one, two), {one: 1})


def test_what_divides_by_zero_does_not_hold() -> None:
    one, two, _ = SYMBOLS
    assert not holds_at(sympy.Ge(FloorDiv(one, two), 0), {one: 4, two: 0})
    assert holds_at(sympy.Eq(FloorDiv(one, two), -2), {one: -3, two: 2})
    assert integer_at(FloorDiv(two, one), {one: 0, two: 3}) is None
