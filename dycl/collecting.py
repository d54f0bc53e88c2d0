"""Collecting cycles of garbage seldom, while a program is compiled.

The objects of a program and its graphs stay until it is compiled: to walk through them again and
again, with all that PyTorch has loaded, takes long and finds nothing.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (20_000, 10, 10)


class _Thresholds:
    """The thresholds of the collector, which are one for all threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._running = 0
        self._before = (0, 0, 0)

    def raise_them(self) -> None:
        """Raise each to that of ``_SELDOM``; a collector that is off stays off."""
        with self._guard:
            if not self._running:
                self._before = gc.get_threshold()
                if self._before[0]:
                    gc.set_threshold(*map(max, self._before, _SELDOM))
            self._running += 1

    def restore(self) -> None:
        """Give back those of before, with the last who needs them raised."""
        with self._guard:
            self._running -= 1
            if not self._running:
                gc.set_threshold(*self._before)


_THRESHOLDS = _Thresholds()


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Let the collector of cycles look a tenth as often."""
    _THRESHOLDS.raise_them()
    try:
        yield
    finally:
        _THRESHOLDS.restore()
