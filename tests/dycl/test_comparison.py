"""When two results count as equal."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from dycl.verification.comparison import compare
from dycl.verification.decision import default_decision, like_original
from dycl.verification.texts import same_text

NAN, INF = float("nan"), float("inf")

Pair = namedtuple("Pair", ["first", "second"])
Swapped = type("Pair", (namedtuple("Swapped", ["second", "first"]),), {})


class Tagged(list[int]):
    """A list with an attribute."""

    def __init__(self, tag: int) -> None:
        super().__init__([1])
        self.tag = tag


class Below:
    """A slot that a class above has, one that is private, and one without a value."""

    __slots__ = ("__hidden", "late")

    def __init__(self, value: int) -> None:
        self.__hidden = value


class Above(Below):
    """Slots below, a dict of its own."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.name = "a"


@dataclass
class Record:
    """One field, and what is set beside it."""

    field: int


def record_beside(value: int) -> Record:
    record = Record(1)
    vars(record)["beside"] = value
    return record


def knot(value: object) -> list[object]:
    made = [value]
    made.append(made)
    return made


@pytest.mark.parametrize(
    ("original", "host"),
    [
        (deque([torch.ones(2)]), deque([np.ones(2, np.float32)])),
        (knot(torch.ones(1)), knot(np.ones(1, np.float32))),
        (torch.ones(2, 3).shape, (2, 3)),
        (torch.ones(2).max(0), (np.float32(1), np.int64(0))),
        ({NAN: 1}, {float("nan"): 1}),
        (defaultdict(int, a=1), defaultdict(int, a=1)),
        (Above(1), Above(1)),
        (torch.tensor([1.0, NAN, INF]), np.array([1.0, NAN, INF], np.float32)),
        (torch.tensor(3), np.int64(3)),
        (torch.tensor(3), np.array(3)),
        (torch.empty(0, 4), np.empty((0, 4), np.float32)),
        (torch.tensor([True, False]), np.array([True, False])),
        (torch.tensor([1.5], dtype=torch.bfloat16), torch.tensor([1.5], dtype=torch.bfloat16)),
        (torch.tensor([1 + 2j]), np.array([1 + 2j], np.complex64)),
        ({"a": [torch.ones(2)], "b": None}, {"a": [np.ones(2, np.float32)], "b": None}),
        (torch.Size([2, 3]), torch.Size([2, 3])),
        ({1, 2}, {2, 1}),
        (NAN, NAN),
        ("text", "text"),
        (np.int64(3), np.int64(3)),
    ],
)
def test_equal(original: object, host: object) -> None:
    assert compare(original, host).same


@pytest.mark.parametrize(
    ("original", "host", "expected"),
    [
        (torch.tensor([INF]), np.array([-INF], np.float32), "nan or inf"),
        (torch.tensor([1, 2]), np.array([1, 3]), "1 of 2 values differ"),
        (torch.tensor(1.0), 1.0, "a tensor became a float"),
        (1.0, np.array(1.0), "a float became a tensor"),
        (1, 1.0, "a int became a float"),
        ({"a": 1}, {"b": 1}, "keys ['a'] became ['b']"),
        ({True: 1}, {1: 1}, "keys [True] became [1]"),
        ({(1, 2): 1}, {(1, 2.0): 1}, "keys [(1, 2)] became [(1, 2.0)]"),
        ({(1, 2): 1}, {(1,): 1}, "keys"),
        (deque([1], maxlen=2), deque([1], maxlen=3), "maxlen 2 became 3"),
        (deque([1]), deque([2]), "output[0]: 1 became 2"),
        (defaultdict(list), defaultdict(int), "default_factory"),
        (Tagged(1), Tagged(2), "output.tag: 1 became 2"),
        (Above(1), Above(2), "output._Below__hidden: 1 became 2"),
        (record_beside(1), record_beside(2), "output.beside: 1 became 2"),
        (Record(1), Record(2), "output.field: 1 became 2"),
        (ValueError("a", 1), ValueError("a", 2), "output.args[1]: 1 became 2"),
        (knot(1), knot(2), "output[0]: 1 became 2"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "keys"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "output['a']['b'][1]: 2 became 3"),
        (OrderedDict(a=1), {"a": 1}, "a OrderedDict became a dict"),
        (None, 0, "a NoneType became a int"),
        ([1], (1,), "a list became a tuple"),
        ("a", "b", "'a' became 'b'"),
        ({1, 2}, {1, 3}, "2 became 3"),
    ],
)
def test_different(original: object, host: object, expected: str) -> None:
    found = compare(original, host)
    assert not found.same
    assert expected in found.mismatches[0]


