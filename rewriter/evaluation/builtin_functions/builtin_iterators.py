"""Builtins that give the items of others one by one: ``zip``, ``next``, ``range``."""

import operator
from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.builtin_functions.combined_iterators import Numbered, Zipped
from rewriter.evaluation.builtin_functions.reversing import reversed_object
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.containers import iterator
from rewriter.evaluation.containers.lazy_iterators import (
    ends_at_run_time,
    lazy_iterator,
    next_item,
    raise_end,
    result_of,
)
from rewriter.evaluation.control.iteration import items_of, iterator_of
from rewriter.evaluation.control.known_walks import known_walk
from rewriter.evaluation.control.run_time_walks import reversed_walk
from rewriter.evaluation.host.array_walks import array_walk
from rewriter.evaluation.host.numpy_numbers import bound_of
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import item_of, truths
from rewriter.evaluation.rendering import known_object, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_consumers import first_item
from rewriter.evaluation.tensors.known_content import note_asked
from rewriter.prelude import iterating
from rewriter.state import State
from rewriter.values import (
    IteratorValue,
    Known,
    MethodValue,
    Reference,
    RunTimeRange,
    ScalarValue,
    SetCell,
    TensorValue,
    Value,
    ViewValue,
)


@special(enumerate)
def enumerate_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``enumerate(items, start)``."""
    start = positional[1] if len(positional) > 1 else keywords.get("start", Known(0))
    whole = operator.index if tensor_of(start) is not None else None
    if isinstance(start, ScalarValue) and start.type is bool:
        whole = int
    if whole is not None:
        for after, number in call_value(frame, node, state, Known(whole), [start], {}):
            yield from enumerate_(frame, node, after, [positional[0], number], {})
        return
    if not isinstance(start, ScalarValue) and not (
        isinstance(start, Known) and isinstance(start.value, int)
    ):
        frame.refuse("DYCL039", node, "enumerate() with this kind of start")
    if isinstance(start, Known):
        start = Known(int(start.value))  # a truth counts as what it is worth
    for after, items in iterator_of(frame, node, state, positional[0]):
        yield after, lazy_iterator(frame.run, after, (items, start), Numbered())


@special(zip)
def zip_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``zip(a, b)``."""
    strict = known_object(state, keywords.get("strict", Known(False)))
    for after, columns in iterators_of(frame, node, state, positional):
        source = Zipped(strict is not None and bool(strict.value))
        yield after, lazy_iterator(frame.run, after, columns, source)


