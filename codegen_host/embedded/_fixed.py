"""Arguments that were fixed when the model was compiled."""

from typing import Any

from ._arguments import refuse, shown
from ._callables import NoFingerprint, fingerprint
from ._sizes import Sizes


class fixed:
    """A value that was fixed when the model was compiled."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __str__(self) -> str:
        return f"{self.value!r}, which was fixed at compile time"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value, which must be the one compiled for."""
        if not _same(value, self.value):
            refuse(place, self, shown(value))
        return value


class same:
    """A function, class or the like that was fixed when the model was compiled."""

    def __init__(self, name: str, content: str) -> None:
        self.name = name
        self.content = content

    def __str__(self) -> str:
        return f"{self.name}, which was fixed at compile time"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the value, which must do what the one compiled for does."""
        try:
            content = fingerprint(value)
        except NoFingerprint:
            refuse(place, self, shown(value))
        if content != self.content:
            refuse(place, self, f"another one, {shown(value)}")
        return value


class left_out:
    """An argument that the call must leave out: it was compiled with its default."""

    def __str__(self) -> str:
        return "nothing: the model was compiled with this argument left out"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Refuse any value."""
        refuse(place, self, shown(value))


def _same(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(right, slice):
        return _same((left.start, left.stop, left.step), (right.start, right.stop, right.step))
    if isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(right, dict):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in right)
    return bool(left == right or (left != left and right != right))
