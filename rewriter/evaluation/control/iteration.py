"""Iteration: what a ``for``, an unpacking or ``list(...)`` walks over."""

import ast
from collections.abc import Iterator

import libcst as cst
import numpy
import torch
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import item_path, iterator, listed_items
from rewriter.evaluation.containers.lazy_iterators import remaining_items
from rewriter.evaluation.control.known_walks import known_walk
from rewriter.evaluation.control.run_time_walks import walk
from rewriter.evaluation.host.array_elements import array_items
from rewriter.evaluation.host.array_walks import array_walk
from rewriter.evaluation.instances.user_classes import is_asked_by_place, method_of, user_method
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import call_expression, render, tensor_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.mixed_lists import is_mixed_list, mixed_items
from rewriter.evaluation.run_time.record_walks import record_items
from rewriter.evaluation.run_time.run_time_kinds import (
    has_unknown_rows,
    is_run_time,
    record_of_keys,
)
from rewriter.evaluation.tensors.tensor_rows import row_iterator
from rewriter.keeping.noting import resident
from rewriter.prelude.iterating import ask_for_length, items_by_place, items_of_iterator
from rewriter.prelude.progress import ProgressBar
from rewriter.state import State
from rewriter.values import (
    HostValue,
    IteratorValue,
    Known,
    ObjectCell,
    Poison,
    Reference,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)

_MOST_ITEMS = 1_000_000


