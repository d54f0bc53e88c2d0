"""match: class patterns, the attributes that they read and the order of reading."""

import collections.abc
import dataclasses

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]

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
