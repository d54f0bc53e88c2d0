"""Assignment to elements and slices, and their deletion."""

import ast
from collections import deque
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.container_items import list_position, no_slice
from rewriter.evaluation.containers.containers import describe, sequence_items, tuple_value
from rewriter.evaluation.containers.dict_methods import known_key
from rewriter.evaluation.containers.identity_keys import entered_key, takes_own_key, without_key
from rewriter.evaluation.containers.index_objects import with_integers
from rewriter.evaluation.containers.outer_tables import fills_table
from rewriter.evaluation.containers.slice_bounds import within
from rewriter.evaluation.containers.stepped_slices import without_steps
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.host.array_changes import set_array_item
from rewriter.evaluation.host.array_memory import is_host_array, write_known
from rewriter.evaluation.host.host_tensors import as_tensor_operands
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import NotMaterial, known_object, render, render_index, tensor_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.mixed_lists import set_mixed_item
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_mappings import delete_mapping_item, set_mapping_item
from rewriter.evaluation.run_time.run_time_sequences import (
    delete_sequence_item,
    set_sequence_item,
    to_run_time,
)
from rewriter.evaluation.statement_ends import storing
from rewriter.evaluation.tensors.chosen_truths import with_chosen_truths
from rewriter.evaluation.tensors.masks_beside_places import with_places
from rewriter.evaluation.tensors.tensor_writes import in_rows, written_index
from rewriter.host_types import MixedListType, SequenceType, SetType
from rewriter.keeping.noting import keep_object
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    IteratorValue,
    Known,
    ListCell,
    Poison,
    Reference,
    RunTimeCell,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def set_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value, item: Value
) -> list[State]:
    """Execute ``value[index] = item``; return the states that go on."""
    method = method_of(state, value, "__setitem__")
    if method is not None:
        return [s for s, _ in call_value(frame, node, state, method, [index, item], {})]
    asked = with_integers(frame, node, state, value, index)
    if asked is not None:
        return [s for at, i in asked for s in set_item(frame, node, at, value, i, item)]
    if isinstance(value, TensorValue | Known) and tensor_of(value) is not None:
        return _set_tensor_item(frame, node, state, value, index, item)
    if isinstance(value, Reference):
        return set_own_item(frame, node, state, value, index, item)
    if isinstance(value, Poison):
        raise UsedPoison
    if _raised_as_fixed(frame, state, value, "__setitem__"):
        return []
    if is_host_array(value):
        return set_array_item(frame, node, state, value, index, item)
    if isinstance(value, Known) and isinstance(value.value, numpy.ndarray):
        write_known(frame, node, [value.value])
    if isinstance(value, Known) and fills_table(frame, node, state, value, index, item):
        return [state]
    frame.refuse("DYCL034", node, _OUTLIVES.format(describe(state, value)))


def _raised_as_fixed(frame: Frame, state: State, value: Value, method: str) -> bool:
    """Raise where nobody can write or delete elements of a value: a tuple, None, a number."""
    if not isinstance(value, TupleValue | Known):
        return False
    kind = value.kind if isinstance(value, TupleValue) else type(value.value)
    if hasattr(kind, method):
        return False
    deleted = method == "__delitem__"
    not_so = "doesn't" if deleted and issubclass(kind, tuple | str | range) else "does not"
    words = "item deletion" if deleted else "item assignment"
    frame.run.raise_known(state, TypeError(f"'{kind.__name__}' object {not_so} support {words}"))
    return True


_OUTLIVES = "an element of {} that outlives the call is written"


def set_own_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, index: Value, item: Value
) -> list[State]:
    """Execute ``value[index] = item`` as the builtin class does."""
    if takes_own_key(state, value, index):
        return entered_key(frame, node, state, value, index, item)
    match state.heap[value.identity]:
        case ListCell() as cell:
            return _set_list_item(frame, node, state, value, cell, index, item)
        case DictCell() if not _is_known_key(state, index):
            return set_mapping_item(frame, node, state, value, index, item)
        case RunTimeCell() as cell if isinstance(cell.type, SequenceType):
            return set_sequence_item(frame, node, state, value, cell, index, item)
        case RunTimeCell(type=MixedListType()):
            return set_mixed_item(frame, node, state, value, index, item)
        case RunTimeCell() as cell if not isinstance(cell.type, SetType):
            return set_mapping_item(frame, node, state, value, index, item)
        case DictCell() as cell:
            items = {**cell.items, known_key(frame, node, state, index): item}
            frame.run.update(state, value, replace(cell, items=items))
            return [state]
        case _:
            frame.refuse("DYCL034", node, _OUTLIVES.format(describe(state, value)))


