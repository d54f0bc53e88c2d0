"""Classes whose own class decides what calling them does (``metaclass=``)"""

from dataclasses import dataclass
from typing import Any, ClassVar

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


class Single(type):
    """Makes one instance of each class."""

    made: ClassVar[dict[type, object]] = {}

    def __call__(cls, *arguments: Any) -> Any:
        if cls not in Single.made:
            Single.made[cls] = super().__call__(*arguments)  # <- refused
        return Single.made[cls]


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


class Settings(metaclass=Single):
    """There is one of it."""

    def __init__(self) -> None:
        self.uses = 0


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


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL034")
def single(x: Tensor) -> Any:
    """A table of what was made outlives the call"""
    settings = Settings()
    return x if settings is Settings() else x + 1
