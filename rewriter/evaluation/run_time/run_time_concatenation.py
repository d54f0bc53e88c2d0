"""``+`` and ``*`` of lists, tuples and deques of which one exists at run time only."""

import ast
from collections import deque

import libcst as cst

from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.rendering import call_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.mixed_lists import is_mixed_list, mixed_items
from rewriter.evaluation.run_time.run_time_iterables import host_iterable
from rewriter.evaluation.run_time.run_time_making import spread_on_host
from rewriter.evaluation.run_time.run_time_objects import host_type, made, run_time_cell
from rewriter.evaluation.run_time.run_time_sequences import numbered
from rewriter.evaluation.run_time.run_time_unpacking import Parts
from rewriter.host_type_relations import same, widened
from rewriter.host_types import HostType, NumberType, SequenceType
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, RunTimeCell, TupleValue, Value


def sequence_operator(
    frame: Frame, node: cst.CSTNode, state: State, name: str, left: Value, right: Value
) -> Outcomes | None:
    """Return the outcomes of ``+`` and ``*`` where an operand is a run-time sequence, else None."""
    if name in ("add", "concat") and any(is_mixed_list(state, value) for value in (left, right)):
        return _taken_apart(frame, node, state, left, right)
    kinds = [_sequence_type(state, value) for value in (left, right)]
    if name in ("add", "concat") and None not in kinds:
        return _concatenated(frame, node, state, left, right)
    if name == "mul" and any(kinds):
        sequence, count = (left, right) if kinds[0] is not None else (right, left)
        return _repeated(frame, node, state, sequence, count)
    return None


def _taken_apart(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value
) -> Outcomes:
    """Add lists of known length of which one is on the host."""
    for one, first in _items(frame, node, state, left):
        for after, second in _items(frame, node, one, right):
            yield after, frame.run.allocate(after, ListCell((*first, *second)))


def _items(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Parts:
    if isinstance(value, Reference) and is_mixed_list(state, value):
        yield from mixed_items(frame, node, state, value)
        return
    items = sequence_items(state, value) if _sequence_type(state, value) is list else None
    if items is None:
        frame.refuse("DYCL038", node, "a list of known length and something else are added")
    yield state, items


def _sequence_type(state: State, value: Value) -> type | None:
    """Return whether a value is a list, a tuple or a deque, None for anything else."""
    if isinstance(value, TupleValue) or (isinstance(value, Known) and type(value.value) is tuple):
        return tuple
    if isinstance(value, Reference):
        cell = state.heap[value.identity]
        if isinstance(cell, ListCell) or (
            isinstance(cell, RunTimeCell) and isinstance(cell.type, SequenceType)
        ):
            return cell.kind if cell.kind in (list, tuple, deque) else None
    return list if isinstance(value, Known) and type(value.value) is list else None


def _concatenated(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value
) -> Outcomes:
    kind = _sequence_type(state, left)
    if kind is not _sequence_type(state, right) or kind is None:
        frame.refuse("DYCL038", node, "a list and a tuple cannot be added")
    if state.places.any_written and kind is not deque:
        parts = [*_parts(state, left), *_parts(state, right)]
        yield from spread_on_host(frame, node, state, kind, parts)
        return
    for one, first, element in host_iterable(frame, node, state, left):
        for after, second, other in host_iterable(frame, node, one, right):
            wider = widened(element, other)
            if wider is None:
                after.places.compare(element, other)
                frame.refuse("DYCL073", node, "lists of different elements are added")
            before = _as_kind(frame, after, left, kind, first)
            behind = _as_kind(frame, after, right, kind, second)
            expression = ast.BinOp(left=before, op=ast.Add(), right=behind)
            given = SequenceType(after.places.made_at(wider, frame.statement_origin()), kind)
            _require_alike(frame, node, after, given.element, element, other)
            yield after, made(frame, node, after, expression, given, may_raise=False)


def _parts(state: State, value: Value) -> list[tuple[Value, bool]]:
    """Return an operand as what stands in a display: its items, or all of it with a star."""
    items = sequence_items(state, value)
    return [(value, True)] if items is None else [(item, False) for item in items]


def _require_alike(
    frame: Frame, node: cst.CSTNode, state: State, given: HostType, *elements: HostType
) -> None:
    """Refuse new types for elements that the host has already, where arrays are written."""
    if state.places.any_written and not all(same(given, element) for element in elements):
        frame.refuse("DYCL073", node, "elements that are written in place are put together")


def _as_kind(
    frame: Frame, state: State, value: Value, kind: type, expression: ast.expr
) -> ast.expr:
    """Return the expression of an operand: of one of known length there is a list so far."""
    if not isinstance(expression, ast.List) or kind is list:
        return expression
    if kind is tuple:
        return ast.Tuple(elts=expression.elts, ctx=ast.Load())
    assert kind is deque and isinstance(value, Reference)
    bound = state.cell(value, ListCell).bound
    reference = frame.run.builder.reference(deque, "collections.deque")
    return call_expression(reference, [expression, ast.Constant(value=bound)])


def _repeated(
    frame: Frame, node: cst.CSTNode, state: State, sequence: Value, count: Value
) -> Outcomes:
    kind = _sequence_type(state, sequence)
    assert kind is not None
    parts = _parts(state, sequence)
    is_known = run_time_cell(state, sequence) is None
    if state.places.any_written and kind is not deque and is_known and parts:
        for after, moved in spread_on_host(frame, node, state, kind, parts):
            yield from _repeated(frame, node, after, moved, count)
        return
    for one, number in numbered(frame, node, state, count):
        times = host_type(frame, node, one, number)
        if not (same(times, NumberType(int)) or same(times, NumberType(bool))):
            frame.refuse("DYCL038", node, "a list is multiplied by this kind of value")
        for after, expression, element in host_iterable(frame, node, one, sequence):
            whole = ast.BinOp(
                left=_as_kind(frame, after, sequence, kind, expression),
                op=ast.Mult(),
                right=render(frame.run, after, number),
            )
            loose = after.places.made_at(element, frame.statement_origin())
            _require_alike(frame, node, after, loose, element)
            yield after, made(frame, node, after, whole, SequenceType(loose, kind))
