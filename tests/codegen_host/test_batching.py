"""The host puts calls together by level and kind, and makes them again where that fails."""

from typing import Any

import numpy as np
import pytest

from codegen_host.embedded._batching import Batching

Array = np.ndarray[Any, np.dtype[np.float32]]


class Doubling:
    """A sub-DNN that doubles, and one that adds; both say how they were called."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.in_batches = Batching((self.one, self.many, 1), (self.both, self.many_both, 2))
        self.double, self.add_both = self.in_batches.subdnns

    def one(self, x: Array) -> Array:
        self.calls.append("one")
        return x * 2

    def many(self, x: Array) -> Array:
        self.calls.append(f"many {len(x)}")
        return x * 2

    def both(self, x: Array, y: Array) -> list[Array]:
        self.calls.append("both")
        return [x + y, x - y]

    def many_both(self, x: Array, y: Array) -> list[Array]:
        self.calls.append(f"both {len(x)}")
        return [x + y, x - y]

    def tree(self, depth: int, x: Array) -> Any:
        if depth == 0:
            return self.double(x)
        total, _ = self.add_both(self.tree(depth - 1, x), self.tree(depth - 1, x + 1))
        return total


def ones(*shape: int) -> Array:
    return np.ones(shape, np.float32)


def test_one_call_for_each_level() -> None:
    subject = Doubling()
    found = subject.in_batches(subject.tree, 3, ones(2))
    assert subject.calls == ["many 8", "both 4", "both 2", "both"]
    subject.calls.clear()
    np.testing.assert_array_equal(found, subject.tree(3, ones(2)))
    assert subject.calls == ["one"] * 2 + ["both"] + ["one"] * 2 + ["both"] * 2 + ["one"] * 2 + [
        "both", "one", "one", "both", "both", "both",
    ]  # fmt: skip


def test_results_are_arrays_wherever_they_stand() -> None:
    subject = Doubling()

    def function(x: Array) -> Any:
        first = subject.double(x)
        return [first, (x, subject.add_both(first, x))], 3

    (doubled, (given, (total, rest))), number = subject.in_batches(function, ones(2))
    assert [*doubled, *given, *total, *rest, number] == [2, 2, 1, 1, 3, 3, 1, 1, 3]


@pytest.mark.parametrize("other", [ones(1, 4), ones(2, 2).astype(np.float64), ones(4)])
def test_arrays_of_another_kind_make_no_batch(other: Array) -> None:
    subject = Doubling()

    def function() -> Any:
        return [subject.double(ones(2, 2)), subject.double(other)]

    first, second = subject.in_batches(function)
    assert subject.calls == ["one", "one"]
    assert (first.shape, second.shape, second.dtype) == ((2, 2), other.shape, other.dtype)


def test_what_raises_first_one_by_one_is_raised() -> None:
    subject = Doubling()

    def function() -> Any:
        subject.add_both(ones(2), ones(3))
        raise KeyError("later")

    with pytest.raises(ValueError, match="broadcast"):
        subject.in_batches(function)
    assert subject.in_batches(subject.tree, 0, ones(1)) == 2


def test_a_batch_inside_of_one_is_part_of_it() -> None:
    subject = Doubling()

    def function() -> Any:
        return subject.add_both(
            subject.in_batches(subject.tree, 1, ones(1)), subject.double(ones(1))
        )

    total, _ = subject.in_batches(function)
    assert total == 8
    assert subject.calls == ["many 3", "both", "both"]
