"""Loops whose trip count is known only at run time: one copy of the body, run by the host.

The state at the loop head is generalised to a fixed point: what differs from one iteration
to the next becomes a run-time variable that the entry and every back edge assign. A list
that grows becomes a run-time list. Where the first iteration changes the structure of the
state (``hidden = None`` before the loop), it is peeled off, and the rest is rolled.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import libcst as cst

from rewriter.evaluation.control.back_edges import back_roots, check_back_edge, check_memory
from rewriter.evaluation.control.loop_heads import (
    DIFFERENT,
    Again,
    LoopHead,
    Unstable,
    assign_slots,
    generalised,
)
from rewriter.evaluation.control.statements import execute_suite, join
from rewriter.evaluation.control.trips import Step, Trips
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_structures import settle_as
from rewriter.flattening import Flattening, Roots
from rewriter.program import Jump
from rewriter.state import Broke, Completion, Continued, Next, State
from rewriter.values import Reference

_MOST_ATTEMPTS = 40
_MOST_PEELED = 3


@dataclass(slots=True)
class LoopEnds:
    """Where paths go from a loop."""

    exhausted: list[State] = field(default_factory=list)
    broken: list[State] = field(default_factory=list)
    others: list[Completion] = field(default_factory=list)
    apart: list[State] = field(default_factory=list)
    """Ends of the body whose structure is not that of the loop's head: the loop goes on from
    there as another one."""


Body = Callable[[State, LoopEnds], list[State]]
"""Evaluates an iteration; returns the states that go round, records the others."""


def roll(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    trips: Trips,
    body: Body,
    most_peeled: int = _MOST_PEELED,
) -> LoopEnds:
    """Evaluate a loop rolled, after peeling iterations that change the state's structure.

    Raises Refused where no fixed point is found.
    """
    ends = LoopEnds()
    pending = [state]
    reason = ""
    for _ in range(most_peeled + 1):
        following: list[State] = []
        for before in pending:
            try:
                following += _roll_from(frame, node, before, trips, body, ends)
            except Unstable as unstable:
                reason = unstable.reason
                following += _peel(frame, before, trips, body, ends)
        if not following:
            return ends
        pending = join(frame, node, [Next(after) for after in following])
    frame.refuse(
        "DYCL062",
        node,
        f"this loop runs an unknown number of times, and {reason}",
        "keep the shapes of tensors and the structure of containers the same in every iteration",
    )


def _peel(frame: Frame, state: State, trips: Trips, body: Body, ends: LoopEnds) -> list[State]:
    following: list[State] = []
    for after, step in list(trips.step(frame, state)):
        following += _turn(after, step, body, ends)
    return following


def _turn(state: State, step: Step, body: Body, ends: LoopEnds) -> list[State]:
    match step:
        case Step.ENTER:
            return body(state, ends)
        case Step.LEAVE:
            ends.exhausted.append(state)
            return []
        case Step.SKIP:
            return [state]


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


def _roll_from(
    frame: Frame, node: cst.CSTNode, state: State, trips: Trips, body: Body, ends: LoopEnds
) -> list[State]:
    """Find the fixed point from one state; leave ``state`` as it was on Unstable.

    Returns the ends of the body from which the loop goes on with another structure.
    """
    run = frame.run
    head = LoopHead(versions=tuple(state.versions))
    for _ in range(_MOST_ATTEMPTS):
        checkpoint = run.builder.checkpoint(state.block)
        diagnostics, raised = len(run.diagnostics), len(run.sinks[-1])
        attempt = LoopEnds()
        run.unbound_reads.append(set())
        try:
            _attempt(frame, node, state.fork(state.block), trips, body, head, attempt)
        except (Again, Unstable, Refused) as stop:
            run.builder.rollback(checkpoint)
            del run.sinks[-1][raised:]
            if not isinstance(stop, Again):
                raise
            del run.diagnostics[diagnostics:]
            continue
        finally:
            unbound = run.unbound_reads.pop()
            if run.unbound_reads:
                run.unbound_reads[-1] |= unbound
        ends.exhausted += attempt.exhausted
        ends.broken += attempt.broken
        ends.others += attempt.others
        return attempt.apart
    raise Unstable("its state does not settle")


def _attempt(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    trips: Trips,
    body: Body,
    head: LoopHead,
    ends: LoopEnds,
) -> None:
    run = frame.run
    born = len(run.builder.variables)
    for identity, kind in head.objects.items():
        if not settle_as(frame, node, state, Reference(identity), kind):
            raise Unstable(DIFFERENT)
    roots = Roots(
        frames=run.live_frames(),
        attributes=tuple(state.attributes),
        versions=head.versions,
        loose=True,
        any_size=True,
    )
    before = Flattening(state, roots).run()
    at_head, targets = generalised(frame, node, before, head)
    after = Flattening(at_head.fork(at_head.block), roots).run()
    writes = run.storages.writes
    back: list[State] = []
    for tested, step in list(trips.step(frame, at_head)):
        back += _turn(tested, step, body, ends)
    back = join(frame, node, [Next(end) for end in back])
    unstable: list[Unstable] = []
    staying: list[State] = []
    for end in back:
        try:
            check_back_edge(frame, node, end, roots, before, after, head, born)
            staying.append(end)
        except Unstable as reason:
            unstable.append(reason)
            ends.apart.append(end)
    if unstable and not staying:
        raise unstable[0]
    for end in staying:
        leaves = Flattening(end, back_roots(end, roots, head)).run().leaves
        if run.storages.writes > writes:
            check_memory(run.storages, before.leaves, after.leaves, leaves)
        assign_slots(frame, node, end, targets, leaves)
        run.builder.close(end.block, Jump(target=targets.block))
