"""Arguments that the call changes: read as converted, written where the caller sees it."""

from types import SimpleNamespace
from typing import Any


class _List(list[Any]):
    def __init__(self, items: Any, given: Any) -> None:
        super().__init__(items)
        self._given = given

    def __setitem__(self, key: Any, value: Any) -> None:
        self._given[key] = value


class _Dict(dict[Any, Any]):
    def __init__(self, items: Any, given: Any) -> None:
        super().__init__(items)
        self._given = given

    def __setitem__(self, key: Any, value: Any) -> None:
        self._given[key] = value

    def clear(self) -> None:
        self._given.clear()

    def update(self, *items: Any, **named: Any) -> None:
        self._given.update(*items, **named)


class _Object(SimpleNamespace):
    def __init__(self, attributes: Any, given: Any) -> None:
        super().__init__(**attributes)
        self.__dict__[_GIVEN] = given

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__[_GIVEN], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__[_GIVEN], name)


_GIVEN = "the caller's own"


def as_changed(content: Any, given: Any) -> Any:
    """Return ``content``, but writing to it writes to ``given``."""
    if isinstance(content, list):
        return _List(content, given)
    if isinstance(content, dict):
        return _Dict(content, given)
    return _Object(vars(content), given)
