"""Functions of lists that may be empty, or hold empty lists: what they give is of another type.

The array of an empty list holds floats, and has fewer dimensions than that of rows.
"""

import libcst as cst
import numpy

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_samples import has_rows, in_rows
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import length_of
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, RunTimeCell, Value

_OF_ROWS = (numpy.array, numpy.asarray)


def by_emptiness(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    filled: frozenset[str],
) -> Outcomes | None:
    """Call a function on a list that has elements, and on one that has none; None for others.

    ``filled`` says what is known already.
    """
    listed = _perhaps_empty(state, positional, filled)
    if listed is not None:
        return _by_length(frame, node, state, function, positional, keywords, filled, listed)
    rows = _perhaps_empty_rows(state, positional, filled)
    if rows is not None and function.value in _OF_ROWS:
        return _by_rows(frame, node, state, function, positional, keywords, filled, rows)
    return None


def _by_length(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    filled: frozenset[str],
    listed: Reference,
) -> Outcomes:
    # Calls on the host ask by emptiness themselves: a real cycle.
    from rewriter.evaluation.host.host_objects import call_on_host

    length = length_of(frame, node, state, listed)
    for arm, some in truths(frame, node, state, length):
        if some:
            known = filled | {arm.cell(listed, RunTimeCell).name}
            yield from call_on_host(frame, node, arm, function, positional, keywords, known)
            continue
        empty = frame.run.allocate(arm, ListCell(()))
        given = [empty if value is listed else value for value in positional]
        yield from call_value(frame, node, arm, function, given, keywords)


def _by_rows(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    filled: frozenset[str],
    name: str,
) -> Outcomes:
    """Make an array of rows with something in each, and of rows with nothing.

    Where there is nothing in some of them only, numpy raises, here as in the original.
    """
    # Calls on the host ask by emptiness themselves: a real cycle.
    from rewriter.evaluation.host.host_objects import call_on_host

    each = frame.run.builder.reference(all, "all")
    test = call_expression(each, [name_expression(name)])
    flag = host_scalar(frame.run, state, test, bool, frame.origin(node))
    for arm, some in truths(frame, node, state, flag):
        known = filled | {in_rows(name, "something" if some else "nothing")}
        yield from call_on_host(frame, node, arm, function, positional, keywords, known)


def _perhaps_empty(
    state: State, positional: list[Value], filled: frozenset[str]
) -> Reference | None:
    """Return the first list of the host among the arguments that may be empty."""
    for value in positional:
        cell = state.heap[value.identity] if isinstance(value, Reference) else None
        if isinstance(cell, RunTimeCell) and cell.kind is list and cell.name not in filled:
            assert isinstance(value, Reference)
            return value
    return None


def _perhaps_empty_rows(
    state: State, positional: list[Value], filled: frozenset[str]
) -> str | None:
    """Return the variable of the list that comes first, if lists in it may be empty."""
    first = positional[0] if positional else None
    cell = state.heap[first.identity] if isinstance(first, Reference) else None
    if not isinstance(cell, RunTimeCell) or not has_rows(cell.type):
        return None
    told = {in_rows(cell.name, "something"), in_rows(cell.name, "nothing")}
    return cell.name if filled.isdisjoint(told) else None
