"""Sizes of the arguments of a call: named ones and those computed from them; what misfits raise."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


class derived:
    """A size computed from named ones: ``derived("2*seq", lambda seq: 2*seq)``."""

    def __init__(self, text: str, function: Callable[..., int]) -> None:
        self.text = text
        self.function = function
        self.names = function.__code__.co_varnames

    def __str__(self) -> str:
        return self.text


class multiple:
    """A size that tells a named one: ``multiple("8*h + 1", "h", 8, 1)``."""

    def __init__(self, text: str, name: str, factor: int, offset: int) -> None:
        self.text = text
        self.name = name
        self.factor = factor
        self.offset = offset

    def __str__(self) -> str:
        return self.text


class Sizes:
    """What the named sizes are in one call, and the bounds of each."""

    def __init__(self, bounds: Mapping[str, tuple[int, int | None]]) -> None:
        self._bounds = bounds
        self._found: dict[str, tuple[int, str]] = {}
        self._derived: list[tuple[str, derived, int]] = []
        self.arrays: list[tuple[str, Any]] = []
        """Places and arrays of the call."""
        self.written: list[tuple[str, Any]] = []
        """Those that the call changes."""
        self.separate: list[tuple[str, Any]] = []
        """Those of which the model asks whether they are one object."""
        self.containers: list[tuple[str, Any]] = []
        """Places, and lists, dicts and objects of the call."""
        self.changed: list[tuple[str, Any]] = []
        """Those that the call changes."""

    def problem(self, place: str, wanted: int | str | derived | multiple, size: int) -> str | None:
        """Take note of a size; return what it should be instead, None where it fits."""
        if isinstance(wanted, derived):
            self._derived.append((place, wanted, size))
            return None
        if isinstance(wanted, int):
            return None if size == wanted else ""
        if isinstance(wanted, multiple):
            size, rest = divmod(size - wanted.offset, wanted.factor)
            if rest:
                return ""
            wanted = wanted.name
        known, first = self._found.setdefault(wanted, (size, place))
        if size != known:
            return f" with {wanted} = {known}, as in {first}"
        low, high = self._bounds.get(wanted, (0, None))
        if size < low or (high is not None and size > high):
            return f" with {low} <= {wanted}" + ("" if high is None else f" <= {high}")
        return None

    def require_consistent(self) -> None:
        """Raise InputError where a size is not what others make it, or memory is shared."""
        for place, array_ in self.written:
            for other, found in self.arrays:
                if other != place and np.shares_memory(array_, found):
                    raise InputError(
                        f"{place}: is written to, and shares memory with {other}: this was "
                        "compiled for arguments of their own memory"
                    )
        self._require_separate()
        for place, container in self.changed:
            for other, found in self.containers:
                if other != place and found is container:
                    raise InputError(
                        f"{place}: is changed, and is the same object as {other}: this was "
                        "compiled for arguments that are separate"
                    )
        for place, wanted, size in self._derived:
            right = wanted.function(*(self._found[name][0] for name in wanted.names))
            if size != right:
                raise InputError(f"{place}: expected the size {wanted} = {right}, got {size}")

    def _require_separate(self) -> None:
        """Raise InputError where one object is given for two arguments that are taken apart."""
        for index, (place, one) in enumerate(self.separate):
            for other, found in self.separate[:index]:
                if found is one:
                    raise InputError(
                        f"{place}: is the same object as {other}: the model asks whether it is, "
                        "and this was compiled for arguments that are separate"
                    )


class InputError(ValueError):
    """A call does not fit what was compiled. Names argument, what was expected, what came."""
