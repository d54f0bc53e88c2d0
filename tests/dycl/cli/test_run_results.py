"""What ``dycl run`` shows of a result: each array is a line of its own, and is saved."""

from collections import deque

import numpy as np
import pytest

from dycl.cli.run import _leaves

ONE, TWO = np.ones(1), np.zeros(2)


@pytest.mark.parametrize(
    "result",
    [[ONE, TWO], (ONE, TWO), deque([ONE, TWO]), {"a": ONE, "b": TWO}.values(), iter([ONE, TWO])],
    ids=lambda result: type(result).__name__,
)
def test_each_item_is_a_leaf(result: object) -> None:
    found = _leaves({"found": result}, "result")
    assert [place for place, _ in found] == ["result['found'][0]", "result['found'][1]"]
    assert [np.asarray(value).tolist() for _, value in found] == [[1.0], [0.0, 0.0]]


def test_an_iterator_can_be_looked_through_again() -> None:
    pairs = zip([ONE], [TWO], strict=True)
    places = ["result[0][0]", "result[0][1]"]
    assert [place for place, _ in _leaves(pairs, "result")] == places
    assert [place for place, _ in _leaves(pairs, "result")] == places
