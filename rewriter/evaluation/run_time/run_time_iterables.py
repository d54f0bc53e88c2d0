"""What the host can iterate over, as one expression and the type of its elements."""

import ast
from collections.abc import Iterator

import libcst as cst

from rewriter.array_samples import OpenArray
from rewriter.evaluation.control.iteration import items_of, iterator_of
from rewriter.evaluation.host.array_lists import row_type
from rewriter.evaluation.host.host_iterators import refuse_any_order
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_kinds import (
    element_type,
    is_run_time,
    record_of_keys,
    view_type,
)
from rewriter.evaluation.run_time.run_time_objects import host_type, run_time_cell
from rewriter.evaluation.text.range_text import range_expression
from rewriter.host_type_relations import widened
from rewriter.host_types import TEXT, HostType, MappingType, NumberType, TypeVariable
from rewriter.state import State
from rewriter.values import (
    HostValue,
    IteratorValue,
    Known,
    RunTimeCell,
    RunTimeRange,
    TensorValue,
    Value,
    ViewValue,
)

Iterables = Iterator[tuple[State, ast.expr, HostType]]
"""States with the host's expression of an iterable, and the type of its elements."""


def host_items(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Iterables:
    """Yield the same where the order of the items matters, which that of a set may not."""
    cell = run_time_cell(state, value)
    if cell is not None:
        refuse_any_order(frame, node, cell.type)
    yield from host_iterable(frame, node, state, value)


def host_iterable(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Iterables:
    """Yield an iterable as the host has it; iterators are used up."""
    cell = run_time_cell(state, value)
    if cell is not None and (element := element_type(cell.type)) is not None:
        yield state, name_expression(cell.name), element
        return
    match value:
        case RunTimeRange() | Known() if not isinstance(value, Known) or type(value.value) is range:
            yield state, range_expression(frame, state, value), NumberType(int)
        case ViewValue() if (
            isinstance(viewed := state.heap[value.identity], RunTimeCell)
            and record_of_keys(state, value) is None
        ):
            yield state, *_view(frame, node, value, viewed)
        case HostValue() if isinstance(value.sample, str):
            yield state, name_expression(value.name), TEXT
        case HostValue(sample=OpenArray() as sample) if sample.ndim:
            yield state, name_expression(value.name), row_type(sample)
        case TensorValue() | IteratorValue() if is_run_time(state, value):
            # Draining an iterator is a loop, and loops make lists: a real cycle.
            from rewriter.evaluation.run_time.run_time_consumers import drained

            for start, iterator in iterator_of(frame, node, state, value):
                for after, listed in drained(frame, node, start, iterator):
                    yield from host_iterable(frame, node, after, listed)
        case _:
            for after, items in items_of(frame, node, state, value):
                yield _display(frame, node, after, items)


def _view(
    frame: Frame, node: cst.CSTNode, value: ViewValue, viewed: RunTimeCell
) -> tuple[ast.expr, HostType]:
    if not isinstance(viewed.type, MappingType):
        frame.refuse("DYCL073", node, f"the {value.part} of this dict")
    method = ast.Attribute(value=name_expression(viewed.name), attr=value.part, ctx=ast.Load())
    return call_expression(method, []), view_type(viewed.type, value.part)


def _display(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...]
) -> tuple[State, ast.expr, HostType]:
    common: HostType = TypeVariable()
    for item in items:
        wider = widened(common, host_type(frame, node, state, item))
        if wider is None:
            frame.refuse("DYCL073", node, "the elements differ in structure")
        common = wider
    expressions = [put(frame, node, state, item, common) for item in items]
    return state, ast.List(elts=expressions, ctx=ast.Load()), common
