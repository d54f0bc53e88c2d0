"""Walks that begin as known ones, and are found to end at run time after some items."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from rewriter.evaluation.containers.lazy_iterators import may_be_unrolled
from rewriter.evaluation.control.open_iterations import tried
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.state import State
from rewriter.values import IteratorValue

_Ends = TypeVar("_Ends")


@dataclass(slots=True)
class LateRolling:
    """Decides whether the rest of a walk becomes a loop of the host.

    A generator in a ``while`` loop that was left on some paths may still end after a few items for
    certain: where its turns are not alike, as many are unrolled as in other loops.
    """

    frame: Frame
    given_up: bool = False

    def rest(
        self, state: State, source: IteratorValue | None, index: int, roll: Callable[[State], _Ends]
    ) -> _Ends | None:
        """Return the ends of the rolled rest; None where another item is to be taken."""
        if source is None or not is_run_time(state, source):
            return None
        if index > self.frame.run.options.unroll or not may_be_unrolled(state, source):
            return roll(state)
        ends = None if self.given_up else tried(self.frame, state, roll)
        self.given_up = ends is None
        return ends
