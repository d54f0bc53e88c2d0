"""Tells which way calls went, without a trace of it in the code that normally runs.

While somebody observes, calls run a second version of ``forward`` (``_instrument.py``).
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Callback = Callable[[tuple[Any, ...]], object]
_Function = Callable[..., Any]


class Observation(threading.local):
    """Who observes in this thread, and the observed version of the entry point."""

    active: tuple[Callback, ...] = ()
    """Callbacks of the surrounding ``observe`` blocks, outermost first."""

    def __init__(self, file: str, source: str, manifest: Mapping[str, Any]) -> None:
        """Take the path and the text of the generated module (run once in each thread)."""
        self._file = file
        self._source = source
        self._manifest = manifest
        self._observed: _Function | None = None

    @contextmanager
    def observe(self, callback: Callback) -> Iterator[None]:
        """Call ``callback`` with an event for each branch and sub-DNN call of this thread.

        Events are ``("branch", node, outcome, margin)``, where ``margin`` is how far apart
        the numbers that were compared are (None where no two numbers are compared), and
        ``("subdnn", node)``.
        """
        before = self.active
        self.active = (*before, callback)
        try:
            yield
        finally:
            self.active = before

    def observed(self, function: _Function) -> _Function:
        """Return the version of ``function`` that reports."""
        if self._observed is None:
            from ._instrument import instrumented  # only here: few packages are ever observed

            self._observed = instrumented(
                function, self._file, self._source, self._manifest, self._report
            )
        return self._observed

    def _report(self, *event: object) -> None:
        for callback in self.active:
            callback(event)
