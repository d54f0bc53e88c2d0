"""``heapq``: the host keeps the heap."""

import ast
import heapq
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.comparable import host_orders
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import changeable, host_type, made, taken
from rewriter.evaluation.run_time.run_time_ordering import listed_on_host
from rewriter.evaluation.run_time.run_time_sequences import to_run_time
from rewriter.host_types import SequenceType
from rewriter.prelude import extremes, ordering
from rewriter.state import State
from rewriter.values import (
    NONE,
    HostValue,
    IteratorValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    Value,
)


def _heap_function(function: Callable[..., Any], in_code: Callable[..., Any]) -> None:
    @special(function)
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        name = function.__name__
        if keywords or not positional or not _is_list(state, positional[0]):
            frame.refuse("DYCL045", node, f"heapq.{name}() with these arguments")
        heap, *items = positional
        assert isinstance(heap, Reference)
        if _needs_no_order(state, heap, items):  # and what it holds stays known
            yield from call_value(frame, node, state, Known(in_code), positional, {})
            return
        changeable(frame, node, heap)
        cell = to_run_time(frame, node, state, heap, items)
        assert isinstance(cell.type, SequenceType)
        element = cell.type.element
        kinds = [element, *(host_type(frame, node, state, item) for item in items)]
        if not all(map(host_orders, kinds)):
            yield from call_value(frame, node, state, Known(in_code), positional, {})
            return
        arguments: list[ast.expr] = [name_expression(cell.name)]
        arguments += [put(frame, node, state, item, element) for item in items]
        reference = frame.run.builder.reference(function, f"heapq.{name}")
        call = call_expression(reference, arguments)
        if name in ("heappush", "heapify"):
            host_effect(frame.run, state, call, frame.origin(node), may_raise=False)
            yield state, NONE
        else:
            yield from taken(frame, node, state, call, element)


def _is_list(state: State, value: Value) -> bool:
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    return isinstance(cell, ListCell | RunTimeCell) and cell.kind is list


def _is_number(value: Value) -> bool:
    """Return whether a value may be how many items are wanted."""
    if isinstance(value, Known):
        return isinstance(value.value, int)
    if isinstance(value, TensorValue):
        return all(size == 1 for size in value.fake.shape)
    return isinstance(value, ScalarValue | HostValue)


def _is_whole(count: Value) -> bool:
    kind = type(count.value) if isinstance(count, Known) else getattr(count, "type", None)
    return isinstance(count, Known | ScalarValue) and kind in (bool, int)


def _is_empty_list(state: State, items: Value) -> bool:
    cell = state.heap.get(items.identity) if isinstance(items, Reference) else None
    return isinstance(cell, ListCell) and cell.kind is list and not cell.items


def _needs_no_order(state: State, heap: Reference, items: Sequence[Value]) -> bool:
    """Return whether a heap has at most one item before and after, whatever is done."""
    cell = state.heap[heap.identity]
    return isinstance(cell, ListCell) and len(cell.items) + len(items) <= 1


def _extremes(
    function: Callable[..., Any], by_key: Callable[..., Any], in_code: Callable[..., Any]
) -> None:
    @special(function)
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        key = positional[2] if len(positional) == 3 else keywords.get("key", NONE)
        counted = bool(positional) and _is_number(positional[0])
        if not counted or len(positional) not in (2, 3) or set(keywords) - {"key"}:
            frame.refuse("DYCL045", node, f"heapq.{function.__name__}() with these arguments")
        if _is_whole(positional[0]) and _is_empty_list(state, positional[1]):
            yield state, frame.run.allocate(state, ListCell(()))  # of whatever it will be
            return
        if not (isinstance(key, Known) and key.value is None):
            given = [*positional[:2], key]
            with frame.run.containers.unchanged(positional[1]):
                yield from list(call_value(frame, node, state, Known(by_key), given, {}))
            return
        count, items = positional[:2]
        sized = Known(not isinstance(items, IteratorValue))
        for after, listed, element in listed_on_host(frame, node, state, items):
            if not host_orders(element):
                given = [count, listed, sized]
                yield from call_value(frame, node, after, Known(in_code), given, {})
                continue
            reference = frame.run.builder.reference(function, f"heapq.{function.__name__}")
            arguments = [render(frame.run, after, value) for value in (count, listed)]
            call = call_expression(reference, arguments)
            yield after, made(frame, node, after, call, SequenceType(element))


_CHANGING: dict[Callable[..., Any], Callable[..., Any]] = {
    heapq.heappush: ordering.heappush,
    heapq.heappop: ordering.heappop,
    heapq.heapify: ordering.heapify,
    heapq.heappushpop: ordering.heappushpop,
    heapq.heapreplace: ordering.heapreplace,
}
_READING: dict[Callable[..., Any], tuple[Callable[..., Any], Callable[..., Any]]] = {
    heapq.nlargest: (extremes.nlargest, ordering.nlargest),
    heapq.nsmallest: (extremes.nsmallest, ordering.nsmallest),
}
for _function, _in_code in _CHANGING.items():
    _heap_function(_function, _in_code)
for _function, _ways in _READING.items():
    _extremes(_function, *_ways)
