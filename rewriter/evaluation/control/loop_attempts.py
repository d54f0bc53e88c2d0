"""One head of a rolled loop: the attempts at its fixed point, and where the ends of its body go.

An end whose structure is not that of the head goes on as a loop of its own, or, where several
heads are allowed, at the head that has its structure: heads lie in each other, so that control
goes back to those around it only.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.control.back_edges import (
    back_roots,
    check_back_edge,
    check_memory,
)
from rewriter.evaluation.control.early_rolling import is_over_limit
from rewriter.evaluation.control.growing_tuples import let_grow
from rewriter.evaluation.control.loop_heads import (
    DIFFERENT,
    Again,
    LoopHead,
    Unstable,
    assign_slots,
    generalised,
)
from rewriter.evaluation.control.settled_heads import Settling
from rewriter.evaluation.control.statements import join
from rewriter.evaluation.control.trips import Step, Trips
from rewriter.evaluation.control.walks_at_heads import let_walk
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_structures import settle_as
from rewriter.flattening import Flattening, Roots
from rewriter.program import Jump
from rewriter.state import Broke, Completion, Continued, Next, State
from rewriter.values import Reference

_MOST_ATTEMPTS = 40
_MOST_HEADS = 5
COMES_AND_GOES = "the structure of its variables changes in it again and again"


@dataclass(slots=True)
class LoopEnds:
    """Where paths go from a loop."""

    exhausted: list[State] = field(default_factory=list)
    broken: list[State] = field(default_factory=list)
    others: list[Completion] = field(default_factory=list)
    apart: list[State] = field(default_factory=list)
    """Ends of the body whose structure is not that of the loop's head: the loop goes on from
    there as another one."""

    @property
    def count(self) -> int:
        """Return how many paths have left the loop."""
        return len(self.exhausted) + len(self.broken) + len(self.others)

    def add(self, other: "LoopEnds") -> None:
        """Add where the paths of another loop go."""
        self.exhausted += other.exhausted
        self.broken += other.broken
        self.others += other.others

    def add_bodies(self, bodies: list[Completion]) -> list[Completion]:
        """Add the ends of bodies that leave the loop; return those that go round."""
        self.broken += [c.state for c in bodies if isinstance(c, Broke)]
        self.others += [c for c in bodies if not isinstance(c, Next | Broke | Continued)]
        return [Next(c.state) for c in bodies if isinstance(c, Next | Continued)]


Body = Callable[[State, LoopEnds], list[State]]
"""Evaluates an iteration; returns the states that go round, records the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """A head that is open while its body is evaluated: what the body's ends are compared with."""

    roots: Roots
    before: Flattening
    after: Flattening
    head: LoopHead
    born: int

    def check(self, frame: Frame, node: cst.CSTNode, end: State) -> None:
        """Take an end of the body for a back edge (see ``check_back_edge``)."""
        check_back_edge(
            frame, node, end, self.roots, self.before, self.after, self.head, self.born
        )  # fmt: skip

    def takes(self, frame: Frame, node: cst.CSTNode, end: State, number: int) -> bool:
        """Return whether an end of the body of another head can be a back edge to this one.

        Raises Again, for this head, where it can once the head is generalised.
        """
        unbound = set().union(*frame.run.unbound_reads)
        bound = self.after.state.frames
        fresh = {
            (identity, name)
            for identity, live in self.roots.frames
            for name in live & end.frames.get(identity, {}).keys()
            if name not in bound.get(identity, {})
        }
        if fresh & unbound:
            return False
        checkpoint = frame.run.builder.checkpoint(end.block)
        try:
            self.check(frame, node, end.fork(end.block))
        except Unstable:
            return False
        except Again as again:
            raise Again(number) from again
        finally:
            frame.run.builder.rollback(checkpoint)
        return True


