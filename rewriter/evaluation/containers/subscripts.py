"""Subscripts: elements and slices of tensors, containers and host values."""

import ast
import enum

import libcst as cst
import numpy
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.chosen_rows import is_calm, looked_up, rows_of
from rewriter.evaluation.containers.container_items import container_item
from rewriter.evaluation.containers.index_objects import with_integers
from rewriter.evaluation.containers.index_values import index_value
from rewriter.evaluation.containers.slice_bounds import within
from rewriter.evaluation.containers.stepped_slices import without_steps
from rewriter.evaluation.containers.table_items import item_of_table
from rewriter.evaluation.dispatch import evaluate, expression_rule, noted
from rewriter.evaluation.host.array_elements import array_item
from rewriter.evaluation.host.array_memory import is_made_on_host, note_made
from rewriter.evaluation.host.array_writes import arrays_in
from rewriter.evaluation.host.host_objects import host_item
from rewriter.evaluation.host.index_tricks import trick_item
from rewriter.evaluation.instances.asked_tables import owner_of_table
from rewriter.evaluation.instances.classes_of_classes import own_class_item
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import NotMaterial, known_object, render, render_index
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.mixed_lists import mixed_item
from rewriter.evaluation.run_time.run_time_mappings import mapping_item
from rewriter.evaluation.run_time.run_time_sequences import sequence_item
from rewriter.evaluation.tensors.chosen_parts import select
from rewriter.evaluation.tensors.chosen_truths import with_chosen_truths
from rewriter.evaluation.tensors.list_tensors import list_index
from rewriter.evaluation.tensors.mask_counts import with_one_count
from rewriter.evaluation.tensors.masks_beside_places import with_places
from rewriter.evaluation.tensors.tensor_indexing import (
    index_parts,
    is_one_truth,
    is_run_time_integer,
    with_masks,
    with_ranges,
)
from rewriter.host_types import MixedListType, SequenceType
from rewriter.prelude import making_tensors, ranges
from rewriter.prelude.enums import member_named
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    Poison,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    TensorValue,
    Value,
)


@expression_rule(cst.Subscript)
def subscript(frame: Frame, node: cst.Subscript, state: State) -> Outcomes:
    """``value[index]``."""
    of_table = item_of_table(frame, node, state)
    if of_table is not None:
        yield from of_table
        return
    inner = node.value
    if isinstance(inner, cst.Subscript) and owner_of_table(inner.value) is None and is_calm(node):
        for after, table in evaluate(frame, inner.value, state):
            for done, place in index_value(frame, inner, after):
                yield from _item_of_row(frame, node, inner, done, table, place)
        return
    for after, value in evaluate(frame, node.value, state):
        for done, index in index_value(frame, node, after):
            yield from get_item(frame, node, done, value, index)


def _item_of_row(
    frame: Frame, node: cst.Subscript, inner: cst.Subscript, state: State, table: Value,
    place: Value,
) -> Outcomes:  # fmt: skip
    """``table[place][index]``: the row is only looked into, and the host may look it up."""
    rows = rows_of(frame, state, table, place)
    if rows is None:
        for after, row in get_item(frame, inner, state, table, place):
            held = noted(frame.run, after, row)
            for done, index in index_value(frame, node, after):
                yield from get_item(frame, node, done, held, index)
        return
    read = iter([(state, place)])
    if isinstance(place, TensorValue):
        read = item_of(frame, inner, state, place)
    for after, number in read:
        for done, index in index_value(frame, node, after):
            found = looked_up(frame, node, done, rows, number, index)
            yield from found or _item_of_each(frame, node, inner, done, table, number, index)


def _item_of_each(
    frame: Frame, node: cst.Subscript, inner: cst.Subscript, state: State, table: Value,
    place: Value, index: Value,
) -> Outcomes:  # fmt: skip
    """The same with a path for each row."""
    for after, row in get_item(frame, inner, state, table, place):
        yield from get_item(frame, node, after, noted(frame.run, after, row), index)


