"""Loops with a trip count known at compile time: unrolled, one copy of the body per item."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.disturbed_walks import check_known
from rewriter.evaluation.iteration import items_of, iterator_of
from rewriter.evaluation.lazy_iterators import Items, listed_items, next_item
from rewriter.evaluation.open_iterations import join_iteration, tried
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rolled_loops import LoopEnds, roll, suite
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time_kinds import is_run_time
from rewriter.evaluation.statements import execute_suite, join
from rewriter.evaluation.trips import IteratorTrips, RangeTrips, Trips
from rewriter.name_liveness import reads_first
from rewriter.state import Broke, Completion, Continued, Next, State
from rewriter.values import (
    IteratorValue,
    Known,
    Reference,
    RunTimeRange,
    Value,
    ViewValue,
)


def _item(
    frame: Frame,
    node: cst.For,
    state: State,
    source: Value,
    items: tuple[Value, ...],
    index: int,
) -> Items:
    """Yield the next item; lists, dicts and iterators of the program are read as they are now."""
    if isinstance(source, IteratorValue):
        yield from next_item(frame, node, state, source)
        return
    current = None
    if isinstance(source, Reference | ViewValue):
        current = listed_items(state, source)
        if not check_known(frame, node, state, source, items, current):
            return
    current = items if current is None else current
    yield state, current[index] if index < len(current) else None


@statement_rule(cst.For)
def for_(frame: Frame, node: cst.For, state: State) -> list[Completion]:
    """``for target in items: ... else: ...``."""
    if node.asynchronous is not None:
        frame.refuse("DYCL002", node, "async loops are not supported")
    finished: list[Completion] = []
    exhausted: list[State] = []
    broken: list[State] = []
    for after, iterable in evaluate(frame, node.iter, state):
        if is_run_time(after, iterable):
            for start, trips in _run_time_trips(frame, node, after, iterable):
                with Looping(frame, node, trips.hidden()):
                    trips.start(frame, start)
                    ends = roll(frame, node, start, trips, suite(frame, node))
                exhausted += ends.exhausted
                broken += ends.broken
                finished += ends.others
            continue
        starts = (
            iter([(after, ())])
            if isinstance(iterable, IteratorValue)
            else items_of(frame, node.iter, after, iterable)
        )
        for start, items in starts:
            rolled = _rolled_if_long(frame, node, start, iterable)
            if rolled is not None:
                exhausted += rolled.exhausted
                broken += rolled.broken
                finished += rolled.others
                continue
            ended = _walk(frame, node, start, iterable, items, broken)
            finished += [c for c in ended if not isinstance(c, Next)]
            exhausted += [c.state for c in ended if isinstance(c, Next)]
    return [*finished, *after_loop(frame, node, exhausted, broken)]


def _run_time_trips(
    frame: Frame, node: cst.For, state: State, iterable: Value
) -> Iterator[tuple[State, Trips]]:
    """Yield how a loop goes round whose items are known only at run time."""
    if isinstance(iterable, RunTimeRange):
        yield state, RangeTrips(node, iterable.start, iterable.stop, iterable.step)
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
    trips = RangeTrips(node, Known(numbers.start), Known(numbers.stop), numbers.step)

    def rolled(attempt: State) -> LoopEnds:
        with Looping(frame, node, trips.hidden()):
            trips.start(frame, attempt)
            return roll(frame, node, attempt, trips, suite(frame, node))

    return tried(frame, state, rolled)


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
    source: Value,
    items: tuple[Value, ...],
    broken: list[State],
) -> list[Completion]:
    pending = [state]
    finished: list[Completion] = []
    index = 0
    with Looping(frame, node):
        while pending:
            if index > frame.run.options.most_iterations:
                frame.refuse("DYCL024", node, f"the loop runs more than {index - 1} times")
            bodies: list[Completion] = []
            for before in pending:
                for after, item in _item(frame, node, before, source, items, index):
                    if item is None:
                        finished.append(Next(after))
                        continue
                    for bound in assign(frame, node.target, after, item):
                        bodies += execute_suite(frame, node.body, bound)
            broken += [c.state for c in bodies if isinstance(c, Broke)]
            finished += [c for c in bodies if not isinstance(c, Next | Broke | Continued)]
            going_on = [Next(c.state) for c in bodies if isinstance(c, Next | Continued)]
            pending = join_iteration(frame, node, going_on)
            index += 1
    return finished


class Looping:
    """While a loop's body is evaluated, all that the loop reads may be read again."""

    def __init__(
        self, frame: Frame, node: cst.For | cst.While, hidden: frozenset[str] = frozenset()
    ) -> None:
        self.frame = frame
        later = frame.continuations[-1] if frame.continuations else frozenset()
        self.live = reads_first(node) | later | hidden

    def __enter__(self) -> None:
        self.previous = self.frame.live
        self.frame.continuations.append(self.live)
        self.frame.live = self.live

    def __exit__(self, *_: object) -> None:
        self.frame.continuations.pop()
        self.frame.live = self.previous


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
