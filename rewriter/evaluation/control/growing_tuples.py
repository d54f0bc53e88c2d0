"""Variables of loops of unknown length that hold a longer tuple in each iteration.

A tuple of known length is a value without identity; one of any length exists on the host.
"""

import libcst as cst

from rewriter.evaluation.host.host_fitting import fits
from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import made, run_time_cell
from rewriter.flattening import Roots
from rewriter.host_type_relations import unify, widened
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import Known, TupleValue, Value

Variable = tuple[int, str]
"""A variable, by the frame that it is of."""


def growing_tuple(
    frame: Frame, node: cst.CSTNode, roots: Roots, head: State, end: State
) -> tuple[Variable, SequenceType] | None:
    """Return a variable that holds tuples of different lengths, and a type of all of them."""
    for identity, live in roots.frames:
        before, after = head.frames.get(identity, {}), end.frames.get(identity, {})
        for name in sorted(live & before.keys() & after.keys()):
            given = type_of_tuples(head, before[name], end, after[name])
            if given is not None:
                element = end.places.made_at(given.element, frame.origin(node), name)
                return (identity, name), SequenceType(element, tuple)
    return None


def type_of_tuples(head: State, one: Value, end: State, other: Value) -> SequenceType | None:
    """Return the type of two tuples, None where they are alike or not both tuples."""
    if not _is_tuple(head, one) or not _is_tuple(end, other):
        return None
    if run_time_cell(head, one) is not None and run_time_cell(end, other) is not None:
        return None
    try:
        found = widened(type_of(head, one), type_of(end, other))
    except NoHostType:
        return None
    return found if isinstance(found, SequenceType) else None


def _is_tuple(state: State, value: Value) -> bool:
    cell = run_time_cell(state, value)
    if cell is not None:
        return cell.kind is tuple
    if isinstance(value, TupleValue):
        return value.kind is tuple
    return isinstance(value, Known) and type(value.value) is tuple


def let_grow(
    frame: Frame, node: cst.CSTNode, state: State, variable: Variable, wanted: SequenceType
) -> bool:
    """Let a variable hold a tuple of any length; return whether it holds one of a type now."""
    identity, name = variable
    longer = any_length(frame, node, state, state.frames[identity][name], wanted)
    if longer is not None:
        state.frames[identity][name] = longer
    return longer is not None


def any_length(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, wanted: SequenceType
) -> Value | None:
    """Return a tuple as one of any length, of a type; None where it does not fit."""
    cell = run_time_cell(state, value)
    if cell is not None:
        return value if unify(cell.type, wanted) else None
    try:
        if not fits(state, value, wanted):
            state.places.compare(type_of(state, value), wanted)
            return None
    except NoHostType:
        return None
    display = put(frame, node, state, value, wanted)
    return made(frame, node, state, display, wanted, may_raise=False)
