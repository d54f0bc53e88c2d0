"""Loops with a trip count known at compile time: unrolled, one copy of the body per item."""

from collections.abc import Callable, Iterator
from functools import partial

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.containers.lazy_iterators import SKIPPED, Items, next_item
from rewriter.evaluation.control.early_rolling import EarlyRolling
from rewriter.evaluation.control.iteration import items_of, iterator_of, walked
from rewriter.evaluation.control.known_walks import known_walk
from rewriter.evaluation.control.late_rolling import LateRolling
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.control.looping import Looping
from rewriter.evaluation.control.open_iterations import join_iteration, tried
from rewriter.evaluation.control.rolled_loops import roll, suite
from rewriter.evaluation.control.statements import execute_suite, join
from rewriter.evaluation.control.trips import IteratorTrips, RangeTrips, Trips
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.generators.loops_within_generators import within_generator
from rewriter.evaluation.host.array_walks import array_walk
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.record_walks import record_walk
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.state import Completion, Continued, Next, State
from rewriter.values import (
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeRange,
    Value,
    ViewValue,
)

_FEW = 2
"""Turns that are unrolled in any case."""


def _item(
    frame: Frame,
    node: cst.For,
    state: State,
    source: IteratorValue | None,
    items: tuple[Value, ...],
    index: int,
) -> Items:
    """Yield the next item: of an iterator, or of items that cannot change."""
    if source is not None:
        yield from next_item(frame, node, state, source, becoming=True)
    else:
        yield state, items[index] if index < len(items) else None


def _source(
    frame: Frame, node: cst.For, state: State, iterable: Value
) -> Iterator[tuple[State, IteratorValue | None, tuple[Value, ...]]]:
    """Yield what a loop walks: an iterator, or items that cannot change."""
    if isinstance(iterable, IteratorValue):
        yield state, iterable, ()
        return
    walking = array_walk(frame, state, iterable)
    if isinstance(iterable, Reference | ViewValue):
        walking = record_walk(frame, state, iterable) or known_walk(
            frame, state, iterable, owned=True
        )
    if walking is not None:
        state.carry(walking)
        yield state, walking, ()
        return
    for after, items in items_of(frame, node.iter, state, iterable):
        yield after, None, items


def _iterables(frame: Frame, node: cst.For, state: State) -> Iterator[tuple[State, Value]]:
    for after, iterable in evaluate(frame, node.iter, state):
        yield from walked(frame, node.iter, after, iterable)


@statement_rule(cst.For)
def for_(frame: Frame, node: cst.For, state: State) -> list[Completion]:
    """``for target in items: ... else: ...``."""
    if node.asynchronous is not None:
        frame.refuse("DYCL002", node, "async loops are not supported")
    finished: list[Completion] = []
    exhausted: list[State] = []
    broken: list[State] = []
    for after, iterable in _iterables(frame, node, state):
        if is_run_time(after, iterable):
            for start, trips in _run_time_trips(frame, node, after, iterable):
                with Looping(frame, node, trips.hidden()):
                    trips.start(frame, start)
                    ends = roll(frame, node, start, trips, suite(frame, node))
                exhausted += ends.exhausted
                broken += ends.broken
                finished += ends.others
            continue
        for start, source, items in _source(frame, node, after, iterable):
            found = _rolled_if_long(frame, node, start, iterable)
            if found is None and source is not None:
                walk = partial(_walk, frame, node, source=source, items=())
                found = within_generator(frame, node, start, source, walk)
            ends = found or _unrolled(frame, node, start, iterable, source, items)
            exhausted += ends.exhausted
            broken += ends.broken
            finished += ends.others
    return [*finished, *after_loop(frame, node, exhausted, broken)]


def _run_time_trips(
    frame: Frame, node: cst.For, state: State, iterable: Value
) -> Iterator[tuple[State, Trips]]:
    """Yield how a loop goes round whose items are known only at run time."""
    if isinstance(iterable, RunTimeRange):
        yield state, RangeTrips(node, iterable.start, iterable.stop, iterable.step, iterable.stride)
        return

    def bind(after: State, item: Value) -> list[State]:
        return assign(frame, node.target, after, item)

    for after, iterator in iterator_of(frame, node.iter, state, iterable):
        yield after, IteratorTrips(node, iterator, bind)


def _rolled_if_long(frame: Frame, node: cst.For, state: State, iterable: Value) -> LoopEnds | None:
    """Keep a long loop over a range rolled where its body tests run-time values.

    Returns None, with nothing emitted, where it is short, straight, or not isomorphic.
    """
    run = frame.run
    if not (isinstance(iterable, Known) and isinstance(iterable.value, range)):
        return None
    numbers = iterable.value
    if len(numbers) <= run.options.unroll or not _branches(frame, node, state, numbers[0]):
        return None
    return _tried_rolled(frame, node, state, numbers)


def _tried_rolled(frame: Frame, node: cst.For, state: State, numbers: range) -> LoopEnds | None:
    """Roll a loop that could be unrolled, too; None, with nothing emitted, where it is refused."""
    trips = RangeTrips(node, Known(numbers.start), Known(numbers.stop), numbers.step)

    def rolled(attempt: State) -> LoopEnds:
        with Looping(frame, node, trips.hidden()):
            trips.start(frame, attempt)
            # it can be unrolled, too: what a first iteration does not settle is not worth more
            body = suite(frame, node)
            return roll(frame, node, attempt, trips, body, most_peeled=1, several=False)

    return tried(frame, state, rolled)


