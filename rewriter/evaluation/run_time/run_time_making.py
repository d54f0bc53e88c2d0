"""Containers made by the host of what is known only at run time: ``list(items)`` and the like."""

import ast
import collections
from collections.abc import Iterator, Mapping

import libcst as cst

from rewriter.evaluation.host.host_fitting import takes
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.counters import check_key
from rewriter.evaluation.run_time.hashed_instances import hashed_items
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_ends import key_expression
from rewriter.evaluation.run_time.run_time_iterables import host_items, host_iterable
from rewriter.evaluation.run_time.run_time_mappings import mapping_method
from rewriter.evaluation.run_time.run_time_objects import made, run_time_cell
from rewriter.host_type_relations import decided
from rewriter.host_types import (
    HostType,
    MappingType,
    SequenceType,
    SetType,
    TupleType,
    TypeVariable,
)
from rewriter.state import State
from rewriter.values import Known, Reference, RunTimeRange, Value


def sequence_of(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, positional: list[Value],
    keywords: Mapping[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``list(items)``, ``tuple(items)`` and ``deque(items, maxlen)``."""
    bound = [*positional[1:], *(value for name, value in keywords.items() if name == "maxlen")]
    path = "collections.deque" if kind is collections.deque else kind.__name__
    if set(keywords) - {"maxlen"} or len(bound) > (1 if kind is collections.deque else 0):
        frame.refuse("DYCL039", node, f"{kind.__name__}() with these arguments")
    source = positional[0] if positional else Known(())
    for after, expression, element in host_items(frame, node, state, source):
        reference = frame.run.builder.reference(kind, path)
        arguments = [expression, *(render(frame.run, after, value) for value in bound)]
        whole = call_expression(reference, arguments)
        may_raise = bool(bound) or isinstance(source, RunTimeRange)  # of steps, a step of 0
        given = SequenceType(element, kind)
        yield after, made(frame, node, after, whole, given, may_raise=may_raise)


def spread_on_host(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, parts: list[tuple[Value, bool]]
) -> Iterator[tuple[State, Reference]]:
    """Evaluate ``[a, *items, b]`` where the number of items is known only at run time."""
    element = state.places.made_at(TypeVariable(), frame.statement_origin())
    function = frame.run.builder.reference(list, "list")
    pending: list[tuple[State, list[ast.expr]]] = [(state, [])]
    for value, starred in parts:
        following: list[tuple[State, list[ast.expr]]] = []
        for before, lists in pending:
            if not starred:
                one = ast.List(elts=[put(frame, node, before, value, element)], ctx=ast.Load())
                following.append((before, [*lists, one]))
                continue
            for after, expression, given in host_items(frame, node, before, value):
                if not takes(after, element, given):
                    frame.refuse("DYCL073", node, "lists of different elements are put together")
                following.append((after, [*lists, call_expression(function, [expression])]))
        pending = following
    for after, (first, *others) in pending:
        whole = first
        for other in others:
            whole = ast.BinOp(left=whole, op=ast.Add(), right=other)
        if kind is tuple:
            whole = call_expression(frame.run.builder.reference(tuple, "tuple"), [whole])
        may_raise = any(isinstance(value, RunTimeRange) for value, _ in parts)
        given = SequenceType(element, kind)
        yield after, made(frame, node, after, whole, given, may_raise=may_raise)


def set_of(frame: Frame, node: cst.CSTNode, state: State, source: Value) -> Outcomes:
    """Evaluate ``set(items)``."""
    for after, items, given in host_iterable(frame, node, state, source):
        expression, element = hashed_items(frame, items, given)
        check_key(frame, node, element)
        reference = frame.run.builder.reference(set, "set")
        cell = run_time_cell(after, source)
        ordered = cell is None or not isinstance(cell.type, SetType) or cell.type.ordered
        kind = SetType(element, ordered=ordered)
        yield after, made(frame, node, after, call_expression(reference, [expression]), kind)


def set_display(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...]
) -> Outcomes:
    """Evaluate ``{a, b}`` of run-time values."""
    element: HostType = TypeVariable()
    parts = [key_expression(frame, node, state, item, element) for item in items]
    whole = ast.Set(elts=parts)
    yield state, made(frame, node, state, whole, SetType(element), may_raise=False)


def mapping_of(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, source: Value,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``dict(pairs)`` and ``dict(table)``."""
    path = kind.__name__ if kind is dict else f"collections.{kind.__name__}"
    reference = frame.run.builder.reference(kind, path)
    cell = run_time_cell(state, source)
    if cell is not None and not isinstance(cell.type, SequenceType):
        whole = call_expression(reference, [name_expression(cell.name)])
        if not isinstance(cell.type, MappingType):
            frame.refuse("DYCL073", node, "dict() of this object of a run-time container")
        given = MappingType(cell.type.key, cell.type.value, kind)
        starts: Iterator[tuple[State, Reference]] = iter(
            [(state, made(frame, node, state, whole, given))]
        )
    else:
        starts = _of_pairs(frame, node, state, kind, reference, source)
    for after, table in starts:
        if not keywords:
            yield after, table
            continue
        for done, _ in mapping_method(frame, node, after, table, "update", [], keywords):
            yield done, table


def _of_pairs(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, reference: ast.expr, source: Value
) -> Iterator[tuple[State, Reference]]:
    for after, expression, element in host_iterable(frame, node, state, source):
        pair = decided(element)
        if not isinstance(pair, TupleType) or len(pair.items) != 2:
            frame.refuse("DYCL039", node, "dict() needs key-value pairs")
        check_key(frame, node, pair.items[0])
        given = MappingType(pair.items[0], pair.items[1], kind)
        yield after, made(frame, node, after, call_expression(reference, [expression]), given)
