"""Methods that Python asks by itself: when objects are given up, read, written, formatted"""

from typing import Any

from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, case


class Closing:
    """Says when it is given up."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def __del__(self) -> None:
        self.log.append("given up")


class Tickets:
    """Gives another number whenever it is asked."""

    given = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "ticket":
            Tickets.given += 1
            return Tickets.given
        return super().__getattribute__(name)


class Doubling:
    """Keeps twice what is stored."""

    def __init__(self, factor: float) -> None:
        self.__dict__["factor"] = factor  # never: at import

    def __setattr__(self, name: str, value: float) -> None:
        super().__setattr__(name, value * 2)


class Percentage:
    """Has something to say about ``%``, if it is asked."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __str__(self) -> str:
        return f"{self.value:.1f}%"

    def __rmod__(self, other: Any) -> Any:
        return "rest", other

    def __radd__(self, other: Any) -> Any:
        return type(other).__name__


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL050")
def given_up(x: Tensor) -> Any:
    """A class with a __del__, which runs when nobody holds the object any more"""
    log: list[str] = []
    closing = Closing(log)  # <- refused
    closing = None  # noqa: F841
    log.append("after")
    return x, log


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class Read(nn.Module):
    """A __getattribute__ of an object made before the call that counts in its class"""

    def __init__(self) -> None:
        super().__init__()
        self.tickets = Tickets()

    def forward(self, x: Tensor) -> Any:
        return x * (self.tickets.ticket - self.tickets.ticket)


@case(inputs=[(Doubling(2.0), POSITIVE), (Doubling(3.0), NEGATIVE)], refused="DYCL043")
def written(settings: Doubling, x: Tensor) -> Any:
    """The __setattr__ of an argument's class would run again where the caller gets the change"""
    settings.total = x.sum().item()  # type: ignore[attr-defined]  # <- refused
    return settings.factor, settings.total  # type: ignore[attr-defined]


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def formatted(x: Tensor) -> Any:
    """A text on the left of % formats, whatever the right operand says of it"""
    share = Percentage(x.sum().item())
    return 5 % share, "of %s" % str(share)  # noqa: UP031


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def formatted_object(x: Tensor) -> Any:
    """So it does with an object of the program"""
    share = Percentage(x.sum().item())
    return "of %s" % share  # noqa: UP031


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL038")
def beside_numpy(x: Tensor) -> Any:
    """A number of numpy meets an object of the program as a number of Python's"""
    return x.numpy()[0, 0] + Percentage(3.0)  # <- refused
