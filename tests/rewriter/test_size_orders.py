"""Orders of sizes are what sympy makes of them."""

import random

import pytest
import sympy

from rewriter.size_orders import order, replaced

KINDS = (sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge)
A, B, C = sympy.symbols("a b c", integer=True)
TERMS = (A, B, C, A * B, A**2, sympy.Mod(A, 3), sympy.Max(A, B), sympy.floor(A / 2))


def _sum(draw: random.Random) -> sympy.Basic:
    chosen = draw.sample(TERMS[: draw.choice((3, len(TERMS)))], draw.randint(0, 3))
    parts = [draw.choice((-3, -1, 1, 2)) * term for term in chosen]
    return sympy.Add(*parts, draw.randint(-2, 2))


@pytest.mark.parametrize("seed", range(150))
def test_order_is_what_sympy_makes(seed: int) -> None:
    draw = random.Random(seed)
    left, right = _sum(draw), _sum(draw)
    for kind in KINDS:
        assert order(kind, left, right) == kind(left, right)
        replacement = {A: _sum(draw), B: _sum(draw)}
        relation = kind(left, right)
        assert replaced(relation, replacement) == relation.xreplace(replacement)


def test_order_that_symbols_tell_is_a_truth() -> None:
    natural = sympy.Symbol("n", integer=True, nonnegative=True)
    assert order(sympy.Ge, natural, sympy.S.Zero) == sympy.true
    assert order(sympy.Lt, A, A + 1) == sympy.true
    assert order(sympy.Gt, A, A) == sympy.false
    assert order(sympy.Le, A, B) == (A <= B)
