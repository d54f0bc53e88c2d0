"""Sorting by a function that compares two items: ``functools.cmp_to_key``."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_typing import NoHostType, common_type
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.moving import make_run_time
from rewriter.host_types import SequenceType
from rewriter.prelude import applying, ordering
from rewriter.state import State
from rewriter.values import Known, ListCell, ObjectCell, Reference, Value


def comparison_of(state: State, key: Value | None) -> Value | None:
    """Return the function that ``cmp_to_key`` made a key of, None for other keys."""
    cell = state.heap[key.identity] if isinstance(key, Reference) else None
    if not isinstance(cell, ObjectCell) or cell.kind is not applying.cmp_to_key:
        return None
    return cell.attributes["compare"]


def sorted_by(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, compare: Value,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Sort a new list, and give it."""
    _move(frame, node, state, items)
    given: list[Value] = [items, keywords.get("reverse", Known(False)), compare]
    for after, _ in call_value(frame, node, state, Known(ordering.sort), given, {}):
        yield after, items


def sort_in_place_by(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, compare: Value,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``items.sort(key=cmp_to_key(compare))``."""
    _move(frame, node, state, items)
    given: list[Value] = [items, keywords.get("reverse", Known(False)), compare]
    yield from call_value(frame, node, state, Known(ordering.sort_in_place), given, {})


def _move(frame: Frame, node: cst.CSTNode, state: State, items: Reference) -> None:
    """Move a list to the host, which orders it in a loop, unless all in it is known."""
    cell = state.heap[items.identity]
    if not isinstance(cell, ListCell):
        return
    if all(known_object(state, item) is not None for item in cell.items):
        return
    try:
        kind = SequenceType(common_type(state, cell.items))
    except NoHostType:
        return
    make_run_time(frame, node, state, items, kind)