def get_item(frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value) -> Outcomes:
    """Evaluate ``value[index]``."""
    called = _called(frame, node, state, value, index)
    if called is not None:
        yield from called
        return
    match value:
        case TensorValue():
            yield from _tensor_item(frame, node, state, value, index)
        case Known() if isinstance(value.value, torch.Tensor):
            yield from _tensor_item(frame, node, state, value, index)
        case Known() if type(value.value) is enum.EnumType and isinstance(index, HostValue):
            yield from call_value(frame, node, state, Known(member_named), [value, index], {})
        case Poison():
            raise UsedPoison
        case Known() if isinstance(value.value, numpy.ndarray):
            yield from _known_array_item(frame, node, state, value, index)
        case HostValue() | ScalarValue():
            yield from host_item(frame, node, state, value, index)
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            yield from _run_time_item(frame, node, state, value, cell, index)
        case _ if _is_open_range(state, value, index):
            yield from call_value(frame, node, state, Known(ranges.item), [value, index], {})
        case _:
            yield from container_item(frame, node, state, value, index)


def _called(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes | None:
    """Return what methods say: the user's, those of an index, of an object which makes arrays."""
    method = method_of(state, value, "__getitem__")
    if method is not None:
        return call_value(frame, node, state, method, [index], {})
    made = own_class_item(value)
    if made is not None:
        return call_value(frame, node, state, Known(made), [value, index], {})
    asked = with_integers(frame, node, state, value, index)
    if asked is not None:
        return (got for at, i in asked for got in get_item(frame, node, at, value, i))
    return trick_item(frame, node, state, value, index)


def _is_open_range(state: State, value: Value, index: Value) -> bool:
    """Return whether an element of a range is asked for that is known only at run time."""
    if isinstance(value, RunTimeRange):
        return True
    is_range = isinstance(value, Known) and type(value.value) is range
    return is_range and known_object(state, index) is None


def _run_time_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, cell: RunTimeCell,
    index: Value,
) -> Outcomes:  # fmt: skip
    match cell.type:
        case SequenceType() as sequence:
            yield from sequence_item(frame, node, state, cell, sequence, index)
        case MixedListType():
            yield from mixed_item(frame, node, state, value, index)
        case _:
            yield from mapping_item(frame, node, state, value, index)


def _known_array_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, index: Value
) -> Outcomes:
    """Take a part of a known array: now, or where it is chosen or written at run time, later."""
    if known_object(state, index) is None or is_made_on_host(frame, node):
        yield from array_item(frame, node, state, value, index)
        return
    for after, part in container_item(frame, node, state, value, index):
        if isinstance(part, Known):
            note_made(frame, node, arrays_in(part.value), [value.value])
        yield after, part


def _tensor_item(
    frame: Frame, node: cst.CSTNode, state: State, value: TensorValue | Known, index: Value
) -> Outcomes:
    for start, known in with_chosen_truths(frame, node, state, index):
        listed = list_index(frame, node, start, known)
        for after, made in with_ranges(frame, node, start, listed):
            for done, plain in with_masks(frame, node, after, made):
                for ready, view, left in without_steps(frame, node, done, value, plain):
                    for last, placed in with_places(frame, node, ready, view, left):
                        yield from _item_of_tensor(frame, node, last, view, placed)


def _item_of_tensor(
    frame: Frame, node: cst.CSTNode, state: State, value: TensorValue | Known, index: Value
) -> Outcomes:
    parts = index_parts(state, index)
    if len(parts) == 1 and is_one_truth(parts[0]):
        taken = Known(making_tensors.where_one_is_true)
        yield from call_value(frame, node, state, taken, [value, parts[0]], {})
        return
    if any(is_run_time_integer(part) for part in parts):
        yield from select(frame, node, state, value, parts)
        return
    try:
        expression = ast.Subscript(
            value=render(frame.run, state, value),
            slice=render_index(frame.run, state, index),
            ctx=ast.Load(),
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is an index of a tensor")
    outcomes = evaluate_operation(
        Operation(
            frame,
            node,
            state,
            lambda tensor, position: tensor[position],
            (value, within(frame.run, state, value, index)),
            {},
            expression,
            description="indexing",
        )
    )
    yield from with_one_count(frame, state, parts, outcomes)
