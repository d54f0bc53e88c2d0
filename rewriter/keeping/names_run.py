"""The names in the user's code that a call runs: what it may bind, it names."""

import sys
import types
from types import TracebackType

from rewriter.known_paths import is_library

_BY_TEXT = frozenset({
    "setattr", "delattr", "__setattr__", "__delattr__", "__dict__", "globals", "locals", "vars",
    "exec", "eval",
})  # fmt: skip
"""What code binds names by that are texts, which may be any."""


class NamesRun:
    """Python's profiler, which tells each function that calls in a ``with`` enter.

    Other threads are not looked at, nor is what they run. Where a profiler is at work already,
    that goes on, and nothing is known of what runs.
    """

    def __init__(self) -> None:
        self._entered: dict[int, tuple[types.CodeType, object]] = {}
        self._is_told = True

    def __enter__(self) -> None:
        self._is_told = sys.getprofile() is None
        if self._is_told:
            sys.setprofile(self._note)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_told:
            self._is_told = sys.getprofile() == self._note  # what ran may have its own
            sys.setprofile(None)

    def _note(self, frame: types.FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and id(code) not in self._entered:
            self._entered[id(code)] = (code, frame.f_globals.get("__name__"))

    def modules(self) -> frozenset[object]:
        """Return the names of the modules whose code ran."""
        return frozenset(module for _, module in self._entered.values())

    def names(self) -> frozenset[str] | None:
        """Return what the code that ran names; None where that may be any name."""
        codes = [code for code, module in self._entered.values() if not is_library(str(module))]
        names = frozenset(name for code in codes for name in code.co_names)
        return names if self._is_told and names.isdisjoint(_BY_TEXT) else None
