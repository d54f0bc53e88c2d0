"""Displays: lists, tuples, dicts, sets."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.containers import mapping_items, tuple_value
from rewriter.evaluation.dict_methods import known_key
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    SetCell,
    Value,
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


@expression_rule(cst.Tuple)
def tuple_display(frame: Frame, node: cst.Tuple, state: State) -> Outcomes:
    """``(a, b)``."""
    for after, items in elements(frame, list(node.elements), state):
        yield after, tuple_value(items)


@expression_rule(cst.List)
def list_display(frame: Frame, node: cst.List, state: State) -> Outcomes:
    """``[a, b]``."""
    for after, items in elements(frame, list(node.elements), state):
        yield after, frame.run.allocate(after, ListCell(items))


@expression_rule(cst.Set)
def set_display(frame: Frame, node: cst.Set, state: State) -> Outcomes:
    """``{a, b}`` of values known at compile time."""
    for after, items in elements(frame, list(node.elements), state):
        knowns = [known_object(after, item) for item in items]
        if None in knowns:
            frame.refuse("DYCL051", node, "an element of a set is known only at run time")
        yield after, frame.run.allocate(after, SetCell(known_set(knowns)))


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
        for after, value in evaluate(frame, first.value, state):
            mapping = mapping_items(after, value)
            if mapping is None:
                frame.refuse("DYCL044", first, "** needs a dict known at compile time")
            yield from _dict_elements(frame, rest, after, {**done, **mapping})
        return
    assert isinstance(first, cst.DictElement)
    for after_key, key in evaluate(frame, first.key, state):
        known = known_key(frame, first.key, after_key, key)
        for after, value in evaluate(frame, first.value, after_key):
            yield from _dict_elements(frame, rest, after, {**done, known: value})