@pytest.mark.parametrize(
    ("original", "host", "same"),
    [
        ("loss 0.3333333\n", "loss 0.3333334\n", True),
        ("loss 0.3333333\n", "loss 0.3433334\n", False),
        ("loss 1.0", "loss 1", False),
        ("1e-05 nan", "1e-05 inf", False),
        ("1.5e-05", "1.5e+05", False),
        ("a 1.0", "b 1.0", False),
        ("3 of 4", "3 of 5", False),
    ],
)
def test_texts_may_round_their_floats(original: str, host: str, same: bool) -> None:
    assert same_text(original, host) is same


def test_objects_are_compared_by_class_and_attributes() -> None:
    one = SimpleNamespace(logits=torch.ones(2), steps=3)
    one.itself = one
    other = SimpleNamespace(logits=np.ones(2, np.float32), steps=3)
    other.itself = other
    assert compare(one, other).same
    other.steps = 4
    assert compare(one, other).mismatches == ["output.steps: 3 became 4"]
    del other.steps
    assert "attributes ['itself', 'logits', 'steps'] became" in compare(one, other).mismatches[0]
    assert "became a Pair" in compare(one, Pair(1, 2)).mismatches[0]
    assert "fields ('first', 'second') became" in compare(Pair(1, 2), Swapped(1, 2)).mismatches[0]


def test_decisions_in_objects() -> None:
    assert default_decision(SimpleNamespace(logits=torch.tensor([0.1, 0.9]))) == {"logits": 1}
    converted: Any = like_original(Pair(np.ones(2), 1), Pair(torch.ones(2), 1))
    assert isinstance(converted, Pair)
    assert isinstance(converted.first, torch.Tensor)
    held: Any = like_original(SimpleNamespace(x=np.ones(2)), SimpleNamespace(x=torch.ones(2)))
    assert isinstance(held.x, torch.Tensor)


def test_relative_error_is_over_the_largest_value() -> None:
    found = compare(torch.tensor([0.0, 100.0]), np.array([0.01, 100.0], np.float32))
    assert found.max_relative == pytest.approx(1e-4, rel=1e-3)
    assert not found.within_tolerance


@pytest.mark.parametrize(
    ("outputs", "decision"),
    [
        (torch.tensor([[0.1, 0.9], [0.8, 0.2]]), [1, 0]),
        ((torch.tensor([0.1, 0.9]), 3, True), (1, 3, True)),
        ((torch.tensor([4, 5]), torch.tensor([0.5, 0.1])), ([4, 5], 0)),
        ((torch.tensor([0.1, 0.9]), torch.tensor([0.9, 0.1])), (1, "floats")),
        ({"exit": 2, "confidence": 0.7}, {"exit": 2, "confidence": "a float"}),
        (torch.tensor(0.3), "floats"),
    ],
)
def test_default_decision(outputs: object, decision: object) -> None:
    assert default_decision(outputs) == decision


def test_host_output_gets_the_originals_tensor_types() -> None:
    original: Any = (torch.ones(2, dtype=torch.bfloat16), [1, torch.tensor(2)], np.ones(2))
    host: Any = (np.ones(2, np.float32), [1, np.int64(2)], np.ones(2))
    converted: Any = like_original(host, original)
    first, (number, second), third = converted
    assert first.dtype == torch.bfloat16
    assert number == 1
    assert isinstance(second, torch.Tensor)
    assert isinstance(third, np.ndarray)


def test_what_leaves_as_a_text_is_the_same_and_becomes_what_it_was() -> None:
    original = {"kind": torch.float32, "device": torch.device("cpu"), "made_by": Enum}
    host: Any = {"kind": "torch.float32", "device": "cpu", "made_by": "Enum"}
    assert compare(original, host).same
    assert not compare(original, host | {"kind": "torch.int32"}).same
    assert default_decision(original) == default_decision(host)
    assert like_original(host, original) == original


class _Reason(Enum):
    DONE = "done"
    TIRED = "tired"


def _declared() -> Any:
    """Return what a host package declares, had it another value."""

    class _Reason(Enum):
        DONE = "done"
        TIRED = "out of steps"

    return _Reason


_Declared = _declared()


def test_members_of_enumerations_are_compared_by_name_and_value() -> None:
    assert compare({_Reason.DONE: 1}, {_Declared.DONE: 1}).same
    assert compare([_Reason.DONE], [_Declared.DONE]).same
    for other in (_Declared.TIRED, "done", 1, None):
        assert not compare(_Reason.DONE, other).same
    assert not compare(_Reason.TIRED, _Declared.TIRED).same


def test_a_decision_on_members_is_asked_with_those_of_the_user() -> None:
    original, host = {_Reason.DONE: torch.ones(2)}, {_Declared.DONE: np.ones(2, np.float32)}
    alike: Any = like_original(host, original)
    assert list(alike) == [_Reason.DONE]
    assert like_original(_Declared.TIRED, _Reason.DONE) is _Reason.TIRED
    assert default_decision(original) == default_decision(host)
