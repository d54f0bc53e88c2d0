"""Displays: lists, tuples, dicts, sets."""

from collections.abc import Iterator
from itertools import groupby

import libcst as cst

from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.containers.dict_methods import known_key
from rewriter.evaluation.containers.identity_keys import (
    are_own_keys,
    entered_key,
    has_tensor_keys,
    is_own_key,
    set_with_own_keys,
)
from rewriter.evaluation.containers.inherited_code import merged_items
from rewriter.evaluation.containers.spread_items import spread_parts
from rewriter.evaluation.containers.user_mappings import taken_as_dict
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.merged_mappings import is_run_time_mapping, put_all
from rewriter.evaluation.run_time.run_time_making import set_display as run_time_set_display
from rewriter.evaluation.run_time.run_time_making import spread_on_host
from rewriter.evaluation.run_time.run_time_mappings import set_mapping_item
from rewriter.set_history import SetHistory
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    Reference,
    Value,
    set_cell,
)


def elements(
    frame: Frame, nodes: list[cst.BaseElement], state: State
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Evaluate the elements of a display, spreading starred ones."""
    if not nodes:
        yield state, ()
        return
    *earlier, last = nodes
    for after, done in elements(frame, earlier, state):
        for evaluated, value in evaluate(frame, last.value, after):
            if isinstance(last, cst.StarredElement):
                for spread, items in items_of(frame, last, evaluated, value):
                    yield spread, done + items
            else:
                yield evaluated, (*done, value)


def _sequence_display(
    frame: Frame, node: cst.Tuple | cst.List, state: State
) -> Iterator[tuple[State, tuple[Value, ...] | Reference]]:
    """Yield the elements, or the whole as a run-time sequence where a spread one is run-time."""
    nodes = list(node.elements)
    if not any(isinstance(element, cst.StarredElement) for element in nodes):
        yield from elements(frame, nodes, state)
        return
    kind = tuple if isinstance(node, cst.Tuple) else list
    for after, parts in spread_parts(frame, nodes, state):
        if any(starred for _, starred in parts):
            yield from spread_on_host(frame, node, after, kind, parts)
        else:
            yield after, tuple(value for value, _ in parts)


@expression_rule(cst.Tuple)
def tuple_display(frame: Frame, node: cst.Tuple, state: State) -> Outcomes:
    """``(a, b)``."""
    for after, items in _sequence_display(frame, node, state):
        yield after, items if isinstance(items, Reference) else tuple_value(items)


@expression_rule(cst.List)
def list_display(frame: Frame, node: cst.List, state: State) -> Outcomes:
    """``[a, b]``."""
    for after, items in _sequence_display(frame, node, state):
        whole = items if isinstance(items, Reference) else None
        yield after, whole or frame.run.allocate(after, ListCell(_known_items(items)))


def _known_items(items: tuple[Value, ...] | Reference) -> tuple[Value, ...]:
    return () if isinstance(items, Reference) else items


@expression_rule(cst.Set)
def set_display(frame: Frame, node: cst.Set, state: State) -> Outcomes:
    """``{a, b}``."""
    for after, items in elements(frame, list(node.elements), state):
        knowns = [known_object(after, item) for item in items]
        if are_own_keys(after, items):
            yield from set_with_own_keys(frame, node, after, set, items)
            continue
        if None in knowns:
            yield from run_time_set_display(frame, node, after, items)
            continue
        try:
            made = set_cell(_history(node, knowns))
        except TypeError as error:  # an element has no hash
            frame.run.raise_known(after, error)
            continue
        yield after, frame.run.allocate(after, made)


def _history(node: cst.Set, knowns: list[Known | None]) -> SetHistory:
    """Return how Python makes a set of a display: constants at once, all else one by one."""
    values = [known.value for known in knowns if known is not None]
    constants = all(isinstance(element.value, cst.BaseNumber) for element in node.elements)
    if constants and len(values) > 2:
        return SetHistory().then("update", frozenset(values))
    return SetHistory().then("update", tuple(values))


def known_set(knowns: list[Known | None]) -> frozenset[object]:
    """Return the set of known objects."""
    return frozenset(known.value for known in knowns if known is not None)


@expression_rule(cst.Dict)
def dict_display(frame: Frame, node: cst.Dict, state: State) -> Outcomes:
    """``{key: value}``."""
    yield from _dict_elements(frame, list(node.elements), state, {})


def _dict_elements(
    frame: Frame, nodes: list[cst.BaseDictElement], state: State, done: dict[object, Value]
) -> Outcomes:
    if not nodes:
        yield state, frame.run.allocate(state, DictCell(done))
        return
    first, *rest = nodes
    if isinstance(first, cst.StarredDictElement):
        for evaluated, value in evaluate(frame, first.value, state):
            for after, given in taken_as_dict(frame, first, evaluated, value):
                if is_run_time_mapping(after, given):
                    yield from _run_time_dict(frame, nodes, after, given, done)
                    continue
                mapping = merged_items(frame, first, after, given)
                if mapping is None:
                    frame.refuse("DYCL044", first, "** needs a dict known at compile time")
                yield from _dict_elements(frame, rest, after, {**done, **mapping})
        return
    assert isinstance(first, cst.DictElement)
    for after_key, key in evaluate(frame, first.key, state):
        if known_object(after_key, key) is None:
            yield from _run_time_dict(frame, nodes, after_key, key, done)
            continue
        known = known_key(frame, first.key, after_key, key)
        for after, value in evaluate(frame, first.value, after_key):
            yield from _dict_elements(frame, rest, after, {**done, known: value})


def _run_time_dict(
    frame: Frame, nodes: list[cst.BaseDictElement], state: State, first: Value,
    done: dict[object, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate the rest of a display from where it has a key, or a dict, of run time.

    ``first`` is that key or dict.
    """
    table = frame.run.allocate(state, DictCell(done))
    state.carry(table)
    pending: list[tuple[State, Value | None]] = [(state, first)]
    for is_item, together in groupby(nodes, lambda node: isinstance(node, cst.DictElement)):
        elements = list(together)
        store = _store_items if is_item else _store_all
        pending = [
            (stored, None)
            for before, given in pending
            for stored in store(frame, elements, before, table, given)
        ]
    for after, _ in pending:
        if len(done) + len(nodes) > _TOGETHER and has_tensor_keys(after, table):
            what = f"a display of more than {_TOGETHER} keys, of which some say their own hash"
            frame.refuse("DYCL051", nodes[0], what)
        yield after, table


_TOGETHER = 15
"""More items are put into the dict as they are evaluated, some at a time."""


def _given_or(
    frame: Frame, node: cst.BaseExpression, state: State, given: Value | None
) -> Outcomes:
    if given is not None:
        yield state, given
    else:
        yield from evaluate(frame, node, state)


def _store_items(
    frame: Frame, elements: list[cst.BaseDictElement], state: State, table: Reference,
    given: Value | None,
) -> Iterator[State]:  # fmt: skip
    """Put items that stand together into a dict: Python evaluates all of them before."""
    for after, items in _items(frame, elements, state, given):
        ends = [after]
        for element, key, value in items:
            ends = [s for end in ends for s in _store_item(frame, element, end, table, key, value)]
        yield from ends


def _items(
    frame: Frame, elements: list[cst.BaseDictElement], state: State, given: Value | None
) -> Iterator[tuple[State, tuple[tuple[cst.BaseDictElement, Value, Value], ...]]]:
    """Evaluate items that stand together; ``given`` is the first one's key, if it is known."""
    if not elements:
        yield state, ()
        return
    first, *rest = elements
    assert isinstance(first, cst.DictElement)
    for after_key, key in _given_or(frame, first.key, state, given):
        for after, value in evaluate(frame, first.value, after_key):
            for done, others in _items(frame, rest, after, None):
                yield done, ((first, key, value), *others)


def _store_item(
    frame: Frame, element: cst.BaseDictElement, state: State, table: Reference, key: Value,
    value: Value,
) -> Iterator[State]:  # fmt: skip
    if is_own_key(state, key) or has_tensor_keys(state, table):
        yield from entered_key(frame, element, state, table, key, value)
    else:
        yield from set_mapping_item(frame, element, state, table, key, value)


def _store_all(
    frame: Frame, elements: list[cst.BaseDictElement], state: State, table: Reference,
    given: Value | None,
) -> Iterator[State]:  # fmt: skip
    """Put all of other dicts into a dict, one after the other."""
    first, *rest = elements
    for before, found in _given_or(frame, first.value, state, given):
        for after, mapping in taken_as_dict(frame, first, before, found):
            for stored in put_all(frame, first, after, table, mapping):
                if rest:
                    yield from _store_all(frame, rest, stored, table, None)
                else:
                    yield stored