def _unrolled(
    frame: Frame,
    node: cst.For,
    state: State,
    iterable: Value,
    source: IteratorValue | None,
    items: tuple[Value, ...],
) -> LoopEnds:
    """Unroll a loop, unless its first turns leave so many paths that it is better rolled."""
    numbers = iterable.value if isinstance(iterable, Known) else None
    if not isinstance(numbers, range) or len(numbers) <= _FEW:
        return _walk(frame, node, state, source, items)
    early, mark, saved = EarlyRolling(frame, node), Mark(frame.run, state), state.fork(state.block)

    def rolled() -> LoopEnds | None:
        start = saved.fork(frame.run.builder.new_block())
        since = Mark(frame.run, start)
        ends = early.tried(lambda: _tried_rolled(frame, node, start, numbers))
        if ends is not None:
            mark.replace_by(since)
        return ends

    def instead(paths: int) -> LoopEnds | None:
        return rolled() if early.is_wanted(paths) else None

    ends = rolled() if early.at_once else None
    return ends or _walk(frame, node, state, source, items, instead)


def _branches(frame: Frame, node: cst.For, state: State, first: int) -> bool:
    """Return whether the first iteration tests a run-time value."""
    run = frame.run
    checkpoint = run.builder.checkpoint(state.block)
    raised, diagnostics = len(run.sinks[-1]), len(run.diagnostics)
    attempt = state.fork(state.block)
    try:
        with Looping(frame, node):
            ended = [
                completion
                for bound in assign(frame, node.target, attempt, Known(first))
                for completion in execute_suite(frame, node.body, bound)
            ]
        return len(ended) != 1 or ended[0].state.block != state.block
    except Refused:
        return False
    finally:
        run.builder.rollback(checkpoint)
        del run.sinks[-1][raised:]
        del run.diagnostics[diagnostics:]


def _walk(
    frame: Frame,
    node: cst.For,
    state: State,
    source: IteratorValue | None,
    items: tuple[Value, ...],
    instead: Callable[[int], LoopEnds | None] = lambda paths: None,
) -> LoopEnds:
    """Go through a loop turn by turn, unless something else is done ``instead`` of many paths."""
    pending = [state]
    ends = LoopEnds()
    index, late = 0, LateRolling(frame)
    held = f"walk of {id(node)}"  # no name of the user's can look like this
    if source is not None and _is_generator(state, source):
        state.frames[frame.identity][held] = source
    with Looping(frame, node, frozenset({held})):
        while pending:
            if index > frame.run.options.most_iterations:
                frame.refuse("DYCL024", node, f"the loop runs more than {index - 1} times")
            bodies: list[Completion] = []
            for before in pending:
                roll_rest = partial(_rolled_rest, frame, node, source)
                left = ends.count > len(ends.exhausted)
                rest = late.rest(before, source, index, roll_rest, left=left)
                if rest is not None:
                    ends.add(rest)
                    continue
                for after, item in _item(frame, node, before, source, items, index):
                    if item is None:
                        ends.exhausted.append(after)
                        continue
                    bodies += _turn(frame, node, after, item)
            pending = join_iteration(frame, node, ends.add_bodies(bodies))
            late.require_few_ends(node, source, ends.count, pending)
            index += 1
            rolled = instead(len(pending) + ends.count) if pending else None
            if rolled is not None:
                return rolled
    for end in (*ends.exhausted, *ends.broken, *(completion.state for completion in ends.others)):
        end.frames.get(frame.identity, {}).pop(held, None)
    return ends


def _turn(frame: Frame, node: cst.For, state: State, item: Value) -> list[Completion]:
    """Execute the body for an item; not where a generator has begun a loop of its own."""
    if item is SKIPPED:
        return [Continued(state)]
    return [
        completion
        for bound in assign(frame, node.target, state, item)
        for completion in execute_suite(frame, node.body, bound)
    ]


def _is_generator(state: State, iterator: IteratorValue) -> bool:
    """Return whether an iterator has variables of its own, which no other name may reach."""
    source = state.cell(Reference(iterator.identity), IteratorCell).source
    return source is not None and bool(source.captured)


def _rolled_rest(
    frame: Frame, node: cst.For, iterator: IteratorValue | None, state: State
) -> LoopEnds:
    """Go on with a loop whose items have become known only at run time."""
    assert iterator is not None

    def bind(after: State, item: Value) -> list[State]:
        return assign(frame, node.target, after, item)

    trips = IteratorTrips(node, iterator, bind)
    with Looping(frame, node, trips.hidden()):
        trips.start(frame, state)
        return roll(frame, node, state, trips, suite(frame, node))


def after_loop(
    frame: Frame, node: cst.For | cst.While, exhausted: list[State], broken: list[State]
) -> list[Completion]:
    """Go on after a loop: through its ``else`` where it was not left by ``break``."""
    completions: list[Completion] = []
    for state in join(frame, node, [Next(state) for state in exhausted]):
        if node.orelse is None:
            completions.append(Next(state))
        else:
            completions += execute_suite(frame, node.orelse.body, state)
    return [*completions, *(Next(state) for state in broken)]
