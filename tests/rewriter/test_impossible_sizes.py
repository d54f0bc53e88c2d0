"""Facts about sizes that contradict each other in each case of where a slice ends."""

import sympy
from torch.utils._sympy.functions import Max

from rewriter.evaluation.tensors.impossible_sizes import contradict
from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes


def _most(size: sympy.Basic) -> sympy.Basic:
    found: sympy.Basic = Max(0, size)  # type: ignore[no-untyped-call]
    return found


def _row_of_a_table(
    sizes: Sizes, length: int
) -> tuple[sympy.Basic, sympy.Basic, sympy.Basic, frozenset[sympy.Basic]]:
    """Return the symbols of ``table[n + 5 : n + 6, : n + 6]``, and that the table has it."""
    count = sizes.new(0)
    start = expression_of(sizes.end_of_slice(count + 5, length))
    end = expression_of(sizes.end_of_slice(count + 6, length))
    number = expression_of(count)
    return number, start, end, frozenset({sympy.Eq(end, number + 6)})


def test_one_row_of_those_that_are_there() -> None:
    """Where the table is as long as the last row's place, it has that row."""
    sizes = Sizes()
    _, start, end, facts = _row_of_a_table(sizes, 32)
    assert contradict(facts | {sympy.Ne(_most(end - start), 1)}, sizes)
    assert not contradict(facts | {sympy.Eq(_most(end - start), 1)}, sizes)


def test_one_of_several_facts_is_wrong() -> None:
    """A choice contradicts where each of its parts does."""
    sizes = Sizes()
    number, start, end, facts = _row_of_a_table(sizes, 32)
    other = sympy.Or(sympy.Ne(end, number + 6), sympy.Ne(_most(end - start), 1))
    assert contradict(facts | {other}, sizes)
    assert not contradict(facts | {sympy.Or(other, sympy.Gt(number, 3))}, sizes)


def test_bounds_that_count_from_the_end() -> None:
    """``[:-1]`` leaves out one, or nothing is there."""
    sizes = Sizes()
    count = sizes.new(0)
    size = expression_of(count)
    end = expression_of(sizes.end_of_slice(-1, count))
    wrong = frozenset({sympy.Ne(end, size - 1)})
    assert contradict(wrong | {sympy.Ge(size, 1)}, sizes)
    assert not contradict(wrong, sizes)


def test_what_is_asked_is_forgotten() -> None:
    """The facts of the path stay what they were."""
    sizes = Sizes()
    count = expression_of(sizes.new(0))
    sizes.facts = frozenset({sympy.Ge(count, 2)})
    assert contradict(frozenset({sympy.Ge(count, 3), sympy.Le(count, 2)}), sizes)
    assert sizes.facts == {sympy.Ge(count, 2)}
    assert sizes.decide(sympy.Le(sympy.Integer(1), sympy.Integer(2)))
