"""What is done after an error that leaves the program: by ``finally``, and by managers.

Before a statement that may raise, the program says what its ``finally`` clauses would do then.
Stands in host packages as it is here: it may import nothing but the standard library.
"""

import functools
import threading
from collections.abc import Callable
from typing import Any

_Step = Callable[[], object]


class _Here(threading.local):
    """What is to be done in this thread: for each call that is open, outermost first."""

    def __init__(self) -> None:
        self.levels: list[tuple[_Step, ...]] = [()]


_here = _Here()


class AfterErrors:
    """Does what is said, in its order, once an error leaves the entry point."""

    @staticmethod
    def do(*steps: _Step) -> None:
        """Say what is to be done if what follows raises, in place of what was said before."""
        _here.levels[-1] = steps

    @staticmethod
    def calling(*steps: _Step) -> None:
        """Say the same of a function that is called, and says itself what comes before it."""
        _here.levels[-1] = steps
        _here.levels.append(())

    @staticmethod
    def returned() -> None:
        """Say that the function has returned."""
        _here.levels.pop()

    @staticmethod
    def entry(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return an entry point that does it."""

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            outside, _here.levels = _here.levels, [()]
            try:
                return function(*args, **kwargs)
            except BaseException:
                for steps in reversed(_here.levels):
                    for step in steps:
                        step()
                raise
            finally:
                _here.levels = outside

        return watched