def _set_list_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Reference,
    cell: ListCell,
    index: Value,
    item: Value,
) -> list[State]:
    known = known_object(state, index)
    if known is not None and isinstance(known.value, slice) and issubclass(cell.kind, deque):
        frame.run.raise_known(state, no_slice())
        return []
    if known is None:
        run_time = to_run_time(frame, node, state, value)
        return set_sequence_item(frame, node, state, value, run_time, index, item)
    items: list[Value] = list(cell.items)
    try:
        if isinstance(known.value, slice):
            replacement = sequence_items(state, item)
            if replacement is None and is_run_time(state, item):
                run_time = to_run_time(frame, node, state, value)
                return set_sequence_item(frame, node, state, value, run_time, index, item)
            if replacement is None:
                return _set_taken_items(frame, node, state, value, index, item)
            items[known.value] = list(replacement)
        else:
            items[list_position(known.value)] = item
    except (IndexError, TypeError, ValueError) as error:
        frame.run.raise_known(state, error)
        return []
    frame.run.update(state, value, replace(cell, items=tuple(items)))
    return [state]


def _set_taken_items(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, index: Value, item: Value
) -> list[State]:
    """Take all items of an iterable, then put them into a slice."""
    if not isinstance(item, TensorValue | IteratorValue | ViewValue | Reference):
        frame.refuse("DYCL056", node, "a slice is assigned from this kind of object")
    return [
        done
        for after, items in items_of(frame, node, state, item)
        for done in set_item(frame, node, after, value, index, tuple_value(items))
    ]


def _set_tensor_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: TensorValue | Known,
    index: Value,
    item: Value,
) -> list[State]:
    _, item = as_tensor_operands(frame, node, state, (value, item), stored=True)
    return [
        done
        for known, chosen in with_chosen_truths(frame, node, state, index)
        for start, target, at in in_rows(frame, node, known, value, chosen)
        for ready, view, left in without_steps(frame, node, start, target, at)
        for placed, places in with_places(frame, node, ready, view, left)
        for after, place, content in written_index(frame, node, placed, view, places, item)
        for done in _store(frame, node, after, view, place, content)
    ]


def _store(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: TensorValue | Known,
    index: Value,
    item: Value,
) -> list[State]:
    try:
        target = ast.Subscript(
            value=render(frame.run, state, value),
            slice=render_index(frame.run, state, index),
            ctx=ast.Store(),
        )
        stored = render(frame.run, state, item)
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is written into a tensor")

    def store(tensor: torch.Tensor, position: object, content: object) -> None:
        tensor[position] = content  # type: ignore[index,assignment]

    operation = Operation(
        frame,
        node,
        state,
        store,
        (value, within(frame.run, state, value, index), item),
        {},
        stored,
        stores_into=target,
        description="an assignment to elements",
    )
    with storing(frame, node):
        return [after for after, _ in evaluate_operation(operation)]


def _is_known_key(state: State, index: Value) -> bool:
    return known_object(state, index) is not None


def _is_for_host(cell: Cell | None, index: Known | None) -> bool:
    """Return whether an element is deleted on the host."""
    if isinstance(cell, RunTimeCell):
        return not isinstance(cell.type, SetType | MixedListType)
    return index is None and isinstance(cell, ListCell | DictCell)


def delete_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> list[State]:
    """Execute ``del value[index]``; return the states that go on."""
    method = method_of(state, value, "__delitem__")
    if method is not None:
        return [s for s, _ in call_value(frame, node, state, method, [index], {})]
    if _raised_as_fixed(frame, state, value, "__delitem__"):
        return []
    return delete_own_item(frame, node, state, value, index)


def delete_own_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> list[State]:
    """Execute what Python's own class does for ``del value[index]``."""
    if isinstance(value, Known):
        keep_object(frame.run, value.value)
    if isinstance(value, Reference) and takes_own_key(state, value, index):
        return without_key(frame, node, state, value, index)
    known = known_object(state, index)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if isinstance(value, Reference) and _is_for_host(cell, known):
        if isinstance(cell, ListCell):
            cell = to_run_time(frame, node, state, value)
        if isinstance(cell, RunTimeCell) and isinstance(cell.type, SequenceType):
            return delete_sequence_item(frame, node, state, value, cell, index)
        return delete_mapping_item(frame, node, state, value, index)
    if (
        known is None
        or not isinstance(value, Reference)
        or not isinstance(cell, ListCell | DictCell)
    ):
        frame.refuse("DYCL056", node, "this element cannot be deleted")
    try:
        left = _without(cell, known.value)
    except (IndexError, KeyError, TypeError) as error:
        frame.run.raise_known(state, error)
        return []
    frame.run.update(state, value, left)
    return [state]


def _without(cell: ListCell | DictCell, index: Any) -> ListCell | DictCell:
    """Return a container without an element, or what a slice holds."""
    if isinstance(cell, DictCell):
        entries = dict(cell.items)
        del entries[index]
        return replace(cell, items=entries)
    if isinstance(index, slice) and issubclass(cell.kind, deque):
        raise no_slice()
    items = list(cell.items)
    del items[index]
    return replace(cell, items=tuple(items))
