"""Loops whose trip count is known only at run time: one copy of the body, run by the host.

The state at the loop head is generalised to a fixed point: what differs from one iteration
to the next becomes a run-time variable that the entry and every back edge assign. A list
that grows becomes a run-time list. Where the first iteration changes the structure of the
state (``hidden = None`` before the loop), it is peeled off, and the rest is rolled. Where the
structure comes and goes (``start = None`` where a segment ends), the loop has a head and a copy
of the body for each structure: from an iteration control goes to the head that is like its end.
"""

from collections.abc import Callable
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.control.loop_attempts import (
    COMES_AND_GOES,
    Body,
    LoopEnds,
    Rolling,
    roll_from,
    turn,
)
from rewriter.evaluation.control.loop_heads import Unstable
from rewriter.evaluation.control.statements import execute_suite, join
from rewriter.evaluation.control.trips import Trips
from rewriter.evaluation.run import Frame
from rewriter.state import Broke, Continued, Next, State

_MOST_PEELED = 3


def roll(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    trips: Trips,
    body: Body,
    most_peeled: int = _MOST_PEELED,
    *,
    several: bool = True,
) -> LoopEnds:
    """Evaluate a loop rolled, after peeling iterations that change the state's structure.

    ``several`` lets it have several heads where the structure comes and goes. What cannot be
    unrolled may let iterators go through lists of the host, too.
    Raises Refused where no fixed point is found.
    """
    run = frame.run
    checkpoint = run.builder.checkpoint(state.block)
    diagnostics, raised = len(run.diagnostics), len(run.sinks[-1])
    rolling = Rolling(frame, node, trips, body)

    def is_hopeless() -> bool:
        return not several and len(run.diagnostics) > diagnostics

    def undo() -> None:
        run.builder.rollback(checkpoint)
        del run.sinks[-1][raised:]
        del run.diagnostics[diagnostics:]

    ends, reason = _one_after_the_other(rolling, state.fork(state.block), most_peeled, is_hopeless)
    if reason is None:
        return ends
    if several:
        state.places.prefer_what_was_found()
        undo()
        ends = LoopEnds()
        try:
            roll_from(replace(rolling, several=True), state, ends, ())
        except Unstable as unstable:
            reason = reason or unstable.reason
        else:
            return ends
    if several and not run.trials:
        undo()
        walking = replace(rolling, walks=True)
        ends, failed = _one_after_the_other(walking, state, most_peeled, is_hopeless)
        if failed is None:
            return ends
    rolling.refuse(reason or COMES_AND_GOES)


def _one_after_the_other(
    rolling: Rolling, state: State, most_peeled: int, is_hopeless: Callable[[], bool]
) -> tuple[LoopEnds, str | None]:
    """Roll a loop, and what goes on from it with another structure as a loop of its own.

    Returns why that did not come to an end, None where it did.
    """
    frame, node = rolling.frame, rolling.node
    ends = LoopEnds()
    pending = [state]
    reason = ""
    for _ in range(most_peeled + 1):
        following: list[State] = []
        for before in pending:
            try:
                roll_from(rolling, before, ends, ())
            except Unstable as unstable:
                reason = unstable.reason
                if is_hopeless():
                    return ends, reason
                following += _peel(frame, before, rolling.trips, rolling.body, ends)
        following += ends.apart
        ends.apart = []
        if not following:
            return ends, None
        pending = join(frame, node, [Next(after) for after in following])
    return ends, reason


def _peel(frame: Frame, state: State, trips: Trips, body: Body, ends: LoopEnds) -> list[State]:
    following: list[State] = []
    for after, step in list(trips.step(frame, state)):
        following += turn(after, step, body, ends)
    return following


def suite(frame: Frame, node: cst.For | cst.While) -> Body:
    """Return the body of a loop statement."""

    def body(state: State, ends: LoopEnds) -> list[State]:
        going_on: list[State] = []
        for completion in execute_suite(frame, node.body, state):
            match completion:
                case Next() | Continued():
                    going_on.append(completion.state)
                case Broke():
                    ends.broken.append(completion.state)
                case _:
                    ends.others.append(completion)
        return going_on

    return body
