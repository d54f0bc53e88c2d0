"""Arguments that the call changes: read as converted, written where the caller sees it."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from ._arguments import Spec, array, check, describe, refuse
from ._sizes import Sizes


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


def _as_changed(content: Any, given: Any) -> Any:
    """Return ``content``, but writing to it writes to ``given``."""
    if isinstance(content, list):
        return _List(content, given)
    if isinstance(content, dict):
        return _Dict(content, given)
    return _Object(vars(content), given)


class written:
    """An array that the call changes, as the original does: the caller's own."""

    def __init__(self, spec: array) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return f"{self.spec} that may be written to, contiguous and in the host's memory"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the caller's array itself."""
        made = self.spec.check(place, value, sizes)
        own = value if isinstance(value, np.ndarray) else _memory_of(value)
        if own is None or not own.flags.writeable or not own.flags.c_contiguous:
            refuse(place, self, "one that is not")
        if not np.shares_memory(own, made) and made.size:
            refuse(place, self, "one that is not")
        sizes.written.append((place, made))
        return made


def _memory_of(value: Any) -> Any:
    """Return the array over a tensor's memory, None where it is not the host's."""
    on_host = str(getattr(value, "device", "")) == "cpu" and hasattr(value, "numpy")
    return value.detach().numpy() if on_host else None


class changed:
    """A list, dict or object that the call changes, as the original does: the caller's own."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return describe(self.spec)

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the converted content; what is written to it is written to the caller's own."""
        content = check(self.spec, place, value, sizes)
        sizes.changed.append((place, value))
        return _as_changed(content, value)
