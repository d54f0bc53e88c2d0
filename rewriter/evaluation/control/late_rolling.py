"""Walks that begin as known ones, and are found to end at run time after some items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from rewriter.evaluation.builtin_functions.combined_iterators import may_go_on, never_ends
from rewriter.evaluation.containers.lazy_iterators import (
    MOST_ENDS,
    may_be_unrolled,
    refuse_becoming_run_time,
)
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
    certain: where its turns are not alike, as many are unrolled as in other loops. So may a walk
    over one without end, where the body has left it on some paths.
    """

    frame: Frame
    given_up: bool = False

    def rest(
        self,
        state: State,
        source: IteratorValue | None,
        index: int,
        roll: Callable[[State], _Ends],
        *,
        left: bool = False,
    ) -> _Ends | None:
        """Return the ends of the rolled rest; None where another item is to be taken.

        ``left`` says that paths have left the loop by ways of its body.
        """
        if source is None:
            return None
        if not is_run_time(state, source):
            if not (left and never_ends(state, source)):
                return None
        elif index > self.frame.run.options.unroll or not may_be_unrolled(state, source):
            return roll(state)
        ends = None if self.given_up else tried(self.frame, state, roll)
        self.given_up = ends is None
        return ends

    def require_few_ends(
        self, node: cst.CSTNode, source: IteratorValue | None, ends: int, going_on: Sequence[State]
    ) -> None:
        """Refuse a walk that has been left in many ways, and goes on for nobody knows how long."""
        if ends <= MOST_ENDS or source is None or not going_on:
            return
        if may_go_on(going_on[0], source):
            refuse_becoming_run_time(self.frame, node)
