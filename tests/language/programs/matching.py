"""match: every kind of pattern, over known and run-time subjects."""

import array
import collections.abc
import dataclasses
import enum

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]


@case(inputs=SIGNS)
def numbers(x):
    """Literals, alternatives, a guard and a capture over a run-time number."""
    n = int(x.sum().item())
    match n:
        case 0:
            return x
        case 10 | 11:  # known
            return x + 1
        case -10:
            return x - 5
        case negative if negative < 0:  # known
            return x * negative  # known
        case _:  # never
            return x * 2  # never


@case(inputs=SIGNS)
def no_case_holds(x):
    """Where no case holds nothing happens."""
    result = x
    match x.sum().item() > 0:
        case True if x.max() > 100:  # known
            result = x + 1  # never
    return result


class Mode(enum.Enum):
    """How to go on."""

    FAST = 1
    SLOW = 2


@case(inputs=SIGNS)
def strings_and_enums(x):
    """Values with dots, strings, None and singletons."""
    name = "fast" if x.sum() > 0 else "slow"
    match name:
        case "fast":
            mode = Mode.FAST
        case other:
            mode = Mode.SLOW if other == "slow" else None  # known
    match mode:
        case Mode.FAST:
            return name, x
        case None:  # known
            return name, x + 1  # never
        case Mode.SLOW:  # known
            return name, x - 1


@case(inputs=SIGNS)
def sequences(x):
    """Fixed lengths, stars, nested sequences; strings and tensors are no sequences."""

    def kind(value):
        match value:
            case []:
                return "empty"
            case [one]:
                return "one", one
            case [1, *rest]:
                return "from 1", rest
            case (a, [b, *_], *_, z):  # known
                return "nested", a, b, z
            case [*_, last]:
                return "last", last
            case _:
                return "other"

    n = int(x.sum().item())
    return [
        kind([]), kind((n,)), kind([1, 2, n]), kind((n, [3, 4], 5, x)), kind([7, 8]),
        kind("ab"), kind(x), kind(range(2)), kind(x.shape),
    ]  # fmt: skip


@case(inputs=SIGNS)
def mappings(x):
    """Keys must be there; the rest is captured without them."""
    n = int(x.sum().item())
    config = {"kind": "scale", "by": n, "extra": 1}
    match config:
        case {"kind": "shift"}:  # known
            return x  # never
        case {"kind": "scale", "by": 0, **rest}:  # known
            return x, rest
        case {"kind": "scale", "by": int(by), **rest}:  # known
            return x * by, rest
    return None  # never


@dataclasses.dataclass
class Step:
    """What to do."""

    name: str
    amount: float = 1.0


class Point:
    """Matched by keyword."""

    def __init__(self, x, y):
        self.x, self.y = x, y


@case(inputs=SIGNS)
def classes(x):
    """Positional and keyword patterns, builtin classes, attributes that are missing."""

    def run(value):
        match value:
            case Step("scale", amount):
                return x * amount
            case Step(name="shift", amount=amount):
                return x + amount
            case Step():
                return x
            case Point(x=0, y=y):
                return "on the axis", y
            case Point(z=_):  # known
                return "no z"  # never
            case Point():
                return "point"
            case bool():
                return "bool"
            case int(n) | float(n):
                return "number", n
            case torch.Tensor(ndim=2):  # known
                return "matrix"
            case nn.Module():  # known
                return "module"  # never
            case str() as text:  # known
                return text

    total = x.sum().item()
    return [
        run(Step("scale", total)), run(Step("shift")), run(Step("none")), run(Point(0, total)),
        run(Point(1, 2)), run(total > 0), run(total), run(3), run(x), run("text"),
    ]  # fmt: skip


@case(inputs=SIGNS)
def several_subjects(x):
    """A tuple of run-time values; a name in the pattern is bound after the match."""
    match (x.sum().item() > 0, int(x.max().item())):
        case (True, 3):  # known
            result = "three"
        case (True, n):  # known
            result = n  # never
        case (False, (0 | 1) as n):  # known
            result = -n
        case pair:
            result = pair
    return result


