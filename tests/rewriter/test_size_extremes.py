"""Sizes with ``Min`` and ``Max`` that are equal in every case, and those that are not."""

import itertools
from typing import Any

import pytest
import sympy
from torch.utils._sympy import functions

from rewriter.size_extremes import always

_FUNCTIONS: Any = functions  # without annotations
Max, Min = _FUNCTIONS.Max, _FUNCTIONS.Min

U, V = sympy.symbols("u v", integer=True)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (Max(0, U - 1), U - Min(1, U), True),
        (Min(U, V) + Max(U, V), U + V, True),
        (Max(U, V) - V, U - Min(V, U), True),
        (2 * Min(U, 3), U + 3 - Max(U - 3, 3 - U), None),
        (Max(0, U - 1), U - 1, None),
        (Min(U, V), Max(U, V), None),
    ],
)
def test_always_equal(left: sympy.Expr, right: sympy.Expr, equal: bool | None) -> None:
    """What is said to be equal is so at all small sizes."""
    assert always(sympy.Eq(left, right, evaluate=False)) is equal
    assert always(sympy.Ne(left, right, evaluate=False)) is (None if equal is None else not equal)
    if equal:
        for one, other in itertools.product(range(5), repeat=2):
            numbers = {U: one, V: other}
            assert left.subs(numbers) == right.subs(numbers)
