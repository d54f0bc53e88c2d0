"""What the facts of a path fix is what every solution has: against enumeration."""

import itertools
import random

import pytest
import sympy

from rewriter.evaluation.tensors.fixed_sizes import fixed_sizes
from rewriter.evaluation.tensors.impossible_sizes import contradict
from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes

_NUMBERS = range(7)
_KINDS = (sympy.Eq, sympy.Ne, sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt)


def _fact(rng: random.Random, symbols: list[sympy.Symbol]) -> sympy.Basic:
    total = sum(
        rng.choice((-2, -1, 1, 1, 3)) * symbol
        for symbol in rng.sample(symbols, rng.choice((1, 1, 2)))
    )
    return rng.choice(_KINDS)(total, rng.randrange(-4, 10))


@pytest.mark.parametrize("seed", range(15))
def test_against_enumeration(seed: int) -> None:
    """No facts without a solution are needed to be found, but what is said holds for all."""
    rng = random.Random(seed)
    sizes = Sizes()
    symbols = [expression_of(sizes.new(0, 6)) for _ in range(3)]
    end = expression_of(sizes.end_of_slice(sizes.new(0, 6), 4))
    bound = next(iter(sizes.bounds[end][0].free_symbols))
    facts = frozenset(_fact(rng, [*symbols, bound, end]) for _ in range(rng.randrange(2, 7)))
    solutions = []
    for numbers in itertools.product(_NUMBERS, repeat=4):
        values = dict(zip([*symbols, bound], numbers, strict=True))
        values[end] = len(range(4)[: values[bound]])
        if all(fact.subs(values) == sympy.true for fact in facts):
            solutions.append(values)
    assert not (solutions and contradict(facts, sizes))
    found = fixed_sizes(symbols, sizes, facts)
    if found is None:
        assert not solutions
    else:
        assert all(each[s] == n for each in solutions for s, n in found.items())


def test_two_tests_leave_one_number() -> None:
    """Of three sizes that make 9, two are 0: the third is 9, and no other."""
    sizes = Sizes()
    a, b, c = (expression_of(sizes.new()) for _ in range(3))
    facts = frozenset({sympy.Eq(a + b + c, 9), sympy.Le(a, 0), sympy.Lt(b, 1)})
    assert fixed_sizes([a, b, c], sizes, facts) == {a: 0, b: 0, c: 9}
    assert fixed_sizes([a, b, c], sizes, facts | {sympy.Le(c, 8)}) is None
