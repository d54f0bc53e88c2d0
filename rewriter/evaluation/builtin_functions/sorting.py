"""``sorted``, ``list.sort``, ``min`` and ``max`` over items known at compile time."""

import ast
from collections.abc import Iterator, Sequence

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.item_choice import first_equal
from rewriter.evaluation.host.host_typing import NoHostType, common_type, element_of_list
from rewriter.evaluation.instances.generated_methods import ordered_fields
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import known_object, name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.comparable import host_orders
from rewriter.evaluation.run_time.moving import make_run_time
from rewriter.evaluation.run_time.run_time_objects import run_time_cell, taken
from rewriter.evaluation.run_time.run_time_ordering import ordered_by, sorted_on_host
from rewriter.evaluation.run_time.run_time_sequences import numbered
from rewriter.evaluation.run_time.searching_in_code import is_own_object
from rewriter.host_type_properties import is_mutable
from rewriter.host_types import NumberType, RecordType, SequenceType
from rewriter.prelude import ordering
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, RunTimeCell, ScalarValue, TensorValue, Value

_FEW = 4
"""Objects that the host cannot hold up to which each order of them is a path of its own."""


def keys_of(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], key: Value | None
) -> Iterator[tuple[State, list[Value]]]:
    """Yield the sort keys of items."""
    if key is None or (isinstance(key, Known) and key.value is None):
        yield state, list(items)
        return
    if not items:
        yield state, []
        return
    for after, first in call_value(frame, node, state, key, [items[0]], {}):
        for done, rest in keys_of(frame, node, after, items[1:], key):
            yield done, [first, *rest]


def sorted_items(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Iterator[tuple[State, tuple[Value, ...] | Reference]]:
    """Yield the items in sorted order (stable, as Python's), or a run-time list of them."""
    direction = keywords.get("reverse", Known(False))
    for before, reverse in _directions(frame, node, state, direction):
        yield from _sorted_one_way(frame, node, before, items, keywords.get("key"), reverse)


def _directions(
    frame: Frame, node: cst.CSTNode, state: State, direction: Value
) -> Iterator[tuple[State, bool]]:
    """Yield the ways in which to sort: one path each where that is a number of run time."""
    if isinstance(direction, ScalarValue) and direction.type in (bool, int):
        yield from truths(frame, node, state, direction)
        return
    known = known_object(state, direction)
    if known is None:
        frame.refuse("DYCL052", node, "the direction of sorting is known only at run time")
    yield state, bool(known.value)


def _sorted_one_way(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    key: Value | None,
    reverse: bool,
) -> Iterator[tuple[State, tuple[Value, ...] | Reference]]:
    for after, found in keys_of(frame, node, state, items, key):
        keys: Sequence[Value] = ordered_fields(after, found) or found
        knowns = [known_object(after, key) for key in keys]
        if None in knowns and len(items) > 1:
            by_class = found == list(items) and any(_is_record(after, item) for item in items)
            sort = _sorted_records if by_class else _sorted_on_host
            yield from sort(frame, node, after, items, keys, reverse)
            continue
        values = [known.value if known is not None else 0 for known in knowns]
        try:
            order = sorted(
                range(len(items)),
                key=lambda index: values[index],
                reverse=reverse,
            )
        except Exception as error:
            frame.run.raise_known(after, error)
            continue
        yield after, tuple(items[index] for index in order)


def _elements(frame: Frame, node: cst.CSTNode, tensor: TensorValue) -> int:
    """Return how many elements a key has."""
    if not is_fixed(tensor.fake):
        frame.refuse("DYCL052", node, "sorting by tensors whose size is known only at run time")
    return tensor.fake.numel()


def _sorted_on_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keys: Sequence[Value],
    reverse: bool,
) -> Iterator[tuple[State, tuple[Value, ...] | Reference]]:
    """Sort by run-time keys: the host puts the items of a list in order."""
    tensors = [key for key in keys if isinstance(key, TensorValue)]
    if any(_elements(frame, node, tensor) != 1 for tensor in tensors):
        error = RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        frame.run.raise_known(state, error)
        return
    if tensors and not compare_as_numbers(keys):
        frame.refuse("DYCL052", node, "sorting by tensors among numbers or of several dtypes")
    numbers: list[Value] = []
    for key in keys:
        ((state, number),) = numbered(frame, node, state, key)
        numbers.append(number)
    run = frame.run
    listed = run.allocate(state, ListCell(items))
    order = run.allocate(state, ListCell(tuple(numbers)))
    try:
        element = element_of_list(state, listed)
        order_kind = common_type(state, tuple(numbers))
    except NoHostType as error:
        unheld = str(error)
        yield from _sorted_unheld(frame, node, state, unheld, items, keys, numbers, reverse)
        return
    make_run_time(frame, node, state, listed, SequenceType(element))
    make_run_time(frame, node, state, order, SequenceType(order_kind))
    if not host_orders(order_kind):
        by_keys: list[Value] = [order, listed, Known(reverse)]
        for after, _ in call_value(frame, node, state, Known(ordering.sort_by), by_keys, {}):
            yield after, listed
        return
    ordered = ordered_by(frame, node, state, listed, element, order, Known(reverse))
    if is_mutable(element):
        yield state, ordered
        return
    whole = name_expression(state.cell(ordered, RunTimeCell).name)
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for position in range(len(items)):
        part = ast.Subscript(value=whole, slice=ast.Constant(value=position), ctx=ast.Load())
        pending = [
            (after, (*so_far, item))
            for before, so_far in pending
            for after, item in taken(frame, node, before, part, element)
        ]
    yield from pending


