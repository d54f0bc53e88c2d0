"""Numbers for sizes that relations allow are found step by step, where there are some."""

from collections.abc import Callable
from typing import Any

import pytest
import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._sympy.functions import FloorDiv, Max

from rewriter.evaluation.tensors.size_grid import all_hold, is_possible, valuations
from rewriter.evaluation.tensors.size_search import distance
from rewriter.size_expressions import expression_of
from rewriter.sizes import Sizes

Made = Callable[[Sizes], tuple[list[sympy.Symbol], set[sympy.Basic]]]


def _of_a_window(begin: sympy.Basic, end: sympy.Basic) -> sympy.Basic:
    """Return how many rows a convolution of stride 2 makes of a part."""
    length: Any = Max  # untyped in PyTorch
    return FloorDiv(length(0, end - begin) - 1, 2) + 1


def _product(sizes: Sizes) -> tuple[list[sympy.Symbol], set[sympy.Basic]]:
    symbols = [expression_of(sizes.new(0, 17)) for _ in range(4)]
    area = _of_a_window(*symbols[:2]) * _of_a_window(*symbols[2:])
    return symbols, {sympy.Eq(2 * area, 32)}


def _tied(sizes: Sizes) -> tuple[list[sympy.Symbol], set[sympy.Basic]]:
    part = sizes.end_of_slice(sizes.new(), 120)
    rows = expression_of(sizes.end_of_slice(part, sizes.new()))
    part = expression_of(part)
    return [part, rows], {sympy.Eq(part, rows), part > 100}


def _one_of_two(sizes: Sizes) -> tuple[list[sympy.Symbol], set[sympy.Basic]]:
    one, two = (expression_of(sizes.new()) for _ in range(2))
    return [one, two], {sympy.Or(one > 50, two > 70), one < 40, sympy.Ne(two * one, 71)}


@pytest.mark.parametrize("made", [_product, _tied, _one_of_two])
def test_sizes_that_are_far_from_small(made: Made) -> None:
    """What is found fits, and there is more than one example of it."""
    sizes = Sizes()
    symbols, facts = made(sizes)
    found = valuations(symbols, sizes, frozenset(facts))
    assert len(found) > 1
    assert all(all_hold(facts, values) for values in found)


def test_of_a_sum_that_is_not_small() -> None:
    """A size that is others together, which are over 40, has no number that facts exclude."""
    sizes = Sizes()
    one, two, both = (expression_of(sizes.new(least)) for least in (0, 0, None))
    facts = frozenset({sympy.Eq(both, one + two), one + two > 40})
    numbers = [values[both] for values in valuations([both], sizes, facts)]
    assert len(numbers) > 1
    assert min(numbers) == 41


def test_none_where_there_are_none() -> None:
    """A search comes to an end where nothing fits."""
    sizes = Sizes()
    one, two = (expression_of(sizes.new(0)) for _ in range(2))
    assert not valuations([one, two], sizes, frozenset({sympy.Eq(one * two, -3)}))


def test_distance_is_nothing_only_where_a_relation_holds() -> None:
    """Relations that are missed by nothing hold."""
    size = expression_of(Sizes().new())
    relations = [size > 3, size <= 3, sympy.Ne(size, 4), sympy.And(size > 1, size < 5)]
    for relation in [*relations, sympy.Or(size < 2, sympy.Eq(size, 7))]:
        for number in range(9):
            holds = relation.subs(size, number) == sympy.true
            assert (distance(relation, {size: number}) == 0) == holds


def test_no_part_begins_before_its_memory() -> None:
    """Sizes at which a part would begin below 0 are none that there can be."""
    sizes = Sizes()
    start, end = sizes.new(), sizes.new()
    with FakeTensorMode(shape_env=sizes, allow_non_fake_inputs=True):
        part = torch.empty(8).as_strided((2,), (1,), end - start)
    first, last = map(expression_of, (start, end))
    assert is_possible([part], {first: 1, last: 3})
    assert not is_possible([part], {first: 3, last: 1})