def items_of(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield the items that iterating over a value gives; consumes iterators."""
    items = listed_items(state, value)
    if items is not None:
        yield state, items
        return
    _refuse_unknown_rows(frame, node, value)
    refuse_endless(frame, node, state, value)
    match value:
        case TensorValue() | Known() if (tensor := tensor_of(value)) is not None:
            yield from _rows(frame, node, state, value, tensor)
        case Known():
            yield from _known_items(frame, node, state, value)
        case IteratorValue():
            yield from remaining_items(frame, node, state, value)
        case HostValue() if isinstance(value.sample, numpy.ndarray):
            yield from array_items(frame, node, state, value)
        case Reference() | ViewValue() if record_of_keys(state, value) is not None:
            yield from record_items(frame, node, state, value)
        case Reference() if isinstance(found := state.heap[value.identity], SetCell):
            yield state, tuple(map(Known, found.order))
        case Reference():
            yield from _object_items(frame, node, state, value)
        case Poison():
            raise UsedPoison
        case _:
            _no_items(frame, node, state, value)


def items_counted(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield the items as a list takes them: it asks an object for its length as well."""
    for after, made in walked_and_counted(frame, node, state, value):
        yield from items_of(frame, node, after, made)


def _no_items(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    kind = value.type if isinstance(value, ScalarValue) else None
    if kind not in (bool, int, float, complex):
        message = "iteration over an object known only at run time is not supported"
        frame.refuse("DYCL040", node, message)
    assert kind is not None
    frame.run.raise_known(state, TypeError(f"'{kind.__name__}' object is not iterable"))


def _refuse_unknown_rows(frame: Frame, node: cst.CSTNode, value: Value) -> None:
    if has_unknown_rows(value):
        frame.refuse(
            "DYCL075",
            node,
            "this needs all rows of a tensor at once, and how many there are is known only at "
            "run time",
            "walk over the rows in a for loop, or compute with the tensor",
        )


def refuse_endless(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    """Refuse what it is known of only at run time when it ends."""
    if is_run_time(state, value):
        frame.refuse(
            "DYCL041", node, "the number of items is known only at run time where it must be known"
        )


def iterator_of(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, IteratorValue]]:
    """Yield ``iter(value)``; a list or dict of the program is read as it is at each step."""
    if method_of(state, value, "__iter__") is not None or is_asked_by_place(state, value):
        for after, made in walked(frame, node, state, value):
            yield from iterator_of(frame, node, after, made)
        return
    if isinstance(value, IteratorValue):
        yield state, value
        return
    if has_unknown_rows(value):
        yield state, row_iterator(frame, node, state, value)
        return
    walking = array_walk(frame, state, value) or walk(frame, node, state, value)
    if walking is not None:
        yield state, walking
        return
    if isinstance(value, Reference | ViewValue):
        walking = known_walk(frame, state, value)
        if walking is not None:
            yield state, walking
            return
    for after, fixed in items_of(frame, node, state, value):
        yield after, iterator(frame.run, after, fixed)


def _rows(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, tensor: torch.Tensor
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    if tensor.dim() == 0:
        frame.run.raise_known(state, TypeError("iteration over a 0-d tensor"))
        return
    method = ast.Attribute(value=render(frame.run, state, value), attr="unbind", ctx=ast.Load())
    operation = Operation(
        frame,
        node,
        state,
        lambda operand: operand.unbind(0),
        (value,),
        {},
        call_expression(method, [ast.Constant(value=0)]),
        description="iteration over a tensor",
    )
    for after, rows in evaluate_operation(operation):
        assert isinstance(rows, TupleValue)
        yield after, rows.items


def _known_items(
    frame: Frame, node: cst.CSTNode, state: State, value: Known
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    content = value.value
    if user_method(type(content), "__iter__") or user_method(type(content), "__getitem__"):
        yield from _object_items(frame, node, state, value)
        return
    if isinstance(content, nn.ModuleList | nn.Sequential | nn.ParameterList):
        held = (Known(item, item_path(value.path, index)) for index, item in enumerate(content))
        yield state, tuple(resident(frame.run, state, item) for item in held)
        return
    try:
        iterator = iter(content)
    except TypeError as error:
        frame.run.raise_known(state, error)
        return
    if iterator is content:
        frame.refuse(
            "DYCL041", node, "an iterator made before the call is consumed here; use a list"
        )
    taken = (Known(item) for _, item in zip(range(_MOST_ITEMS), iterator, strict=False))
    items = tuple(resident(frame.run, state, item) for item in taken)
    if len(items) == _MOST_ITEMS:
        frame.refuse("DYCL041", node, "this iterates without an end")
    yield state, items


def _object_items(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    if isinstance(value, Reference) and is_mixed_list(state, value):
        yield from mixed_items(frame, node, state, value)
        return
    for after, made in walked(frame, node, state, value):
        if made is value:
            frame.refuse(
                "DYCL041",
                node,
                "iteration over this object is not supported",
                "define __iter__ that returns an iterator over a list",
            )
        yield from items_of(frame, node, after, made)


def walked(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, Value]]:
    """Yield what is walked in an object's place: what its ``__iter__`` gives, or the object.

    A class without ``__iter__`` is asked for the item at each place. In the place of a progress
    bar it is what it was made of: a range is still one.
    """
    bar = state.heap[value.identity] if isinstance(value, Reference) else None
    if isinstance(bar, ObjectCell) and bar.kind is ProgressBar:
        yield from walked(frame, node, state, bar.attributes["iterable"])
        return
    method = method_of(state, value, "__iter__")
    if method is None and is_asked_by_place(state, value):
        yield from call_value(frame, node, state, Known(items_by_place), [value], {})
        return
    if method is None:
        yield state, value
        return
    for after, made in call_value(frame, node, state, method, [], {}):
        if method_of(after, made, "__next__") is not None:
            yield from call_value(frame, node, after, Known(items_of_iterator), [made], {})
            continue
        if isinstance(made, Reference):
            frame.refuse("DYCL041", node, "__iter__ must return iter(...) of a container")
        after.carry(made)
        yield after, made


def walked_and_counted(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, Value]]:
    """Yield what is walked in an object's place, where a list or tuple takes all of the items.

    Python then asks the object for its length, too, which may be seen, or raise.
    """
    is_walked = method_of(state, value, "__iter__") is not None or is_asked_by_place(state, value)
    if not is_walked or method_of(state, value, "__len__") is None:
        yield from walked(frame, node, state, value)
        return
    for after, made in walked(frame, node, state, value):
        for asked, _ in call_value(frame, node, after, Known(ask_for_length), [value], {}):
            yield asked, made