@dataclass(frozen=True, slots=True)
class Rolling:
    """A loop that is being rolled."""

    frame: Frame
    node: cst.CSTNode
    trips: Trips
    body: Body
    several: bool = False
    """Whether the loop may have several heads, of different structure."""
    walks: bool = False
    """Whether lists that iterators go through may become lists of the host."""

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the loop."""
        self.frame.refuse(
            "DYCL062",
            self.node,
            f"this loop runs an unknown number of times, and {reason}",
            "keep the shapes of tensors and the structure of containers the same in every "
            "iteration",
        )


def turn(state: State, step: Step, body: Body, ends: LoopEnds) -> list[State]:
    """Do what a loop does next; return the states that go round."""
    match step:
        case Step.ENTER:
            return body(state, ends)
        case Step.LEAVE:
            ends.exhausted.append(state)
            return []
        case Step.SKIP:
            return [state]


def roll_from(
    rolling: Rolling, state: State, ends: LoopEnds, around: tuple[_Level, ...]
) -> list[tuple[int, State]]:
    """Find the fixed point from one state; leave ``state`` as it was on Unstable.

    Ends of the body from which the loop goes on with another structure become ``ends.apart``;
    with several heads, those that go on at one ``around`` this are returned, with its number.
    """
    run = rolling.frame.run
    settling = Settling(run.loops)
    head = LoopHead(versions=tuple(state.versions), walks=[] if rolling.walks else None)
    for _ in range(_MOST_ATTEMPTS):
        if is_over_limit(run):
            rolling.refuse("it takes longer to find out than to unroll it")
        checkpoint = run.builder.checkpoint(state.block)
        diagnostics, raised = len(run.diagnostics), len(run.sinks[-1])
        attempt = LoopEnds()
        run.unbound_reads.append(set())
        try:
            with settling.attempt(run):
                outward = _attempt(
                    rolling, state.fork(state.block), head, attempt, around, settling
                )
        except (Again, Unstable, Refused) as stop:
            run.builder.rollback(checkpoint)
            del run.sinks[-1][raised:]
            if isinstance(stop, Again) and stop.level in (None, len(around)):
                del run.diagnostics[diagnostics:]
                continue
            if isinstance(stop, Again) or not settling.recalled:
                raise
            del run.diagnostics[diagnostics:]
            head = settling.from_nothing(state)
            head.walks = [] if rolling.walks else None
            continue
        finally:
            unbound = run.unbound_reads.pop()
            if run.unbound_reads:
                run.unbound_reads[-1] |= unbound
        if len(run.diagnostics) == diagnostics:
            settling.leave(head)
        ends.exhausted += attempt.exhausted
        ends.broken += attempt.broken
        ends.others += attempt.others
        ends.apart += attempt.apart
        return outward
    raise Unstable("its state does not settle")


def _attempt(
    rolling: Rolling,
    state: State,
    head: LoopHead,
    ends: LoopEnds,
    around: tuple[_Level, ...],
    settling: Settling,
) -> list[tuple[int, State]]:
    frame, node = rolling.frame, rolling.node
    run = frame.run
    born = len(run.builder.variables)
    for identity, kind in head.objects.items():
        if not settle_as(frame, node, state, Reference(identity), kind):
            raise Unstable(DIFFERENT)
    if not all([let_walk(state, identity) for identity in head.walks or ()]):
        raise Unstable(DIFFERENT)
    for variable, kind in head.tuples.items():
        if not let_grow(frame, node, state, variable, kind):
            raise Unstable(DIFFERENT)
    roots = Roots(
        frames=run.live_frames(),
        attributes=tuple(state.attributes),
        versions=head.versions,
        loose=True,
        any_size=True,
    )
    before = Flattening(state, roots).run()
    settling.recall(frame, node, (rolling.several, len(around)), head, before)
    at_head, targets = generalised(frame, node, before, head)
    after = Flattening(at_head.fork(at_head.block), roots).run()
    if len(after.leaves) != len(before.leaves):
        raise Unstable("a part of a tensor that is written in a container is another one each time")
    level = _Level(roots=roots, before=before, after=after, head=head, born=born)
    writes = run.storages.writes
    back: list[State] = []
    for tested, step in list(rolling.trips.step(frame, at_head)):
        back += turn(tested, step, rolling.body, ends)
    staying, outward = _back_edges(rolling, level, back, ends, around)
    for end in staying:
        leaves = Flattening(end, back_roots(end, roots, head)).run().leaves
        if run.storages.writes > writes:
            check_memory(run.storages, before.leaves, after.leaves, leaves)
        assign_slots(frame, node, end, targets, leaves)
        run.builder.close(end.block, Jump(target=targets.block))
    return outward


def _back_edges(
    rolling: Rolling,
    level: _Level,
    back: list[State],
    ends: LoopEnds,
    around: tuple[_Level, ...],
) -> tuple[list[State], list[tuple[int, State]]]:
    """Return the ends of the body that go back to its head, and those that go to one around it."""
    frame, node = rolling.frame, rolling.node
    unstable: list[Unstable] = []
    staying: list[State] = []
    parted: list[State] = []
    for end in join(frame, node, [Next(end) for end in back]):
        try:
            level.check(frame, node, end)
            staying.append(end)
        except Unstable as reason:
            unstable.append(reason)
            parted.append(end)
    if not rolling.several:
        if unstable and not staying:
            raise unstable[0]
        ends.apart += parted
        return staying, []
    outward: list[tuple[int, State]] = []
    for end in parted:
        for number, other in _elsewhere(rolling, end, ends, (*around, level)):
            if number < len(around):
                outward.append((number, other))
                continue
            level.check(frame, node, other)
            staying.append(other)
    return staying, outward


def _elsewhere(
    rolling: Rolling, end: State, ends: LoopEnds, levels: tuple[_Level, ...]
) -> list[tuple[int, State]]:
    """Go on from an end of a body at the open head of its structure, or at one of its own."""
    for number, level in reversed(list(enumerate(levels[:-1]))):
        if level.takes(rolling.frame, rolling.node, end, number):
            return [(number, end)]
    if len(levels) >= _MOST_HEADS:
        raise Unstable(COMES_AND_GOES)
    return roll_from(rolling, end, ends, levels)
