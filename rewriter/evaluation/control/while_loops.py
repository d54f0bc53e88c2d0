"""``while``: unrolled while its test is known, one copy of the body from then on."""

from dataclasses import dataclass
from itertools import count

import libcst as cst

from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.control.looping import Looping
from rewriter.evaluation.control.loops import after_loop
from rewriter.evaluation.control.open_iterations import has_newer_sizes, join_iteration, tried
from rewriter.evaluation.control.rolled_loops import roll, suite
from rewriter.evaluation.control.standing_still import StandingStill
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.control.trips import Step, TestTrips, is_endless
from rewriter.evaluation.control.worklists import Worklist
from rewriter.evaluation.dispatch import statement_rule
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, State


@statement_rule(cst.While)
def while_(frame: Frame, node: cst.While, state: State) -> list[Completion]:
    """``while test: ... else: ...``: unrolled while the test is known, rolled from then on."""
    found = LoopEnds()
    trips = TestTrips(node)
    still = StandingStill(node)
    opening = _Opening(is_endless(node), frame.run.sizes.unbacked_symint_counter)
    work = Worklist(frame, node, lambda each: roll(frame, node, each, trips, suite(frame, node)))
    with Looping(frame, node):
        pending = work.begin(state, found)
        for iteration in count():
            if not pending:
                break
            if iteration > frame.run.options.most_iterations:
                frame.refuse("DYCL024", node, f"the loop runs more than {iteration - 1} times")
            bodies: list[Completion] = []
            parted = iteration > 0 and len(pending) > 1
            still.next_iteration()
            too_long = iteration > frame.run.options.unroll and is_endless(node)
            for before in pending:
                outcomes = _known_outcomes(frame, node, before, trips)
                # What an argument's object holds keeps the paths apart: it may go on for long.
                follows = parted and bool(before.reads) and _enters(outcomes)
                needed = outcomes is None or too_long or follows
                stands = not needed and _enters(outcomes)
                stands = stands and still.promises(frame, before, iteration, parted=parted)
                ends = _rolled_while(frame, node, before, trips, opening, needed, stands)
                still.given_up = still.given_up or (stands and ends is None)
                if ends is not None:
                    found.add(ends)
                    continue
                for after, step in outcomes or []:
                    if step is Step.ENTER:
                        bodies += execute_suite(frame, node.body, after)
                    else:
                        found.exhausted.append(after)
            going_on = found.add_bodies(bodies)
            first = opening.first if opening.wanted else None
            pending = work.rolled(join_iteration(frame, node, going_on, first), found)
    return [*found.others, *after_loop(frame, node, found.exhausted, found.broken)]


@dataclass(slots=True)
class _Opening:
    """Whether a loop that could be unrolled is tried rolled when it makes sizes."""

    wanted: bool
    first: int
    """The number of the first symbol that the loop may have made."""


def _rolled_while(
    frame: Frame,
    node: cst.While,
    state: State,
    trips: TestTrips,
    opening: _Opening,
    needed: bool,
    stands: bool,
) -> LoopEnds | None:
    """Roll a loop where that is needed or promising; None where it is to be unrolled."""

    def rolled(attempt: State) -> LoopEnds:
        return roll(frame, node, attempt, trips, suite(frame, node))

    if needed:
        return rolled(state)
    if stands:
        return tried(frame, state, rolled)
    if not opening.wanted or not has_newer_sizes(frame, state, opening.first):
        return None
    ends = tried(frame, state, rolled)
    opening.wanted = ends is not None
    return ends


def _enters(outcomes: "list[tuple[State, Step]] | None") -> bool:
    return outcomes is not None and all(step is Step.ENTER for _, step in outcomes)


def _known_outcomes(
    frame: Frame, node: cst.While, state: State, trips: TestTrips
) -> list[tuple[State, Step]] | None:
    """Evaluate the test; return None, and undo it, where it is known only at run time."""
    builder = frame.run.builder
    checkpoint = builder.checkpoint(state.block)
    raised = len(frame.run.sinks[-1])
    attempt = state.fork(state.block)
    outcomes = list(trips.step(frame, attempt))
    if all(after.block == state.block for after, _ in outcomes) and outcomes:
        return outcomes
    builder.rollback(checkpoint)
    del frame.run.sinks[-1][raised:]
    return None
