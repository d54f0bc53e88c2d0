"""What a fact leaves of the sizes that a symbol may stand for."""

from collections.abc import Callable

import pytest
import sympy

from rewriter.program import SymbolRange
from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes

Fact = Callable[[sympy.Symbol], sympy.Basic]


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        (lambda n: sympy.Eq(2 * n, 6), SymbolRange(minimum=3, maximum=3)),
        (lambda n: sympy.Gt(n, 0), SymbolRange(minimum=1)),
        (lambda n: sympy.Ne(4 * n, 0), SymbolRange(minimum=1)),
        (lambda n: sympy.Ge(2 * n, 5), SymbolRange(minimum=3)),
        (lambda n: sympy.Gt(2 * n, 4), SymbolRange(minimum=3)),
        (lambda n: sympy.Lt(2 * n, 5), SymbolRange(maximum=2)),
        (lambda n: sympy.Lt(2 * n, 4), SymbolRange(maximum=1)),
        (lambda n: sympy.Le(n + 1, 5), SymbolRange(maximum=4)),
        (lambda n: sympy.Gt(7 - n, 4), SymbolRange(maximum=2)),
    ],
)
def test_a_linear_relation_of_one_size_leaves_a_range(fact: Fact, told: SymbolRange) -> None:
    sizes = Sizes()
    n = expression_of(sizes.new())
    assert sizes.told([fact(n)], []) == {str(n): told}
    assert all(
        (told.minimum <= size <= (told.maximum if told.maximum is not None else 20))
        == bool(fact(n).subs(n, size))
        for size in range(20)
    )


@pytest.mark.parametrize(
    "fact",
    [
        lambda n: sympy.Ne(n, 3),
        lambda n: sympy.Ge(n, 0),
        lambda n: sympy.Gt(n * n, 4),
        lambda n: sympy.Lt(n, 0),
        lambda n: sympy.Or(sympy.Gt(n, 4), sympy.Lt(n, 2)),
    ],
)
def test_what_leaves_no_range_tells_nothing(fact: Fact) -> None:
    sizes = Sizes()
    assert sizes.told([fact(expression_of(sizes.new()))], []) == {}


def test_a_number_that_may_be_negative_is_told_by_equations_alone() -> None:
    sizes = Sizes()
    n = expression_of(sizes.new(None))
    assert sizes.told([sympy.Lt(n, 5)], []) == {}
    assert sizes.told([sympy.Eq(n, 5)], []) == {str(n): SymbolRange(minimum=5, maximum=5)}


def test_what_facts_tell_together_is_one_range() -> None:
    sizes = Sizes()
    n = expression_of(sizes.new())
    told = sizes.told({sympy.Gt(n, 1), sympy.Lt(n, 9), sympy.Ne(n, 5)}, [])
    assert told == {str(n): SymbolRange(minimum=2, maximum=8)}


def test_the_value_of_a_symbol_lets_other_facts_tell_more() -> None:
    sizes = Sizes()
    h, w, d = (expression_of(sizes.new()) for _ in range(3))
    product = sympy.Eq(h * w, 12)
    four, three = (SymbolRange(minimum=n, maximum=n) for n in (4, 3))
    assert sizes.told([sympy.Eq(h, 4)], [product]) == {str(h): four, str(w): three}
    assert sizes.told([product], [sympy.Eq(h, 4)]) == {str(w): three}
    assert sizes.told([product], [sympy.Ge(h, 4)]) == {}
    assert sizes.told([sympy.Eq(h, 5)], [product, sympy.Gt(d, 2)]).keys() == {str(h), str(d)}
    chain = [product, sympy.Eq(d, w + 1)]
    assert sizes.told([sympy.Eq(h, 4)], chain)[str(d)] == four