def iterators_of(
    frame: Frame, node: cst.CSTNode, state: State, values: list[Value]
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield iterators over several iterables, made in order."""
    if not values:
        yield state, ()
        return
    for after, first in iterator_of(frame, node, state, values[0]):
        for done, rest in iterators_of(frame, node, after, values[1:]):
            yield done, (first, *rest)


@special(reversed)
def reversed_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``reversed(items)``: the rows of a tensor turned round, else an iterator."""
    del keywords
    (value,) = positional
    tensor = tensor_of(value)
    if tensor is not None and tensor.dim():
        yield from call_value(frame, node, state, MethodValue(value, "flip"), [Known(0)], {})
        return
    by_class = reversed_object(frame, node, state, value)
    if by_class is not None:
        yield from by_class
        return
    if isinstance(value, IteratorValue):
        frame.refuse("DYCL039", node, "reversed() of an iterator", "make a list of it first")
    walking = array_walk(frame, state, value, back=True)
    walking = walking or reversed_walk(frame, node, state, value)
    if walking is not None:
        yield state, walking
        return
    if isinstance(value, Reference | ViewValue):
        known = known_walk(frame, state, value, back=True)
        if known is not None:
            yield state, known
            return
    if isinstance(value, Reference) and isinstance(state.heap[value.identity], SetCell):
        frame.run.raise_known(state, TypeError("'set' object is not reversible"))
        return
    for after, items in items_of(frame, node, state, value):
        yield after, iterator(frame.run, after, items[::-1])


@special(iter)
def iter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``iter(items)``."""
    del keywords
    if len(positional) == 2:
        yield from call_value(frame, node, state, Known(iterating.until), positional, {})
        return
    method = method_of(state, positional[0], "__iter__")
    made = [(state, positional[0])]
    if method is not None:
        made = list(call_value(frame, node, state, method, [], {}))
    for after, value in made:
        if method is not None and method_of(after, value, "__next__") is not None:
            yield after, value
        else:
            yield from iterator_of(frame, node, after, value)


_NEXT_OR = Known(iterating.next_or)


@special(next)
def next_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``next(iterator, default)``."""
    del keywords
    source = positional[0]
    method = method_of(state, source, "__next__")
    if method is not None:
        asking, given = (method, []) if len(positional) == 1 else (_NEXT_OR, positional)
        yield from call_value(frame, node, state, asking, given, {})
        return
    if not isinstance(source, IteratorValue):
        frame.refuse("DYCL039", node, "next() of this object is not supported")
    if ends_at_run_time(state, source):
        yield from first_item(frame, node, state, source, positional[1:])
        return
    for after, item in next_item(frame, node, state, source):
        if item is not None:
            yield after, item
        elif len(positional) > 1:
            yield after, positional[1]
        else:
            raise_end(frame.run, after, result_of(after, source))


@special(range)
def range_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``range(stop)``, ``range(start, stop, step)``."""
    del keywords
    if any(_is_run_time(value) for value in positional):
        yield from _run_time_range(frame, node, state, positional)
        return
    numbers = []
    for value in positional:
        if isinstance(value, TensorValue) and value.constant is not None:
            numbers.append(value.constant)
        elif isinstance(value, Known) and (known := known_object(state, value)) is not None:
            numbers.append(known.value)
        else:
            frame.refuse(
                "DYCL061",
                node,
                "a range of an object that is no number",
            )
    for number in numbers:
        note_asked(frame.run, number)
    try:
        yield state, Known(range(*numbers))
    except Exception as error:
        frame.run.raise_known(state, error)


def _is_run_time(value: Value) -> bool:
    return isinstance(value, ScalarValue) or (
        isinstance(value, TensorValue) and value.constant is None
    )


def _run_time_range(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional
) -> Outcomes:
    """Return a range whose start or end is known only at run time."""
    for after, bounds in _bounds(frame, node, state, positional):
        yield from _between(frame, node, after, bounds)


_NO_INTEGER = "only integer tensors of a single element can be converted to an index"


def _bounds(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional
) -> Iterator[tuple[State, list[Value]]]:
    """Yield what a range is made of, with numbers for tensors."""
    if not positional:
        yield state, []
        return
    *earlier, last = positional
    for after, bounds in _bounds(frame, node, state, earlier):
        read: Outcomes = iter([(after, last)])
        if isinstance(last, TensorValue):
            read = item_of(frame, node, after, last, TypeError(_NO_INTEGER))
        for done, value in read:
            yield done, [*bounds, bound_of(frame, node, done, value)]


def _between(frame: Frame, node: cst.CSTNode, state: State, bounds: list[Value]) -> Outcomes:
    stride = bounds[2] if len(bounds) == 3 else Known(1)
    start, stop = (Known(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    for bound in (start, stop, stride):
        if isinstance(bound, ScalarValue) and bound.type not in (int, bool):
            assert bound.type is not None
            error = TypeError(f"'{bound.type.__name__}' object cannot be interpreted as an integer")
            frame.run.raise_known(state, error)
            return
    if isinstance(stride, ScalarValue):
        yield from _by_sign(frame, node, state, start, stop, stride)
        return
    if not isinstance(stride, Known) or not isinstance(stride.value, int):
        frame.refuse("DYCL061", node, "the step of this range is no number")
    if stride.value == 0:
        frame.run.raise_known(state, _ZERO_STEP)
        return
    yield state, RunTimeRange(start, stop, stride.value)


_ZERO_STEP = ValueError("range() arg 3 must not be zero")


def _by_sign(
    frame: Frame, node: cst.CSTNode, state: State, start: Value, stop: Value, stride: ScalarValue
) -> Outcomes:
    """Return a range with a run-time step, on a path for each sign of it."""
    for above, rising in _compared(frame, node, state, cst.GreaterThan, stride):
        if rising:
            yield above, RunTimeRange(start, stop, 1, stride)
            continue
        for below, falling in _compared(frame, node, above, cst.LessThan, stride):
            if falling:
                yield below, RunTimeRange(start, stop, -1, stride)
            else:
                frame.run.raise_known(below, _ZERO_STEP)


def _compared(
    frame: Frame, node: cst.CSTNode, state: State, relation: type[cst.BaseCompOp], stride: Value
) -> Iterator[tuple[State, bool]]:
    for after, truth in ordered(frame, node, state, relation, stride, Known(0)):
        yield from truths(frame, node, after, truth)
