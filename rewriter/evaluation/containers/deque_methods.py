"""Methods that deques alone have, and what methods of lists have in common with them."""

import sys
from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.containers.adding import add_first, turn
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, IteratorValue, ListCell, Reference, Value

Rule = Callable[[Frame, cst.CSTNode, State, Reference, ListCell, list[Value]], Outcomes]


def _appendleft(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del node, cell
    add_first(frame.run, state, receiver, (arguments[0],))
    yield state, NONE


def _extendleft(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del cell
    added = arguments[0]
    if isinstance(added, IteratorValue):
        frame.refuse("DYCL039", node, "extendleft() by an iterator", "give it a list")
    for after, items in items_of(frame, node, state, added):
        add_first(frame.run, after, receiver, items)
        yield after, NONE


def _rotate(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del cell
    places = known_index(frame, node, state, arguments[0]) if arguments else 1
    if abs(places) > sys.maxsize:
        error = OverflowError("Python int too large to convert to C ssize_t")
        frame.run.raise_known(state, error)
        return
    turn(frame.run, state, receiver, places)
    yield state, NONE


DEQUE_RULES: dict[str, Rule] = {
    "appendleft": _appendleft,
    "extendleft": _extendleft,
    "rotate": _rotate,
}


def known_index(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> int:
    """Return a place that is known, or refuse it."""
    known = known_object(state, value)
    if known is None or not isinstance(known.value, int):
        frame.refuse("DYCL039", node, "this list index is known only at run time")
    return known.value