@case(inputs=SIGNS)
class Dispatch(nn.Module):
    """match in a loop with break and return in its cases."""

    def __init__(self):
        super().__init__()
        self.steps = ["double", ("add", 1.0), "stop?", ("add", 2.0)]

    def forward(self, x):
        for step in self.steps:
            match step:
                case "double":
                    x = x * 2
                case ("add", amount):  # known
                    x = x + amount
                case "stop?":  # known
                    if x.sum() < 0:
                        break
                    continue
        return x


class Stack(list):
    """A list of its own kind."""


class Twice:
    """Names one attribute twice, and one that is no string."""

    __match_args__ = ("x", "x", 3)

    def __init__(self, x):
        self.x = x


class Unnamed:
    """Says with a list what its patterns stand for."""

    __match_args__ = ["x"]  # noqa: RUF012

    def __init__(self, x):
        self.x = x


@case(inputs=SIGNS)
def mistakes_in_class_patterns(x):
    """What Python raises for too many, repeated and unnamed sub-patterns."""

    def run(value):
        try:
            match value:
                case Twice(x=0):  # known
                    return "zero"  # never
                case Twice(a, x=b):  # known
                    return a, b  # never
                case Unnamed(a):  # known
                    return a  # never
                case int(a, b):  # known
                    return a, b  # never
                case Stack(a, b):  # known
                    return a, b  # never
        except TypeError as error:
            return str(error)

    def more(value):
        match value:
            case Twice(_, _):  # never
                return 2  # never

    def unnamed(value):
        match value:
            case Twice(_, _, _):  # never
                return 3  # never

    results = [run(Twice(1)), run(Unnamed(1)), run(3), run(Stack([1]))]
    if x.sum() > 5:
        try:
            more(Twice(x))
        except TypeError as error:
            results.append(str(error))
    elif x.sum() < 0:
        unnamed(Twice(x))
    return results


@case(inputs=SIGNS)
def matched_with_itself(x):
    """Subclasses of list and int stand for themselves, with further patterns by keyword."""
    total = x.sum().item()
    match Stack([total, 2]):
        case Stack(first):  # known
            total += len(first)
    match total:
        case float(value, real=real):  # known
            return value + real


class Reader:
    """Says when it is asked."""

    __match_args__ = ("first", "second")

    def __init__(self):
        self.log = []

    @property
    def first(self):
        self.log.append("first")
        return 1

    @property
    def second(self):
        self.log.append("second")
        return 2


@case(inputs=SIGNS)
def attributes_before_patterns(x):
    """All attributes are read before one of them is matched."""
    reader = Reader()
    match reader:
        case Reader(0, 2):  # known
            return None  # never
        case Reader(first, second) if x.sum() > 0:  # known
            return reader.log, first + second
    return reader.log


class Keys:
    """The same key under two names."""

    KIND = "kind"
    SORT = "kind"


@case(inputs=SIGNS)
def one_key_twice(x):
    """A key that a pattern names twice is a ValueError, if the pattern gets as far as that."""
    config = {"kind": x.sum().item(), "by": 1}
    match config:
        case {"none": _, Keys.KIND: _, Keys.SORT: _}:  # known
            return 0  # never
        case {Keys.KIND: _, "none": _}:  # known
            return 1  # never
    if config["kind"] > 5:
        match config:
            case {Keys.KIND: _, Keys.SORT: _}:  # known
                return 2  # never
    return config["kind"]


PAIR = array.array("i", [1, 2])


@case(inputs=SIGNS, refused="DYCL056")
def other_sequences(x):
    """Objects of other classes are sequences and mappings, too: none of them is passed by."""
    match PAIR:
        case [one, two]:  # known <- refused
            return x * one * two
    return x  # never


@case(inputs=SIGNS)
def protocols(x):
    """A class pattern asks as isinstance does."""
    match Step("scale", x.sum().item()):
        case collections.abc.Sized():  # known
            return 0  # never
        case collections.abc.Hashable():  # known
            return 1  # never
        case Step(amount=amount):  # known
            return amount
