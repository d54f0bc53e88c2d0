"""Builtins that give one item or number for many: ``sum``, ``min``, ``max``."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import libcst as cst

from rewriter.evaluation.builtin_functions.extremes import best_of
from rewriter.evaluation.builtin_functions.sorting import keys_of
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.containers.lazy_iterators import (
    ends_at_run_time,
    next_item,
    refuse_becoming_run_time,
)
from rewriter.evaluation.control.iteration import items_of, refuse_endless
from rewriter.evaluation.control.joining import merge
from rewriter.evaluation.host.array_walks import array_walk
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.numpy_numbers import is_integer
from rewriter.evaluation.operators.operators import binary
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, render, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_consumers import folded
from rewriter.evaluation.run_time.run_time_kinds import element_of, is_run_time
from rewriter.evaluation.run_time.run_time_objects import length_of
from rewriter.evaluation.run_time.run_time_ordering import extreme_on_host, listed_on_host
from rewriter.evaluation.tensors.size_relations import note_extreme, note_natural
from rewriter.host_type_relations import decided, is_plain
from rewriter.host_types import PLAIN, NumberType
from rewriter.path_groups import Arrival
from rewriter.state import State
from rewriter.values import IteratorValue, Known, ScalarValue, Value


@special(sum)
def sum_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``sum(items, start)``: repeated addition."""
    start = positional[1] if len(positional) > 1 else keywords.get("start", Known(0))
    content = start.value if isinstance(start, Known) else getattr(start, "sample", None)
    if isinstance(content, str | bytes | bytearray):
        frame.run.raise_known(state, _no_sum(content))
        return
    if is_run_time(state, positional[0]):

        def add(after: State, total: Value, item: Value) -> Outcomes:
            return binary(frame, node, after, cst.Add, total, item)

        if _host_adds(state, positional[0], start):
            yield from _sum_on_host(frame, node, state, positional[0], start)
        else:
            yield from folded(frame, node, state, positional[0], start, add)
        return
    if isinstance(positional[0], IteratorValue):
        yield from _added_one_by_one(frame, node, state, positional[0], start)
        return
    for after, items in items_of(frame, node, state, positional[0]):
        pending: list[tuple[State, Value]] = [(after, start)]
        for item in items:
            pending = [
                outcome
                for before, total in pending
                for outcome in binary(frame, node, before, cst.Add, total, item)
            ]
        yield from pending


def _no_sum(start: str | bytes | bytearray) -> TypeError:
    """Return what Python raises for a sum of texts, before it asks for any."""
    kinds = {str: ("strings", "''"), bytes: ("bytes", "b''"), bytearray: ("bytearray", "b''")}
    kind = next(each for each in kinds if isinstance(start, each))
    what, empty = kinds[kind]
    return TypeError(f"sum() can't sum {what} [use {empty}.join(seq) instead]")


def _added_one_by_one(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, start: Value
) -> Outcomes:
    """Add what an iterator gives before it is asked for more: objects may say what adding does.

    However many there were on a path, their sum is one number.
    """
    pending: list[tuple[State, Value]] = [(state, start)]
    ends: list[Arrival] = []
    for turn in count():
        if not pending:
            break
        if turn > frame.run.options.unroll and ends_at_run_time(pending[0][0], iterator):
            refuse_becoming_run_time(frame, node)
        arrivals: list[Arrival] = []
        for before, total in pending:
            for after, item in next_item(frame, node, before, iterator):
                if item is None:
                    ends.append((after, (total,)))
                    continue
                sums = binary(frame, node, after, cst.Add, total, item)
                arrivals += [(done, (found,)) for done, found in sums]
        joined = merge(frame.run, arrivals, frame.origin(node))
        pending = [(after, total) for after, (total,) in joined]
    for after, (total,) in merge(frame.run, ends, frame.origin(node)):
        yield after, total


def _host_adds(state: State, items: Value, start: Value) -> bool:
    """Return whether the host can add up: numbers of one type from a number on."""
    element = element_of(state, items)
    found = None if element is None else decided(element)
    return (
        isinstance(found, NumberType)
        and found.kind in (int, float, bool, PLAIN)
        and (
            (isinstance(start, ScalarValue) and start.type in (int, float))
            or (isinstance(start, Known) and type(start.value) in (int, float))
        )
    )


