"""Classes whose own class decides what calling them does (``metaclass=``)"""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case


class Marking(type):
    """Marks what its classes make."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        made = super().__call__(*arguments, **named)
        made.mark = cls.__name__.lower()
        return made


class Choosing(Marking):
    """Makes nothing of what is not positive."""

    def __call__(cls, value: float, *rest: Any, **named: Any) -> Any:
        if value <= 0:
            return None
        return super().__call__(value * 2, *rest, **named)


class Marked(metaclass=Marking):
    """A plain class."""

    def __init__(self, value: Any, unit: str = "m") -> None:
        self.value = value
        self.unit = unit


@dataclass
class Chosen(metaclass=Choosing):
    """A dataclass."""

    value: float
    unit: str = "m"


class Failed(Exception, metaclass=Marking):
    """An exception."""

    mark = "not marked"


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def marked(x: Tensor) -> Any:
    """The __call__ of a class's class runs around __init__"""
    made = Marked(x * 2, unit="s")
    return made.value, made.unit, made.mark


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def chosen(x: Tensor) -> Any:
    """It may change the arguments, and give something else than an instance"""
    made = Chosen(x.sum().item(), unit="kg")
    if made is None:
        return x
    return made.value, made.unit, made.mark


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def raised(x: Tensor) -> Any:
    """Exceptions are made by it, too, where only their class is raised"""
    try:
        if x.sum() > 0:
            raise Failed("with an argument")
        if x.sum() < 0:
            raise Failed
    except Failed as error:
        return error.mark, str(error)
    return x


class Counting(type):
    """Counts what its classes are asked for."""

    count = 0

    def __getattr__(cls, name):
        if name == "hidden":
            raise AttributeError(name)
        Counting.count += 1
        return Counting.count

    @property
    def scale(cls):
        """Ten times the count."""
        return Counting.count * 10


class Counted(metaclass=Counting):
    """A class that is asked for more than it has."""

    own = 5


class Bracketed:
    """A class that counts what stands in brackets after it."""

    items = 0

    def __class_getitem__(cls, key):
        cls.items += 1
        return key, cls.items


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def counted(x: Tensor) -> Any:
    """__getattr__ and properties of a class's class, and __class_getitem__, run in each call"""
    Counting.count = Bracketed.items = 0
    total = Counted.some
    if x.sum() > 0:
        total += Counted.other
    asked = Counted.own, Counted.scale, hasattr(Counted, "hidden"), Counted.__name__
    return total, asked, Bracketed[3], Bracketed["a", x], Bracketed.items


class Listing(type):
    def __getattr__(cls, name):
        return name.upper()

    def __len__(cls):
        return 0

    def __iter__(cls):
        return iter("ab")

    def shown(cls):
        return cls.__name__


class Listed(metaclass=Listing):
    def __init__(self, scale):
        self.scale = scale


MADE_BEFORE = Listed(2)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def nothing_of_its_class(x):
    """Instances have nothing of what the class of their class gives the class"""
    found = []
    for one in (Listed(3), MADE_BEFORE):
        found.append([hasattr(one, name) for name in ("first", "shown", "mro")])
        x = x * one.scale if one else -x  # known
        if x.sum() > 0:
            x = x + getattr(one, "first", 7)
    return x, found, Listed.first, len(Listed), list(Listed), Listed.shown()


class Asking(type):
    """Says that it was asked."""

    def __bool__(cls):
        print("asked for its truth")
        return cls.__name__ != "Asked"

    def __eq__(cls, other):
        print("compared with", other.__name__)
        return cls is other

    __hash__ = type.__hash__


class Asked(metaclass=Asking):
    """False, as its class says."""

    def scaled(self, x):
        """Scale."""
        return x * 2


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def truth_of_a_class(x):
    """What a class is, and is equal to, its class is asked in each call, not while compiling"""
    y = x if Asked else Asked().scaled(x)  # known
    if y.sum() > 0:
        return y, not Asked, bool(Asked), Asked == int
    return y, Asked in (int, Asked, float), [int, Asked].count(Asked), type(Asked()) is Asked
