"""Programs of many inputs take turns, and what waits at one sub-DNN is one call."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest

from codegen_host.embedded import _many_inputs
from codegen_host.embedded._batching import Batching
from codegen_host.embedded._many_inputs import ManyInputs
from codegen_host.embedded._sizes import InputError

Array = np.ndarray[Any, np.dtype[np.float32]]
Steps = Generator[tuple[Any, ...], Any, Any]


class Package:
    """Takes one argument, an array."""

    is_observed = False

    def checker(self, function: object) -> Callable[..., Any]:
        def checked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            given = (*args, *kwargs.values())
            if len(given) != 1 or not isinstance(given[0], np.ndarray):
                raise InputError("x: expected an array")
            return given, {}

        return checked


class Skipping:
    """Doubles what is positive, then adds one: ``calls`` says how that was computed."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.package = Package()
        self.many = ManyInputs(
            self.package,
            self.forward,
            self.steps,
            batches={self.double: self.double_many, self.add: self.add_many},
        )

    def double(self, x: Array) -> Array:
        self.calls.append("double")
        return x * 2

    def double_many(self, x: Array) -> Array:
        self.calls.append(f"double {len(x)}")
        return x * 2

    def add(self, x: Array) -> list[Array]:
        self.calls.append("add")
        return [x + 1, x.sum()]

    def add_many(self, x: Array) -> list[Array]:
        self.calls.append(f"add {len(x)}")
        return [x + 1, x.reshape(len(x), -1).sum(1)]

    def forward(self, x: Array) -> Any:
        total, _ = self.add(self.double(x) if x.sum() > 0 else x)
        if total[0] > 100:
            raise ValueError(f"too large: {total[0]}")
        return total

    def steps(self, x: Array) -> Steps:
        total, _ = yield self.add, (yield self.double, x) if x.sum() > 0 else x
        if total[0] > 100:
            raise ValueError(f"too large: {total[0]}")
        return total


def full(value: float, size: int = 2) -> Array:
    return np.full(size, value, np.float32)


def test_those_ahead_wait_for_those_behind() -> None:
    subject = Skipping()
    found = subject.many([(full(1),), (full(-1),), {"x": full(2)}, (full(-2),)])
    assert [x.tolist() for x in found] == [[3, 3], [0, 0], [5, 5], [-1, -1]]
    assert subject.calls == ["double 2", "add 4"]


def test_what_is_alone_is_called_alone() -> None:
    subject = Skipping()
    assert subject.many([]) == []
    assert [x.tolist() for x in subject.many([(full(1),)])] == [[3, 3]]
    subject.many([(full(1),), (full(-1),)])
    assert subject.calls == ["double", "add", "double", "add 2"]


def test_arrays_of_one_form_make_a_batch() -> None:
    subject = Skipping()
    found = subject.many([(full(1),), (full(2, 3),), (full(3),), (full(-1, 3),)])
    assert [x.tolist() for x in found] == [[3, 3], [5, 5, 5], [7, 7], [0, 0, 0]]
    assert subject.calls == ["double 2", "double", "add 2", "add 2"]


def test_numbers_of_a_batch_are_the_same() -> None:
    calls: list[str] = []

    def word(x: Array, place: int) -> Array:
        calls.append(f"word {place}")
        found: Array = x[place]
        return found

    def words(x: Array, place: int) -> Array:
        calls.append(f"{len(x)} words {place}")
        return x[:, place]

    def forward(x: Array) -> Array:
        return word(x, len(x) - 2)

    def steps(x: Array) -> Steps:
        return (yield word, x, len(x) - 2 if x[0] > 0 else 0)

    many = ManyInputs(Package(), forward, steps, batches={word: words})
    found = many([(np.arange(start, start + 3),) for start in (1, 0, 5, -9)])
    assert [x.item() for x in found] == [2, 0, 6, -9]
    assert calls == ["2 words 1", "2 words 0"]


def test_the_first_input_that_raises_is_the_one_that_counts() -> None:
    subject = Skipping()
    with pytest.raises(ValueError, match=r"too large: 201"):
        subject.many([(full(-1),), (full(100),), (full(200),)])
    assert subject.calls[-3:] == ["add", "double", "add"]  # in the end one after the other


def test_an_argument_that_does_not_fit_is_named() -> None:
    subject = Skipping()
    with pytest.raises(InputError, match=r"inputs\[1\]: x: expected an array"):
        subject.many([(full(1),), (3,)])
    with pytest.raises(InputError, match=r"inputs\[0\]: expected a tuple .* got ndarray"):
        subject.many([full(1)])
    assert subject.calls == []


def test_who_watches_sees_one_after_the_other() -> None:
    subject = Skipping()
    subject.package.is_observed = True
    subject.many([(full(1),), (full(1),)])
    assert subject.calls == ["double", "add"] * 2


def test_large_batches_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_many_inputs, "_MOST_BYTES", 3 * full(0).nbytes)
    subject = Skipping()
    found = subject.many([(full(-number),) for number in range(7)])
    assert [x[0] for x in found] == [1 - number for number in range(7)]
    assert subject.calls == ["add 3", "add 3", "add"]


def test_results_without_dimensions_stay_arrays() -> None:
    subject = Skipping()

    def steps(x: Array) -> Steps:
        _, total = yield subject.add, x
        return total

    many = ManyInputs(
        subject.package, subject.forward, steps, batches={subject.add: subject.add_many}
    )
    found = many([(full(1),), (full(2),)])
    assert [(type(x), x.shape, x.item()) for x in found] == [
        (np.ndarray, (), 2),
        (np.ndarray, (), 4),
    ]


def test_rows_of_a_batch_are_handed_on_as_they_are() -> None:
    columns: list[Array] = []
    subject = Skipping()

    def double_many(x: Array) -> Array:
        columns.append(x)
        return x * 2

    def twice(x: Array) -> Steps:
        return (yield subject.double, (yield subject.double, x))

    many = ManyInputs(
        subject.package, subject.forward, twice, batches={subject.double: double_many}
    )
    found = many([(full(number),) for number in range(4)])
    assert [x[0] for x in found] == [0, 4, 8, 12]
    assert columns[1].shape == (4, 2)
    assert np.shares_memory(
        columns[1][0], columns[1].base if columns[1].base is not None else columns[1]
    )
    assert not columns[1].flags.owndata  # the result of the first call


def test_functions_that_are_put_off_are_put_off_together() -> None:
    subject = Skipping()
    in_batches = Batching((subject.double, subject.double_many, 1))
    (double,) = in_batches.subdnns

    def tree(depth: int, x: Array) -> Any:
        return [tree(depth - 1, x), tree(depth - 1, x)] if depth else double(x)

    def steps(x: Array) -> Steps:
        left, right = yield in_batches, tree, 1, x
        return left + right

    many = ManyInputs(subject.package, subject.forward, steps, in_batches, batches={})
    assert [x[0] for x in many([(full(1),), (full(2),)])] == [4, 8]
    assert subject.calls == ["double 4"]
