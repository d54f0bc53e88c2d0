"""copy, dataclasses and text of the program's objects; comparison of dataclasses and enums"""

import copy
import dataclasses
from collections import namedtuple
from enum import Enum
from types import SimpleNamespace
from typing import Any

from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

Pair = namedtuple("Pair", ["first", "second"])


class Mode(Enum):
    """A way to go."""

    FAST = 1
    SLOW = 2


@dataclasses.dataclass
class Beam:
    """A hypothesis."""

    score: float
    tokens: list[int] = dataclasses.field(default_factory=list)
    mode: str = "fast"

    def longer(self, token: int) -> "Beam":
        """Return a copy with one more token."""
        return dataclasses.replace(self, tokens=[*self.tokens, token])


class Tag:
    """Has a text of its own."""

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.count = count

    def __str__(self) -> str:
        return f"<{self.name}>"

    def __repr__(self) -> str:
        return f"Tag({self.name!r}, {self.count})"


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def replaced(x: Tensor) -> Any:
    """dataclasses.replace makes another object"""
    beam = Beam(x.sum().item())
    other = beam.longer(3) if x.sum() > 0 else dataclasses.replace(beam, score=1.5)
    return beam.tokens, other.tokens, other.score, other.mode, other is beam


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def exported(x: Tensor) -> Any:
    """asdict and fields; the lists are copies"""
    beam = Beam(x.max().item(), [1, 2])
    table = dataclasses.asdict(beam)
    table["tokens"].append(3)
    if x.sum() > 0:
        beam.tokens.append(4)
    names = [field.name for field in dataclasses.fields(beam)]
    return table, beam.tokens, names, dataclasses.is_dataclass(beam), dataclasses.astuple is None


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def shallow(x: Tensor) -> Any:
    """copy.copy shares the parts"""
    first = SimpleNamespace(items=[1], count=1)
    second = copy.copy(first)
    second.count = 2
    second.items.append(2)
    if x.sum() > 0:
        first.items.append(3)
    numbers = copy.copy([x, 1])
    numbers.append(2)
    return first.count, first.items, second.items, len(numbers), copy.copy(3), copy.copy((1, 2))


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def deep(x: Tensor) -> Any:
    """copy.deepcopy shares nothing, and keeps what is one object one"""
    inner = [x]
    first = SimpleNamespace(items=inner, again=inner, x=x)
    second = copy.deepcopy(first)
    second.items.append(1)
    second.x.add_(1)
    if x.sum() > 0:
        first.items.append(2)
    return len(first.items), len(second.again), first.x, second.x, second.items is second.again


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def text(x: Tensor) -> Any:
    """str, repr and f-strings of objects"""
    value = int(x.sum().item())
    beam = Beam(1.5, [value])
    tag = Tag("a", value)
    if value > 0:
        return f"{beam}", str(tag), f"{tag!r:>12}", repr(Pair(value, "b"))
    print(tag, beam)
    return f"{SimpleNamespace(a=value, b=None)}", "%s" % value, str(Pair(1, [value]))


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def enums(x: Tensor) -> Any:
    """Enum members are chosen, compared and looked up"""
    mode = Mode.FAST if x.sum() > 0 else Mode.SLOW
    if mode is Mode.FAST:
        x = x + 1
    elif mode == Mode(2):  # known
        x = x - 1
    return x, mode.value, mode.name, Mode["FAST"].value


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def equal(x: Tensor) -> Any:
    """Dataclasses and named tuples are equal by their fields"""
    value = x.sum().item()
    same = Beam(value) == Beam(abs(value))
    return same, Beam(1.0) == Beam(1.0), Pair(value, 1) == Pair(abs(value), 1), Beam(1.0) != 3


class _WithLists(nn.Module):
    def __init__(self):
        super().__init__()
        inner = [5.0]
        self.nested, self.twice = [1.0, [2.0, 3.0]], [inner, inner]
        self.table = {"a": [1, 2], "b": 3.0}


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class CopiesOfAttributes(_WithLists):
    """Lists and dicts of the model are copied, whole and not: it keeps what it has."""

    def forward(self, x):
        deep, flat, table = copy.deepcopy(self.nested), copy.copy(self.nested), copy.copy(self.table)
        deep[1].append(4.0)
        flat.append(7.0)
        del table["b"]
        twice = copy.deepcopy(self.twice)
        twice[0].append(1.0)
        if x.sum() > 0:
            deep[1].append(x.sum().item())
        return x * sum(deep[1]), len(self.nested), self.nested[1], flat, table, twice, self.twice


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class CopyOfWhatGrows(_WithLists):
    """A list of the model is changed through a copy of the one that holds it."""

    def forward(self, x):
        flat = copy.copy(self.twice)
        flat[1].append(1.0)
        return x * len(self.twice[0]) if x.sum() > 0 else x
