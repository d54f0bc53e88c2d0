"""``heapq``: the host keeps the heap."""

import ast
import heapq
from collections.abc import Callable
from typing import Any

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_iterables import host_iterable
from rewriter.evaluation.run_time.run_time_objects import changeable, made, put, taken
from rewriter.evaluation.run_time.run_time_ordering import check_order
from rewriter.evaluation.run_time.run_time_sequences import to_run_time
from rewriter.host_types import SequenceType
from rewriter.prelude import extremes
from rewriter.state import State
from rewriter.values import NONE, Known, ListCell, Reference, RunTimeCell, Value


def _heap_function(function: Callable[..., Any]) -> None:
    @special(function)
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        name = function.__name__
        if keywords or not positional or not _is_list(state, positional[0]):
            frame.refuse("DYCL045", node, f"heapq.{name}() with these arguments")
        heap, *items = positional
        assert isinstance(heap, Reference)
        changeable(frame, node, heap)
        cell = to_run_time(frame, node, state, heap)
        assert isinstance(cell.type, SequenceType)
        element = cell.type.element
        arguments: list[ast.expr] = [name_expression(cell.name)]
        arguments += [put(frame, node, state, item, element) for item in items]
        check_order(frame, node, element)
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


def _extremes(function: Callable[..., Any], by_key: Callable[..., Any]) -> None:
    @special(function)
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        key = positional[2] if len(positional) == 3 else keywords.get("key", NONE)
        if len(positional) not in (2, 3) or set(keywords) - {"key"}:
            frame.refuse("DYCL045", node, f"heapq.{function.__name__}() with these arguments")
        if not (isinstance(key, Known) and key.value is None):
            yield from call_value(frame, node, state, Known(by_key), [*positional[:2], key], {})
            return
        count, items = positional[:2]
        for after, expression, element in host_iterable(frame, node, state, items):
            check_order(frame, node, element)
            reference = frame.run.builder.reference(function, f"heapq.{function.__name__}")
            call = call_expression(reference, [render(frame.run, after, count), expression])
            yield after, made(frame, node, after, call, SequenceType(element))


_CHANGING: tuple[Callable[..., Any], ...] = (
    heapq.heappush,
    heapq.heappop,
    heapq.heapify,
    heapq.heappushpop,
    heapq.heapreplace,
)
_READING: dict[Callable[..., Any], Callable[..., Any]] = {
    heapq.nlargest: extremes.nlargest,
    heapq.nsmallest: extremes.nsmallest,
}
for _function in _CHANGING:
    _heap_function(_function)
for _function, _by_key in _READING.items():
    _extremes(_function, _by_key)