def _sorted_unheld(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    unheld: str,
    items: tuple[Value, ...],
    keys: Sequence[Value],
    numbers: Sequence[Value],
    reverse: bool,
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Sort what the host cannot hold: few items by numbers, or by keys that say how."""
    if len(items) <= _FEW and _are_numbers(numbers):
        yield from _sorted_by_places(frame, node, state, items, numbers, reverse)
    elif any(is_own_object(state, key) for key in keys):
        yield from _sorted_one_by_one(frame, node, state, items, keys, reverse)
    else:
        frame.refuse("DYCL052", node, f"{unheld} sorted by keys known only at run time")


def _are_numbers(keys: Sequence[Value]) -> bool:
    return all(
        isinstance(key, ScalarValue)
        or (isinstance(key, Known) and type(key.value) in (bool, int, float))
        for key in keys
    )


def _sorted_by_places(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keys: Sequence[Value],
    reverse: bool,
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Sort what the host cannot hold: it sorts the places, and each order is a path."""
    places = frame.run.allocate(state, ListCell(tuple(map(Known, range(len(items))))))
    order = frame.run.allocate(state, ListCell(tuple(keys)))
    make_run_time(frame, node, state, places, SequenceType(NumberType(int)))
    make_run_time(frame, node, state, order, SequenceType(common_type(state, tuple(keys))))
    ordered = ordered_by(frame, node, state, places, NumberType(int), order, Known(reverse))
    whole = name_expression(state.cell(ordered, RunTimeCell).name)
    pending: list[tuple[State, tuple[int, ...]]] = [(state, ())]
    for position in range(len(items) - 1):
        part = ast.Subscript(value=whole, slice=ast.Constant(value=position), ctx=ast.Load())
        pending = [
            (chosen, (*so_far, place.value))
            for before, so_far in pending
            for after, number in taken(frame, node, before, part, NumberType(int), may_raise=False)
            for chosen, place in first_equal(
                frame, node, after, _left(len(items), so_far), number, certain=True
            )
            if isinstance(place, Known)
        ]
    for after, so_far in pending:
        ((last, _),) = _left(len(items), so_far)
        yield after, tuple(items[place] for place in (*so_far, last))


def _left(count: int, taken_already: tuple[int, ...]) -> list[tuple[int, Value]]:
    """Return the places that are left."""
    return [(place, Known(place)) for place in range(count) if place not in taken_already]


def _sorted_one_by_one(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keys: Sequence[Value],
    reverse: bool,
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Sort what the host cannot hold: each comparison known only at run time is two paths."""
    listed = frame.run.allocate(state, ListCell(items))
    order = frame.run.allocate(state, ListCell(tuple(keys)))
    given: list[Value] = [order, listed, Known(reverse)]
    state.carry(listed)  # the function's last paths read it no more
    for after, _ in call_value(frame, node, state, Known(ordering.sort_by), given, {}):
        yield after, after.cell(listed, ListCell).items


def _is_record(state: State, value: Value) -> bool:
    """Return whether a value is an object that is on the host already."""
    found = run_time_cell(state, value)
    return found is not None and isinstance(found.type, RecordType)


def _sorted_records(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    _: Sequence[Value],
    reverse: bool,
) -> Iterator[tuple[State, tuple[Value, ...] | Reference]]:
    """Sort objects that are on the host by what their class is ordered by."""
    listed = frame.run.allocate(state, ListCell(items))
    try:
        element = element_of_list(state, listed)
    except NoHostType as error:
        frame.refuse("DYCL052", node, f"{error} are sorted")
    make_run_time(frame, node, state, listed, SequenceType(element))
    ordering: dict[str, Value] = {"reverse": Known(reverse)}
    for after, ordered in sorted_on_host(frame, node, state, listed, ordering):
        assert isinstance(ordered, Reference)
        yield after, ordered


def compare_as_numbers(keys: Sequence[Value]) -> bool:
    """Return whether tensors compare as the numbers in them do.

    PyTorch compares in one dtype: 0.1 is not below a float32 of 0.1.
    """
    kinds: set[object] = set()
    for key in keys:
        match key:
            case TensorValue():
                kinds.add(key.fake.dtype)
            case ScalarValue():
                kinds.add(torch.int64 if key.type is int else key.type)
            case Known():
                kinds.add(torch.int64 if type(key.value) is int else type(key.value))
            case _:
                return False
    return len(kinds) == 1
