"""Classes with a ``__new__`` of their own: it makes the object, or finds another one"""

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case


class Ordered:
    """Keeps what it was made of."""

    def __new__(cls, *arguments: Any, **named: Any) -> "Ordered":
        made = super().__new__(cls)
        made.order = (*arguments, *named)  # type: ignore[attr-defined]
        return made

    def __init__(self, value: Tensor, unit: str = "m") -> None:
        self.value = value
        self.unit = unit


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def both_run(x: Tensor) -> Any:
    """__new__ and then __init__ get the arguments of the call"""
    made = Ordered(x * 2, unit="s")
    return made.value, made.order[0], made.order[1:], made.unit


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def made_alone(x: Tensor) -> Any:
    """object.__new__ makes an object that nothing has initialised"""
    made = object.__new__(Ordered)
    made.value = x + 1
    return made.value, hasattr(made, "unit")


class Single:
    """There is one, for all who ask."""

    one: Any = None

    def __new__(cls, value: Tensor) -> "Single":
        if cls.one is None:
            cls.one = super().__new__(cls)
        return cls.one

    def __init__(self, value: Tensor) -> None:
        self.value = value


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def one_for_all(x: Tensor) -> Any:
    """A class gives one object again, which is initialised each time"""
    first = Single(x)
    second = Single(x + 1)
    return first is second, first.value


class Chosen:
    """Makes nothing of what is not positive."""

    def __new__(cls, value: Tensor) -> Any:
        if value.sum() > 0:
            return object.__new__(cls)
        return value

    def __init__(self, value: Tensor) -> None:
        self.value = value * 3


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def something_else(x: Tensor) -> Tensor:
    """What is no instance is not initialised"""
    made = Chosen(x)
    if isinstance(made, Chosen):
        return made.value
    return made


class Sum:
    """Of several classes, the one that fits the arguments is made."""

    def __new__(cls, *parts: Tensor) -> "Sum":
        return object.__new__(Difference if len(parts) > 1 else cls)

    def __init__(self, *parts: Tensor) -> None:
        self.parts = parts

    def total(self) -> Tensor:
        """Add up."""
        return sum(self.parts, torch.zeros(2, 3))


class Difference(Sum):
    """Of two parts."""

    def total(self) -> Tensor:
        """Subtract."""
        return self.parts[0] - self.parts[1]


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def by_arguments(x: Tensor) -> Any:
    """A base class makes an instance of another class, whose __init__ runs"""
    return Sum(x).total(), Sum(x, x * 2).total()


@dataclass
class Noted:
    """A dataclass."""

    value: Any
    unit: int = 2

    def __new__(cls, *arguments: Any, **_: Any) -> "Noted":
        made = object.__new__(cls)
        made.given = len(arguments)  # type: ignore[attr-defined]
        return made


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def fields_after(x: Tensor) -> Any:
    """The fields of a dataclass are set on what __new__ gives"""
    made = Noted(x, unit=3)
    return made.value * made.unit, made.given


class Bare:
    """Leaves initialising to object."""

    def __new__(cls, value: Tensor, times: int = 1) -> "Bare":
        made = super().__new__(cls)
        made.value = value * times  # type: ignore[attr-defined]
        return made


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def without_init(x: Tensor) -> Any:
    """Where there is no __init__, arguments are those of __new__"""
    return Bare(x, times=2).value


class Handing:
    """Hands its arguments on."""

    def __new__(cls, value: Tensor) -> "Handing":
        return super().__new__(cls, value)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def too_many(x: Tensor) -> Any:
    """object.__new__ takes the class alone"""
    try:
        Handing(x)
    except TypeError as error:
        return str(error), x + 1
    return "none", x  # never


@case(inputs=[(POSITIVE,), (POSITIVE * 20,)])
def in_a_loop(x: Tensor) -> Any:
    """Objects are made in a loop that ends at run time"""
    found = []
    while x.sum() < 100:
        found.append(Ordered(x))
        x = x * 2 + 1
    return sum([each.value for each in found], torch.zeros(2, 3)), len(found)


@case(inputs=[(POSITIVE,)], refused="DYCL059")
def copied(x: Tensor) -> Any:
    """A copy is made by __new__, without arguments"""
    return copy.copy(Bare(x)).value  # <- refused


class Parted(dict):
    """A dict."""

    def __new__(cls, *arguments: Any) -> "Parted":
        return object.__new__(cls)  # never


@case(inputs=[(POSITIVE,)], refused="DYCL050")
def of_a_builtin(x: Tensor) -> Any:
    """A subclass of a builtin class has parts that object does not make"""
    return Parted(a=x)["a"]  # <- refused
