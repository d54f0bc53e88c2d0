"""Arguments that are objects with attributes."""

from collections.abc import Mapping, Sequence
from inspect import getattr_static
from types import SimpleNamespace
from typing import Any

from ._arguments import Spec, check, describe, kind_of, refuse, shown
from ._sizes import Sizes


class record:
    """An object of any class that has certain attributes."""

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, Spec],
        *,
        absent: Sequence[str] = (),
        whole: bool = False,
        answers: bool = False,
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.absent = absent
        self.whole = whole
        self.answers = answers

    def __str__(self) -> str:
        return f"an object like a {self.name}, with the attributes {list(self.attributes)}"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return an object with the attributes that the compiled model reads."""
        found: dict[str, Any] = {}
        sizes.containers.append((place, value))
        for name, spec in self.attributes.items():
            try:
                part = getattr(value, name)
            except AttributeError:
                refuse(f"{place}.{name}", describe(spec), f"{kind_of(value)} without it")
            found[name] = check(spec, f"{place}.{name}", part, sizes)
        others = set(getattr(value, "__dict__", ())) - set(found) if self.whole else set()
        for name in [*self.absent, *sorted(others)]:
            if self._has(value, name):
                refuse(
                    f"{place}.{name}", "nothing: the example had none", shown(getattr(value, name))
                )
        return SimpleNamespace(**found)

    def _has(self, value: Any, name: str) -> bool:
        """Return whether an object has an attribute; what a ``__getattr__`` gives it has not."""
        if self.answers:
            return getattr_static(value, name, _NOTHING) is not _NOTHING
        return hasattr(value, name)


_NOTHING = object()
