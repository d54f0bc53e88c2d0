"""Loops of known turns that leave more paths with every turn: tried rolled.

Where the input decides what each turn appends, or whether it leaves the loop, every turn ends with
containers of more lengths than the one before, and each of them gets a copy of all that follows:
four turns around six come to thousands of lines. What such a loop has come to is counted after each
turn. Where that is much, the loop is tried rolled, for as long as unrolling it took so far;
where that is refused, it goes on unrolled.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import libcst as cst

from rewriter.evaluation.run import Frame, Run

_Ends = TypeVar("_Ends")
_PARTED = 4
"""Paths that a loop goes on with, or was left by, from which on it may be tried rolled."""
_MUCH = 1_000
"""Variables that its turns have made, from which on that is worth a try."""


@dataclass(slots=True)
class EarlyRolling:
    """Decides, once for each loop, whether it is tried rolled after some of its turns."""

    frame: Frame
    node: cst.For | cst.While
    before: int = field(init=False)

    def __post_init__(self) -> None:
        self.before = _made(self.frame.run)

    def is_wanted(self, paths: int) -> bool:
        """Return whether to try it now, with so many paths."""
        run = self.frame.run
        if paths < _PARTED or _made(run) - self.before < _MUCH or not run.options.roll_early:
            return False
        return self.node not in run.unrolled_loops

    @property
    def at_once(self) -> bool:
        """Return whether to try it before its first turn: that was worth it before."""
        run = self.frame.run
        return self.node in run.rolled_loops and self.node not in run.unrolled_loops

    def tried(self, rolled: Callable[[], _Ends | None]) -> _Ends | None:
        """Try the loop rolled; None where that is refused, or takes too long."""
        run, made = self.frame.run, _made(self.frame.run)
        outer = run.most_made
        limit = made + max(made - self.before, _MUCH)
        run.most_made = limit if outer is None else min(limit, outer)
        try:
            ends = rolled()
        finally:
            run.most_made = outer
        if ends is None:
            run.unrolled_loops.add(self.node)
        else:
            run.rolled_loops.add(self.node)
            run.builder.rolled_early.append(self.frame.origin(self.node))
        return ends


def is_over_limit(run: Run) -> bool:
    """Return whether the try of a loop takes too long."""
    return run.most_made is not None and _made(run) > run.most_made


def _made(run: Run) -> int:
    return len(run.builder.variables)
