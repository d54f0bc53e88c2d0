"""Builtins that give the items of others one by one: ``zip``, ``next``, ``range``."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.containers import (
    iterator,
)
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.rendering import known_object, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.special_calls import Keywords, Positional, special
from rewriter.evaluation.truth import item_of
from rewriter.state import State
from rewriter.values import (
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeRange,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


@special(enumerate)
def enumerate_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``enumerate(items, start)``."""
    start = positional[1] if len(positional) > 1 else keywords.get("start", Known(0))
    if not isinstance(start, Known) or not isinstance(start.value, int):
        frame.refuse("DYCL039", node, "the start of enumerate() is known only at run time")
    for after, items in items_of(frame, node, state, positional[0]):
        pairs = tuple(
            TupleValue((Known(index), item)) for index, item in enumerate(items, start.value)
        )
        yield after, iterator(frame.run, after, pairs)


@special(zip)
def zip_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``zip(a, b)``."""
    strict = known_object(state, keywords.get("strict", Known(False)))
    for after, columns in columns_of(frame, node, state, positional):
        if strict is not None and strict.value and len({len(c) for c in columns}) > 1:
            frame.run.raise_known(after, _uneven([len(column) for column in columns]))
            continue
        rows = tuple(TupleValue(tuple(row)) for row in zip(*columns, strict=False))
        yield after, iterator(frame.run, after, rows)


def _uneven(lengths: list[int]) -> ValueError:
    """Return the error of ``zip(strict=True)``, in CPython's words."""
    at = next(i for i, length in enumerate(lengths) if length != lengths[0])
    word = "shorter" if lengths[at] < lengths[0] else "longer"
    before = "argument 1" if at == 1 else f"arguments 1-{at}"
    return ValueError(f"zip() argument {at + 1} is {word} than {before}")


def columns_of(
    frame: Frame, node: cst.CSTNode, state: State, values: list[Value]
) -> Iterator[tuple[State, list[tuple[Value, ...]]]]:
    """Yield the items of several iterables, evaluated in order."""
    if not values:
        yield state, []
        return
    for after, first in items_of(frame, node, state, values[0]):
        for done, rest in columns_of(frame, node, after, values[1:]):
            yield done, [first, *rest]


@special(reversed)
def reversed_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``reversed(items)``."""
    del keywords
    for after, items in items_of(frame, node, state, positional[0]):
        yield after, iterator(frame.run, after, items[::-1])


@special(iter)
def iter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``iter(items)``."""
    del keywords
    if len(positional) != 1:
        frame.refuse("DYCL039", node, "iter() with a sentinel is not supported")
    if isinstance(positional[0], IteratorValue):
        yield state, positional[0]
        return
    for after, items in items_of(frame, node, state, positional[0]):
        yield after, iterator(frame.run, after, items)


@special(next)
def next_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``next(iterator, default)``."""
    del keywords
    source = positional[0]
    if not isinstance(source, IteratorValue):
        frame.refuse("DYCL039", node, "next() of this object is not supported")
    for after, item in next_item(frame, state, source):
        if item is not None:
            yield after, item
        elif len(positional) > 1:
            yield after, positional[1]
        else:
            frame.run.raise_known(after, StopIteration())


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
        tensor = tensor_of(value)
        if isinstance(value, TensorValue) and value.constant is not None:
            numbers.append(int(value.constant))
        elif tensor is not None and not isinstance(value, TensorValue):
            numbers.append(int(tensor))
        elif isinstance(value, Known):
            numbers.append(value.value)
        else:
            frame.refuse(
                "DYCL061",
                node,
                "the number of iterations is known only at run time",
            )
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
    bounds: list[Value] = []
    for value in positional:
        if isinstance(value, TensorValue):
            ((state, value),) = item_of(frame, node, state, value)
        bounds.append(value)
    stride = bounds[2] if len(bounds) == 3 else Known(1)
    start, stop = (Known(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    for bound in (start, stop):
        if isinstance(bound, ScalarValue) and bound.type not in (int, bool):
            name = "float" if bound.type is None else bound.type.__name__
            error = TypeError(f"'{name}' object cannot be interpreted as an integer")
            frame.run.raise_known(state, error)
            return
    if not isinstance(stride, Known) or not isinstance(stride.value, int) or not stride.value:
        frame.refuse("DYCL061", node, "the step of this range is known only at run time")
    yield state, RunTimeRange(start, stop, stride.value)


def next_item(
    frame: Frame, state: State, source: IteratorValue
) -> Iterator[tuple[State, Value | None]]:
    """Yield the next element of an iterator, None where there is no more."""
    reference = Reference(source.identity)
    cell = state.cell(reference, IteratorCell)
    if not cell.items:
        yield state, None
        return
    frame.run.update(state, reference, IteratorCell(cell.items[1:], cell.rows))
    if cell.rows is None:
        yield state, cell.items[0]
        return
    for after, made in cell.rows.all(state, cell.items[:1]):
        if made:
            # A nested ``for`` may give several at once: the others come next.
            if made[1:]:
                left = after.cell(reference, IteratorCell).items
                following = made[1:] + tuple(
                    item for _, more in cell.rows.all(after, left) for item in more
                )
                frame.run.update(after, reference, IteratorCell(following))
            yield after, made[0]
        else:
            yield from next_item(frame, after, source)
