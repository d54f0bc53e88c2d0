"""Relations between sizes that follow from others."""

import random
from itertools import product

import pytest
import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, Max, Min

from rewriter.sizes import Sizes


def _symbols(count: int) -> tuple[Sizes, list[sympy.Symbol]]:
    sizes = Sizes()
    made: list[torch.SymInt] = [sizes.new() for _ in range(count)]
    return sizes, [size.node.expr for size in made]


def test_equal_sizes_are_one() -> None:
    """A = b, b = c: a = c, and what holds of c holds of a."""
    sizes, (a, b, c) = _symbols(3)
    sizes.facts = frozenset({sympy.Eq(a, b), sympy.Eq(b, c), sympy.Ge(c, 4)})
    assert sizes.decide(sympy.Eq(a, c)) is True
    assert sizes.decide(sympy.Ne(a, c)) is False
    assert sizes.decide(sympy.Gt(a, 3)) is True
    assert sizes.decide(sympy.Gt(a, 4)) is None


def test_bounds_on_both_sides_are_an_equation() -> None:
    """A <= 3 and a >= 3: a is 3."""
    sizes, (a, b) = _symbols(2)
    sizes.facts = frozenset({sympy.Le(3 - a, 0), sympy.Ge(3 - a, 0)})
    assert sizes.decide(sympy.Eq(a, 3)) is True
    assert sizes.decide(sympy.Lt(a + b, 3)) is False
    assert sizes.decide(sympy.Eq(b, 3)) is None


def test_sizes_are_integers() -> None:
    """A <= b and a != b: a < b."""
    sizes, (a, b) = _symbols(2)
    sizes.facts = frozenset({sympy.Le(a, b), sympy.Ne(a, b)})
    assert sizes.decide(sympy.Lt(a, b)) is True
    assert sizes.decide(sympy.Ge(a, b)) is False
    assert sizes.decide(sympy.Lt(a + 1, b)) is None


def test_the_range_of_a_replaced_size_stays() -> None:
    """B stands for a, which is at least 5."""
    sizes = Sizes()
    b, a = (sizes.new(low).node.expr for low in (0, 5))
    sizes.facts = frozenset({sympy.Eq(a, b)})
    assert sizes.decide(sympy.Ge(b, 5)) is True


@pytest.mark.parametrize("relation", [sympy.Eq, sympy.Lt, sympy.Gt])
def test_nothing_follows_from_nothing(relation: type[sympy.Basic]) -> None:
    """Two sizes of which nothing is known."""
    sizes, (a, b) = _symbols(2)
    assert sizes.decide(relation(a, b)) is None


def test_a_choice_within_a_quotient_stays_what_it_is() -> None:
    """With m = max(a, 3), 3 * (m // 2) is not what it is for 3; a choice may be a divisor."""
    sizes, (a, b) = _symbols(2)
    most, three = _max(0, a - b), _max(a, 3)
    assert sizes.decide(sympy.Ge(three - 3 * FloorDiv(three, 2), 0)) is None
    assert sizes.decide(sympy.Ge(FloorDiv(1, most), most - _max(0, most - 1))) is None
    assert sizes.decide(sympy.Ge(most, a - b)) is True


def _max(number: int | sympy.Basic, other: int | sympy.Basic) -> sympy.Basic:
    return Max(number, other)  # type: ignore[no-untyped-call]  # torch's own


def test_the_greatest_of_two_that_cannot_be_the_one_is_the_other() -> None:
    """With 0 <= a, b <= 16, max(0, b - a) >= 16 leaves a = 0 and b = 16."""
    sizes = Sizes()
    a, b = (sizes.new(0, 16).node.expr for _ in range(2))
    length = _max(0, b - a)
    sizes.facts = frozenset({sympy.Ge(length, 16)})
    assert sizes.decide(sympy.Eq(FloorDiv(length - 1, 2), 7)) is True
    assert sizes.decide(sympy.Eq(a, 0)) is True
    assert sizes.decide(sympy.Eq(b, 16)) is True
    sizes.facts = frozenset({sympy.Ge(length, 15)})
    assert sizes.decide(sympy.Ge(b - a, 15)) is True
    assert sizes.decide(sympy.Eq(a, 0)) is None
    sizes.facts = frozenset({sympy.Ge(length, 0)})
    assert sizes.decide(sympy.Ge(b - a, 0)) is None


@pytest.mark.parametrize("seed", range(4))
def test_least_and_greatest_against_enumeration(seed: int) -> None:
    """What is said of relations with the least and the greatest of sizes holds for all."""
    rng = random.Random(seed)
    sizes = Sizes()
    symbols = [sizes.new(0, 3).node.expr for _ in range(3)]

    def term() -> sympy.Basic:
        one, other = (
            rng.choice(symbols) * rng.choice((1, -1)) + rng.randrange(-2, 3) for _ in "ab"
        )
        return rng.choice((Max, Min))(one, rng.choice((other, rng.randrange(-1, 3))))

    kinds = (sympy.Eq, sympy.Ge, sympy.Le, sympy.Lt, sympy.Gt)
    for _ in range(6):
        facts = {
            fact
            for _ in range(2)
            if (fact := rng.choice(kinds)(term() - rng.choice((0, term())), rng.randrange(-1, 3)))
            not in (sympy.true, sympy.false)
        }
        sizes.facts = frozenset(facts)
        values = [dict(zip(symbols, n, strict=True)) for n in product(range(4), repeat=3)]
        fitting = [each for each in values if all(fact.xreplace(each) for fact in facts)]
        for question in (rng.choice(kinds)(term(), rng.randrange(-1, 3)) for _ in range(6)):
            answer = sizes.decide(question)
            assert answer is None or all(bool(question.xreplace(v)) == answer for v in fitting)


def test_a_quotient_lies_between_sizes() -> None:
    """2 * (a // 2) is a or one less, and larger sizes have no smaller quotients."""
    sizes, (a, b) = _symbols(2)
    half = FloorDiv(a, 2)
    assert sizes.decide(sympy.Le(2 * half, a)) is True
    assert sizes.decide(sympy.Lt(2 * half, a - 1)) is False
    assert sizes.decide(sympy.Lt(2 * half, a)) is None
    assert sizes.decide(sympy.Le(half, FloorDiv(a + b, 2))) is True
