"""Builtins that measure and make containers: ``len``, ``list``, ``set`` and the like."""

import ast
import collections
from collections.abc import Collection, Iterator

import libcst as cst

from rewriter.array_samples import OpenArray
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.containers.containers import sequence_items, tuple_value, within
from rewriter.evaluation.containers.identity_keys import are_own_keys, set_with_own_keys
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.host.array_attributes import array_size
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.operators.answers import of_len
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_making import sequence_of, set_of
from rewriter.evaluation.run_time.run_time_objects import length_of, run_time_cell
from rewriter.evaluation.tensors.size_values import size_value
from rewriter.evaluation.text.range_text import range_expression
from rewriter.host_types import MixedListType
from rewriter.set_history import SetHistory
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    IteratorValue,
    Known,
    ListCell,
    Poison,
    Reference,
    RunTimeRange,
    SetCell,
    TensorValue,
    Value,
    ViewValue,
    set_cell,
)


@special(len)
def length(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``len(x)``."""
    del keywords
    (value,) = positional
    if isinstance(value, Poison):
        raise UsedPoison
    method = method_of(state, value, "__len__")
    if method is not None:
        for after, answer in call_value(frame, node, state, method, [], {}):
            yield from of_len(frame, node, after, answer)
        return
    yield from _own_length(frame, node, state, value)


def _own_length(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """Give the length of what is not an object with a ``__len__`` of the user's."""
    if isinstance(value, TensorValue) and value.fake.dim():
        yield state, size_value(frame, node, state, value, 0)
        return
    if isinstance(value, HostValue) and isinstance(value.sample, OpenArray) and value.sample.ndim:
        yield state, array_size(frame, node, state, value, 0)
        return
    contents = _contents(state, value)
    if contents is not None:
        try:
            size = len(contents.value)
        except (TypeError, OverflowError) as error:
            frame.run.raise_known(state, error)
            return
        yield state, Known(size)
    elif (cell := run_time_cell(state, value)) and isinstance(cell.type, MixedListType):
        yield state, Known(len(cell.type.items))
    elif run_time_cell(state, value) is not None:
        yield state, length_of(frame, node, state, value)
    elif isinstance(value, ViewValue):
        yield state, length_of(frame, node, state, Reference(value.identity))
    elif isinstance(value, RunTimeRange):
        yield from _range_length(frame, node, state, value)
    elif isinstance(value, HostValue):
        reference = frame.run.builder.reference(len, "len")
        expression = call_expression(reference, [render(frame.run, state, value)])
        yield state, host_scalar(frame.run, state, expression, int, frame.origin(node))
    else:
        frame.refuse("DYCL039", node, "len() of this object is not supported")


def _range_length(frame: Frame, node: cst.CSTNode, state: State, value: RunTimeRange) -> Outcomes:
    if value.step != 1 or value.stride is not None:
        counted = frame.run.builder.reference(len, "len")
        expression = call_expression(counted, [range_expression(frame, state, value)])
        yield state, host_scalar(frame.run, state, expression, int, frame.origin(node))
        return
    size = ast.BinOp(
        left=render(frame.run, state, value.stop),
        op=ast.Sub(),
        right=render(frame.run, state, value.start),
    )
    reference = frame.run.builder.reference(max, "max")
    expression = call_expression(reference, [size, ast.Constant(value=0)])
    yield state, host_scalar(frame.run, state, expression, int, frame.origin(node))


def _contents(state: State, value: Value) -> Known | None:
    """Return an object as long as the value, None where its length is unknown."""
    items = sequence_items(state, value)
    if items is not None:
        return Known(items)
    match value:
        case TensorValue():
            return Known(value.fake)
        case HostValue():
            return Known(value.sample) if hasattr(value.sample, "shape") else None
        case Reference():
            cell = state.heap[value.identity]
            return Known(cell.items) if isinstance(cell, SetCell | DictCell) else None
        case Known():
            return value
        case _:
            return None


def _bound(state: State, kind: type, positional: Positional, keywords: Keywords) -> Known | None:
    """Return ``maxlen``, None where it is known only at run time or other arguments are given."""
    given = [*positional[1:], *(value for name, value in keywords.items() if name == "maxlen")]
    if len(given) + len(positional[:1]) != len(positional) + len(keywords) or len(given) > 1:
        return None
    if not given:
        return Known(None)
    return known_object(state, given[0]) if kind is collections.deque else None


def _sequence(kind: type) -> SpecialRule:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        run_time = bool(positional) and is_run_time(state, positional[0])
        bound = _bound(state, kind, positional, keywords)
        if run_time or bound is None:
            yield from sequence_of(frame, node, state, kind, positional, keywords)
            return
        try:
            most = collections.deque(maxlen=bound.value).maxlen
        except (TypeError, ValueError, OverflowError) as error:
            frame.run.raise_known(state, error)
            return
        outcomes = (
            items_of(frame, node, state, positional[0]) if positional else iter([(state, ())])
        )
        for after, items in outcomes:
            if kind is tuple:
                yield after, tuple_value(items)
            else:
                made = ListCell(within(items, most), kind, bound=most)
                yield after, frame.run.allocate(after, made)

    return rule


for _kind in (list, tuple, collections.deque):
    special(_kind)(_sequence(_kind))


@special(set)
def set_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``set(items)``."""
    del keywords
    lazy = positional and isinstance(positional[0], IteratorValue | ViewValue)
    if lazy and not is_run_time(state, positional[0]):
        for after, listed in call_value(frame, node, state, Known(list), positional, {}):
            yield from set_(frame, node, after, [listed], {})
        return
    if positional and are_own_keys(state, items := sequence_items(state, positional[0]) or ()):
        yield from set_with_own_keys(frame, node, state, set, items)
        return
    if positional and not _are_known(state, positional[0]):
        yield from set_of(frame, node, state, positional[0])
        return
    for after, content in _known_elements(frame, node, state, positional):
        history = SetHistory().then("update", _as_given(after, positional, content))
        yield after, frame.run.allocate(after, set_cell(history))


@special(frozenset)
def frozenset_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``frozenset(items)`` of values known at compile time, and tensors."""
    del keywords
    if positional and are_own_keys(state, items := sequence_items(state, positional[0]) or ()):
        yield from set_with_own_keys(frame, node, state, frozenset, items)
        return
    for after, content in _known_elements(frame, node, state, positional):
        yield after, Known(frozenset(_as_given(after, positional, content)))


def _as_given(
    state: State, positional: Positional, content: tuple[object, ...]
) -> Collection[object]:
    """Return what a set is made of: sets are put together in another way than other iterables."""
    source = known_object(state, positional[0]) if positional else None
    whole = source is not None and isinstance(source.value, set | frozenset)
    return source.value if source is not None and whole else content


def _are_known(state: State, value: Value) -> bool:
    """Return whether all elements of an iterable are known at compile time."""
    if is_run_time(state, value) or isinstance(value, HostValue):
        return False
    items = sequence_items(state, value)
    return items is None or all(known_object(state, item) is not None for item in items)


def _known_elements(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional
) -> Iterator[tuple[State, tuple[object, ...]]]:
    if not positional:
        yield state, ()
        return
    for after, items in items_of(frame, node, state, positional[0]):
        knowns = [known_object(after, item) for item in items]
        if None in knowns:
            frame.refuse("DYCL051", node, "an element of a set is known only at run time")
        try:
            values = tuple(known.value for known in knowns if known is not None)
            frozenset(values)
            yield after, values
        except TypeError as error:
            frame.run.raise_known(after, error)
