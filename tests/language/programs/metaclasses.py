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
