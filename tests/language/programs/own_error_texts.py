"""Exceptions of user classes that say themselves what their text is (``__str__``)"""

from typing import Any, Generic, TypeVar

from torch import Tensor

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

Content = TypeVar("Content")


class TooLarge(Exception):
    """Tells the base class nothing but its arguments."""

    def __init__(self, value: float, limit: float = 4.0) -> None:
        self.value = value
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.value:.2f} is above {self.limit}"  # never: str() of what left the program


class Missing(TooLarge, KeyError):
    """Inherits the text from one base, and would have another from the other."""


class Shaped(ValueError):
    """Adds to what the builtin class says."""

    def __init__(self, *message: object, shape: Any = None) -> None:
        super().__init__(*message)
        self.shape = shape

    def __str__(self) -> str:
        said = super().__str__()  # never: str() of what left the program
        return said if self.shape is None else f"{said} (shape {tuple(self.shape)})"  # never


class Decides(Exception):
    """Says one of two things."""

    def __str__(self) -> str:
        if self.args[0] > 8:  # never: str() of what left the program
            return "much"  # never: str() of what left the program
        return f"little: {self.args[0]}"  # never: str() of what left the program


class Talks:
    """Has a text, and is no exception."""

    def __str__(self) -> str:
        return f"{type(self).__name__} of {self.name}"  # type: ignore[attr-defined]  # never


class Holds(Talks, RuntimeError, Generic[Content]):
    """Has its text from a class that is no exception."""

    def __init__(self, name: str) -> None:
        self.name = name


class Broken(Exception):
    """Cannot be shown."""

    def __init__(self, code: int) -> None:
        pass

    def __str__(self) -> str:
        return str(self.code)  # type: ignore[attr-defined]  # never


MADE_BEFORE = TooLarge(9.0)
MADE_BEFORE.limit = 7.0


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def computed_texts(x: Tensor) -> Any:
    """The text is that of the class's __str__, also where a subclass inherits it"""
    total = x.sum().item()
    if total > 4:
        raise TooLarge(total)
    if total < 0:
        raise Missing(-total, limit=0)
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,), (ZERO * float("nan"),)])
def texts_of_the_base(x: Tensor) -> Any:
    """super().__str__() is what the builtin class says of no, one or several arguments"""
    total = x.sum().item()
    if total > 0:
        raise Shaped("wrong", total, shape=x.shape)
    if total < 0:
        raise Shaped(f"negative: {total:.1f}")
    if x.max() > -1:
        raise Shaped(shape=x.shape[1:])
    return x


@case(inputs=[(POSITIVE,), (POSITIVE / 2,), (ZERO,)])
def texts_that_test(x: Tensor) -> Any:
    """A __str__ that tests run-time values says one or the other"""
    total = x.sum().item()
    if total > 0:
        raise Decides(total)
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def texts_of_mixins(x: Tensor) -> Any:
    """Bases that are no exceptions give the text, too"""
    if x.sum() > 0:
        raise Holds("all")
    if x.sum() < 0:
        raise Holds(f"{x.min().item()}")
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def made_before(x: Tensor) -> Any:
    """An exception made before the call comes with its attributes and its text"""
    if x.sum() > 0:
        raise MADE_BEFORE
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def changed_before_it_leaves(x: Tensor) -> Any:
    """The text is that of the end: a handler may have changed what it tells"""
    try:
        if x.sum() > 0:
            raise TooLarge(x.max().item())
    except TooLarge as error:
        error.limit = 2.5
        raise
    try:
        if x.sum() < 0:
            raise ValueError("a", x.min().item())
    except ValueError as error:
        return str(error)
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL068")
def texts_that_raise(x: Tensor) -> Any:
    """A __str__ that raises would be seen only by who asks"""
    if x.sum() > 0:
        raise Broken(3)  # <- refused
    return x


class Bare(Exception):
    """Says nothing of its own."""


class Named(KeyError):
    """Has a representation of its own."""

    def __repr__(self) -> str:
        return f"Named({self.args[0]})"


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def representations(x):
    """`repr` names the class and shows the arguments: none, one, several."""
    shown = []
    number = int(x.sum())
    for error in (
        ValueError("too many", number, [0.5, None]),
        KeyError(number),
        Bare(f"it's \"{number}\""),
        Bare(),
        Named(number),
    ):
        try:
            if number > 0:
                raise error
            shown.append(f"{error!r:>30}")
        except Exception as caught:
            shown.append(repr(caught))
    return shown


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def an_error_of_the_host(x):
    """The same of an error that an operation of the host raises."""
    table = {1: 2.0}
    try:
        return table[int(x.sum())]
    except KeyError as error:
        print("failed:", repr(error))
        return f"{error!r}"
