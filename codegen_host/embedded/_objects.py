"""Bases of the classes that stand for the model's own ones in results and exceptions."""

from typing import Any


class Attributes:
    """An object that is its attributes: what is left of a class without its methods."""

    def __init__(self, /, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inner})"


class HoldsItems:
    """A list or dict with attributes beside its items."""

    def __init__(self, items: Any, /, **attributes: Any) -> None:
        super().__init__(items)  # type: ignore[call-arg]
        self.__dict__.update(attributes)


class CarriesAttributes(BaseException):
    """An exception with attributes beside its arguments, among them the text that it had."""

    def __init__(self, /, *args: Any, **attributes: Any) -> None:
        super().__init__(*args)
        self.__dict__.update(attributes)

    def __str__(self) -> str:
        text: str | None = vars(self).get("__str__")
        return super().__str__() if text is None else text
