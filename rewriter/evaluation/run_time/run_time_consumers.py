"""Loops inside of expressions: what takes the items of a run-time iterator one by one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.comprehensions import merged
from rewriter.evaluation.containers.filling import add_element
from rewriter.evaluation.containers.lazy_iterators import raise_end, result_of
from rewriter.evaluation.control.iteration import iterator_of
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.control.rolled_loops import roll
from rewriter.evaluation.control.trips import IteratorTrips
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import host_type, run_time_cell
from rewriter.evaluation.run_time.run_time_sequences import numbered, to_run_time
from rewriter.host_types import HostType, SequenceType
from rewriter.state import State
from rewriter.values import IteratorValue, ListCell, Reference, Value

Take = Callable[[State, Value, LoopEnds], list[State]]
"""Does something with an item; returns the states that go on to the next."""
Row = tuple[State, tuple[Value, ...]]
"""What an item gives for each of several lists."""


@contextmanager
def hidden_names(frame: Frame, names: frozenset[str]) -> Iterator[None]:
    """Keep variables of the evaluator's own alive."""
    live = frame.live
    frame.live = live | names
    frame.continuations.append(frame.live)
    try:
        yield
    finally:
        frame.continuations.pop()
        frame.live = live


def each(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, take: Take
) -> LoopEnds:
    """Do something with each item of an iterator that ends at run time."""
    item_name = f"item of {id(node)}"

    def bind(after: State, item: Value) -> list[State]:
        after.frames[frame.identity][item_name] = item
        return [after]

    def body(after: State, ends: LoopEnds) -> list[State]:
        return take(after, after.frames[frame.identity].pop(item_name), ends)

    trips = IteratorTrips(node, iterator, bind)
    with hidden_names(frame, trips.hidden()):
        trips.start(frame, state)
        ends = roll(frame, node, state, trips, body)
        for end in (*ends.exhausted, *ends.broken):
            for name in trips.hidden():
                end.frames[frame.identity].pop(name, None)
    ends.exhausted = merged(frame, node, ends.exhausted)
    return ends


def first_item(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, default: list[Value]
) -> Outcomes:
    """Evaluate ``next(iterator, default)``: filters may take many items out."""
    found = f"found by {id(node)}"

    def take(after: State, item: Value, ends: LoopEnds) -> list[State]:
        after.frames[frame.identity][found] = item
        ends.broken.append(after)
        return []

    with hidden_names(frame, frozenset({found})):
        ends = each(frame, node, state, iterator, take)
        broken = merged(frame, node, ends.broken)
    for end in broken:
        item = end.frames[frame.identity].pop(found)
        end.carry(item)
        yield end, item
    for end in ends.exhausted:
        if default:
            yield end, default[0]
        else:
            raise_end(frame.run, end, result_of(end, iterator))


def folded(
    frame: Frame, node: cst.CSTNode, state: State, source: Value, start: Value,
    step: Callable[[State, Value, Value], Outcomes],
) -> Outcomes:  # fmt: skip
    """Combine the items of a run-time iterable one after the other, from a start on."""
    total = f"total of {id(node)}"

    def take(after: State, item: Value, ends: LoopEnds) -> list[State]:
        del ends
        finished: list[State] = []
        for done, combined in step(after, after.frames[frame.identity][total], item):
            done.frames[frame.identity][total] = combined
            finished.append(done)
        return finished

    for after, iterator in iterator_of(frame, node, state, source):
        after.frames[frame.identity][total] = start
        with hidden_names(frame, frozenset({total})):
            ends = each(frame, node, after, iterator, take)
        for end in ends.exhausted:
            result = end.frames[frame.identity].pop(total)
            end.carry(result)
            yield end, result


def drained(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
) -> Iterator[tuple[State, Reference]]:
    """Yield a run-time list of all that an iterator gives."""

    def compute(after: State, item: Value) -> Iterator[Row]:
        yield after, (item,)

    for done, (listed,) in _collected(frame, node, state, iterator, compute, 1):
        yield done, listed


def mapped(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, items: Reference
) -> Iterator[tuple[State, Reference, HostType]]:
    """Yield a run-time list of a function's results, numbers in place of tensors."""

    def compute(after: State, item: Value) -> Iterator[Row]:
        for called, result in _number_of(frame, node, after, function, item):
            yield called, (result,)

    for after, iterator in iterator_of(frame, node, state, items):
        for done, (results,) in _collected(frame, node, after, iterator, compute, 1):
            yield done, results, _element(frame, node, done, results)


def keyed(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, iterator: IteratorValue
) -> Iterator[tuple[State, Reference, Reference, HostType]]:
    """Yield run-time lists of what an iterator gives and of a function's results for that.

    The function is called for each item before the next one is asked for.
    """

    def compute(after: State, item: Value) -> Iterator[Row]:
        for called, result in _number_of(frame, node, after, function, item):
            yield called, (item, result)

    for done, (items, keys) in _collected(frame, node, state, iterator, compute, 2):
        yield done, items, keys, _element(frame, node, done, keys)


def _number_of(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, item: Value
) -> Iterator[tuple[State, Value]]:
    for called, result in call_value(frame, node, state, function, [item], {}):
        yield from numbered(frame, node, called, result)


def _element(frame: Frame, node: cst.CSTNode, state: State, listed: Reference) -> HostType:
    kind = host_type(frame, node, state, listed)
    assert isinstance(kind, SequenceType)
    return kind.element


def _collected(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    iterator: IteratorValue,
    compute: Callable[[State, Value], Iterator[Row]],
    count: int,
) -> Iterator[tuple[State, tuple[Reference, ...]]]:
    """Yield run-time lists, as many as each item gives values for."""
    results = tuple(frame.run.allocate(state, ListCell(())) for _ in range(count))
    names = [f"results of {id(node)}, {place}" for place in range(count)]
    state.frames[frame.identity].update(zip(names, results, strict=True))

    def take(after: State, item: Value, ends: LoopEnds) -> list[State]:
        del ends
        finished: list[State] = []
        for called, values in compute(after, item):
            pending = [called]
            for result, value in zip(results, values, strict=True):
                pending = [
                    done
                    for before in pending
                    for done in add_element(frame, node, before, result, (value,))
                ]
            finished += pending
        return finished

    with hidden_names(frame, frozenset(names)):
        ends = each(frame, node, state, iterator, take)
    for end in ends.exhausted:
        for name, result in zip(names, results, strict=True):
            end.frames[frame.identity].pop(name, None)
            if run_time_cell(end, result) is None:
                to_run_time(frame, node, end, result)
            end.carry(result)
        yield end, results
