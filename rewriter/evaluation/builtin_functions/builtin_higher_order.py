"""Builtins that call a function for each item: ``map``, ``filter``, ``reduce``, ``sorted``."""

import functools

import libcst as cst

from rewriter.evaluation.builtin_functions.builtin_iterators import iterators_of
from rewriter.evaluation.builtin_functions.combined_iterators import Filtered, Mapped, Zipped
from rewriter.evaluation.builtin_functions.comparing_functions import comparison_of, sorted_by
from rewriter.evaluation.builtin_functions.sorting import sorted_items
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.lazy_iterators import lazy_iterator, next_item
from rewriter.evaluation.control.iteration import items_of, iterator_of, refuse_endless
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_consumers import folded
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_ordering import sorted_on_host
from rewriter.state import State
from rewriter.values import IteratorValue, ListCell, Reference, Value


@special(functools.reduce)
def reduce_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``functools.reduce(function, items, initial)``."""
    del keywords
    function, iterable, *initial = positional
    if is_run_time(state, iterable) and initial:

        def combine(after: State, total: Value, item: Value) -> Outcomes:
            return call_value(frame, node, after, function, [total, item], {})

        yield from folded(frame, node, state, iterable, initial[0], combine)
        return
    total = initial[0] if initial else None
    for after, items in iterator_of(frame, node, state, iterable):
        after.carry(items)
        yield from _reduced(frame, node, after, function, items, total)


def _reduced(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, items: IteratorValue,
    start: Value | None,
) -> Outcomes:  # fmt: skip
    pending: list[tuple[State, Value | None]] = [(state, start)]
    while pending:
        before, total = pending.pop(0)
        refuse_endless(frame, node, before, items)
        for after, item in next_item(frame, node, before, items):
            if item is None and total is None:
                error = TypeError("reduce() of empty iterable with no initial value")
                frame.run.raise_known(after, error)
            elif item is None:
                assert total is not None
                yield after, total
            elif total is None:
                pending.append((after, item))
            else:
                pending += call_value(frame, node, after, function, [total, item], {})


@special(sorted)
def sorted_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``sorted(items, key=, reverse=)``."""
    if is_run_time(state, positional[0]):
        yield from sorted_on_host(frame, node, state, positional[0], keywords)
        return
    compare = comparison_of(state, keywords.get("key"))
    for after, items in items_of(frame, node, state, positional[0]):
        if compare is not None:
            listed = frame.run.allocate(after, ListCell(items))
            yield from sorted_by(frame, node, after, listed, compare, keywords)
            continue
        for done, ordered_items in sorted_items(frame, node, after, items, keywords):
            if isinstance(ordered_items, Reference):
                yield done, ordered_items
            else:
                yield done, frame.run.allocate(done, ListCell(ordered_items))


@special(map)
def map_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``map(function, items...)``: a call for each row, when it is asked for."""
    del keywords
    function, *iterables = positional
    for after, columns in iterators_of(frame, node, state, iterables):
        rows = lazy_iterator(frame.run, after, columns, Zipped(strict=False))
        yield after, lazy_iterator(frame.run, after, (function, rows), Mapped())


@special(filter)
def filter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``filter(function, items)``: a call for each item, when it is asked for."""
    del keywords
    function, iterable = positional
    for after, items in iterator_of(frame, node, state, iterable):
        yield after, lazy_iterator(frame.run, after, (function, items), Filtered())
