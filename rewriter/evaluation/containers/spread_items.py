"""Elements of lists and tuples in which others are spread: ``[a, *items, b()]``, one after another.

What is spread is taken before the next element is evaluated. How many items there are may be
known only at run time: then they are copied first, where that evaluation may change them.
"""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import listed_items
from rewriter.evaluation.control.iteration import items_counted
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.state import State
from rewriter.values import IteratorValue, Known, Value

Part = tuple[Value, bool]
"""An element, or what is to be spread."""
Parts = list[Part]


def spread_parts(
    frame: Frame, nodes: list[cst.BaseElement], state: State
) -> Iterator[tuple[State, Parts]]:
    """Evaluate elements; yield them, and what has items that are known only at run time."""
    if not nodes:
        yield state, []
        return
    *earlier, last = nodes
    for before, done in spread_parts(frame, earlier, state):
        for after, parts, value in _evaluated(frame, last, before, done):
            if isinstance(last, cst.StarredElement):
                for spread, own in _spread(frame, last, after, value):
                    yield spread, [*parts, *own]
            else:
                yield after, [*parts, (value, False)]


def _evaluated(
    frame: Frame, node: cst.BaseElement, state: State, done: Parts
) -> Iterator[tuple[State, Parts, Value]]:
    """Evaluate the next element; what is still to be spread is copied where it may change."""
    run = frame.run
    if not any(starred for _, starred in done):
        for after, value in evaluate(frame, node.value, state):
            yield after, done, value
        return
    mark, before, effects = Mark(run, state), state.fork(state.block), run.effects
    ends = list(evaluate(frame, node.value, state))
    if run.effects == effects:
        for after, value in ends:
            yield after, done, value
        return
    mark.restore()
    for copied, parts in _copied(frame, node, before, done):
        for after, value in evaluate(frame, node.value, copied):
            yield after, parts, value


def _copied(
    frame: Frame, node: cst.CSTNode, state: State, parts: Parts
) -> Iterator[tuple[State, Parts]]:
    pending: list[tuple[State, Parts]] = [(state, [])]
    for value, starred in parts:
        pending = [
            (after, [*so_far, (made, starred)])
            for before, so_far in pending
            for after, made in (
                call_value(frame, node, before, Known(list), [value], {})
                if starred
                else [(before, value)]
            )
        ]
    yield from pending


def _spread(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, Parts]]:
    """Take what is spread now, as ``list`` does where that may end at run time."""
    if is_run_time(state, value):
        yield state, [(value, True)]
    elif isinstance(value, IteratorValue):
        for after, made in call_value(frame, node, state, Known(list), [value], {}):
            items = listed_items(after, made)
            yield after, [(made, True)] if items is None else [(item, False) for item in items]
    else:
        for after, items in items_counted(frame, node, state, value):
            yield after, [(item, False) for item in items]