def _sum_on_host(
    frame: Frame, node: cst.CSTNode, state: State, items: Value, start: Value
) -> Outcomes:
    kinds = {start.type if isinstance(start, ScalarValue) else type(getattr(start, "value", None))}
    for listed, values, element in listed_on_host(frame, node, state, items):
        found = decided(element)
        assert isinstance(found, NumberType)
        kinds.add(found.kind)
        function = frame.run.builder.reference(sum, "sum")
        size = length_of(frame, node, listed, values)
        for after, filled in truths(frame, node, listed, size):
            if not filled:
                yield after, start
                continue
            arguments = [render(frame.run, after, value) for value in (values, start)]
            kind = float if float in kinds else PLAIN if PLAIN in kinds else int
            yield (
                after,
                host_scalar(
                    frame.run, after, call_expression(function, arguments), kind, frame.origin(node)
                ),
            )


def _kind_of(number: ScalarValue | Known) -> type | None:
    if isinstance(number, Known):
        return type(number.value)
    return PLAIN if number.plain else number.type


def _extreme(function: Any, symbol: type[cst.CSTNode]) -> SpecialRule:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if len(positional) != 1:
            items, key = tuple(positional), keywords.get("key")
            yield from _extreme_of(frame, node, state, items, key, function, symbol)
            return
        (walked,) = positional
        if "key" in keywords:
            walked = array_walk(frame, state, walked) or walked
        with frame.run.containers.unchanged(walked if "key" in keywords else Known(None)):
            outcomes = _extreme_in(frame, node, state, walked, keywords, function, symbol)
            yield from list(outcomes)

    return rule


def _extreme_in(
    frame: Frame, node: cst.CSTNode, state: State, walked: Value, keywords: Keywords,
    function: Any, symbol: type[cst.CSTNode],
) -> Outcomes:  # fmt: skip
    """Evaluate ``max(walked)`` or ``min(walked)``."""
    key = keywords.get("key")
    if is_run_time(state, walked):
        yield from extreme_on_host(frame, node, state, function.__name__, walked, keywords)
    elif key is not None and isinstance(walked, IteratorValue):
        for after, pairs in _keyed(frame, node, state, walked, key, []):
            if pairs:
                yield from best_of(frame, node, after, pairs, symbol)
            else:
                yield from _extreme_of_none(frame, after, function, keywords)
    else:
        for after, items in items_of(frame, node, state, walked):
            if items:
                yield from _extreme_of(frame, node, after, items, key, function, symbol)
            else:
                yield from _extreme_of_none(frame, after, function, keywords)


def _extreme_of_none(frame: Frame, state: State, function: Any, keywords: Keywords) -> Outcomes:
    if "default" in keywords:
        yield state, keywords["default"]
    else:
        error = ValueError(f"{function.__name__}() arg is an empty sequence")
        frame.run.raise_known(state, error)


def _keyed(
    frame: Frame, node: cst.CSTNode, state: State, items: IteratorValue, key: Value,
    pairs: list[tuple[Value, Value]],
) -> Iterator[tuple[State, list[tuple[Value, Value]]]]:  # fmt: skip
    """Yield items with their keys, each found before the next item is asked for."""
    refuse_endless(frame, node, state, items)
    for after, item in next_item(frame, node, state, items):
        if item is None:
            yield after, pairs
            continue
        for done, keys in keys_of(frame, node, after, (item,), key):
            yield from _keyed(frame, node, done, items, key, [*pairs, (item, keys[0])])


def _extreme_of(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    key: Value | None,
    function: Any,
    symbol: type[cst.CSTNode],
) -> Outcomes:
    no_key = key is None or (isinstance(key, Known) and key.value is None)
    numbers = [
        item for item in items if isinstance(item, ScalarValue | Known) and tensor_of(item) is None
    ]
    run_time = any(isinstance(item, ScalarValue) for item in items)
    if no_key and len(numbers) == len(items) and run_time:
        kinds = {_kind_of(number) for number in numbers}
        kind = kinds.pop() if len(kinds) == 1 else PLAIN if all(map(is_plain, kinds)) else None
        reference = frame.run.builder.reference(function, function.__name__)
        arguments = [render(frame.run, state, item) for item in items]
        if len(arguments) == 1:
            yield state, items[0]
            return
        expression = call_expression(reference, arguments)
        number = host_scalar(frame.run, state, expression, kind, frame.origin(node))
        if all(is_integer(state, item) for item in items):
            state.places.integers.add(number.name)
        if kind is int:
            note_natural(frame.run, state, function, number, items)
        if any(isinstance(item, ScalarValue) and item.size is not None for item in items):
            note_extreme(frame.run, state, function, number, items)
        yield state, number
        return
    for after, keys in keys_of(frame, node, state, items, key):
        yield from best_of(frame, node, after, list(zip(items, keys, strict=True)), symbol)


special(min)(_extreme(min, cst.LessThan))


special(max)(_extreme(max, cst.GreaterThan))
