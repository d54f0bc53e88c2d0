"""Builtins that call a function for each item: ``map``, ``filter``, ``reduce``, ``sorted``."""

import functools
import operator
from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.builtin_iterators import columns_of
from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import (
    iterator,
)
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.sorting import sorted_items
from rewriter.evaluation.special_calls import Keywords, Positional, special
from rewriter.evaluation.truth import truths
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Value,
)


@special(functools.reduce)
def reduce_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``functools.reduce(function, items, initial)``."""
    del keywords
    function, iterable, *initial = positional
    for after, items in items_of(frame, node, state, iterable):
        every = [*initial, *items]
        if not every:
            error = TypeError("reduce() of empty iterable with no initial value")
            frame.run.raise_known(after, error)
            continue
        pending: list[tuple[State, Value]] = [(after, every[0])]
        for item in every[1:]:
            pending = [
                outcome
                for before, total in pending
                for outcome in call_value(frame, node, before, function, [total, item], {})
            ]
        yield from pending


@special(sorted)
def sorted_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``sorted(items, key=, reverse=)``."""
    for after, items in items_of(frame, node, state, positional[0]):
        for done, ordered_items in sorted_items(frame, node, after, items, keywords):
            yield done, frame.run.allocate(done, ListCell(ordered_items))


@special(map)
def map_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``map(function, items...)``, evaluated at once."""
    del keywords
    function, *iterables = positional
    for after, columns in columns_of(frame, node, state, iterables):
        rows = [list(row) for row in zip(*columns, strict=False)]
        for done, results in _call_rows(frame, node, after, function, rows):
            yield done, iterator(frame.run, done, tuple(results))


def _call_rows(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, rows: list[list[Value]]
) -> Iterator[tuple[State, list[Value]]]:
    if not rows:
        yield state, []
        return
    for after, first in call_value(frame, node, state, function, rows[0], {}):
        for done, rest in _call_rows(frame, node, after, function, rows[1:]):
            yield done, [first, *rest]


@special(filter)
def filter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``filter(function, items)``, evaluated at once."""
    del keywords
    function, iterable = positional
    for after, items in items_of(frame, node, state, iterable):
        for done, kept in _kept(frame, node, after, function, list(items)):
            yield done, iterator(frame.run, done, tuple(kept))


def _kept(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, items: list[Value]
) -> Iterator[tuple[State, list[Value]]]:
    if not items:
        yield state, []
        return
    plain = isinstance(function, Known) and function.value is None
    tested = (
        iter([(state, items[0])])
        if plain
        else call_value(frame, node, state, function, [items[0]], {})
    )
    for after, result in tested:
        for done, truth in truths(frame, node, after, result):
            for end, rest in _kept(frame, node, done, function, items[1:]):
                yield end, [items[0], *rest] if truth else rest


@special(operator.itemgetter)
def itemgetter(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Refused by name: its result is a C object over run-time values."""
    del state, positional, keywords
    frame.refuse("DYCL045", node, "operator.itemgetter is not supported; use a lambda")
