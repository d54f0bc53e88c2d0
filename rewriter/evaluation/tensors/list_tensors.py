"""Tensors made of lists that only exist at run time: ``torch.stack``, ``cat`` and ``tensor``.

``stack`` and ``cat`` of such a list are one statement of the host where its tensors are alike
(``joined_lists.py``). Otherwise they are evaluated as the loops below: lists of tensors stay on the
host, and each step is an operation like any other.
"""

from typing import Any

import libcst as cst
import numpy
import torch

from rewriter.array_samples import OpenArray, is_array
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.array_tensors import tensor_of_array
from rewriter.evaluation.host.host_tensors import tensor_from_host
from rewriter.evaluation.host.numpy_numbers import plain_bounds
from rewriter.evaluation.host.plain_numbers import has_floats
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import length_of, run_time_cell
from rewriter.evaluation.tensors import joined_lists
from rewriter.evaluation.tensors.nested_lists import nested_tensor, tensor_of_rows
from rewriter.evaluation.tensors.size_values import sized
from rewriter.host_type_relations import decided
from rewriter.host_types import PLAIN, NumberType, SequenceType
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


def stack(tensors, dim=0):  # type: ignore[no-untyped-def]  # evaluated as a user's function
    """``torch.stack``."""
    if len(tensors) == 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    stacked = tensors[0].unsqueeze(dim)
    for index in range(1, len(tensors)):
        stacked = torch.cat([stacked, tensors[index].unsqueeze(dim)], dim)
    return stacked


def cat(tensors, dim=0):  # type: ignore[no-untyped-def]  # evaluated as a user's function
    """``torch.cat``."""
    if len(tensors) == 0:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    joined = tensors[0]
    if joined.dim() == 0:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    for index in range(1, len(tensors)):
        joined = torch.cat([joined, tensors[index]], dim)
    return joined


_LOOPS: dict[object, Any] = {
    torch.stack: stack,
    torch.cat: cat,
    torch.concat: cat,
    torch.concatenate: cat,
}
_ALIKE: dict[object, Any] = {
    torch.stack: joined_lists.stack,
    torch.cat: joined_lists.cat,
    torch.concat: joined_lists.cat,
    torch.concatenate: joined_lists.cat,
}
_DTYPES = {int: torch.int64, bool: torch.bool}


def tensor_of_list(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: object,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return what a function of torch makes of a run-time list, None for other calls."""
    if not positional:
        return None
    if isinstance(positional[0], RunTimeRange) and _makes_tensor(function, positional, keywords):
        return _of_range(frame, node, state, positional[0], _dtype(keywords))
    if not _is_run_time_list(state, positional[0]):
        return _of_rows(frame, node, state, function, positional, keywords)
    if function in _LOOPS and not set(keywords) - {"dim"}:
        # Inlining evaluates calls: a real cycle.
        from rewriter.evaluation.calls.inlining import inline_function

        dim = positional[1] if len(positional) > 1 else keywords.get("dim", Known(0))
        stacks = function is torch.stack
        alike = joined_lists.are_alike(state, positional[0], dim, stacks=stacks)
        made = (_ALIKE if alike else _LOOPS)[function]
        return inline_function(frame, node, state, made, positional, keywords)
    if not _makes_tensor(function, positional, keywords):
        return None
    dtype = _dtype(keywords)
    (numbers,) = positional
    assert isinstance(numbers, Reference)
    nested = nested_tensor(frame, node, state, numbers, dtype)
    return nested or numbers_tensor(frame, node, state, numbers, dtype)


def _of_range(
    frame: Frame, node: cst.CSTNode, state: State, counted: RunTimeRange, dtype: torch.dtype | None
) -> Outcomes:
    for after, numbers in call_value(frame, node, state, Known(list), [counted], {}):
        assert isinstance(numbers, Reference)
        yield from numbers_tensor(frame, node, after, numbers, dtype)


def _of_rows(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: object,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    if not _makes_tensor(function, positional, keywords):
        return None
    return tensor_of_rows(frame, node, state, positional[0], _dtype(keywords))


def _makes_tensor(function: object, positional: list[Value], keywords: dict[str, Value]) -> bool:
    known = function in (torch.tensor, torch.as_tensor)
    return known and len(positional) == 1 and not set(keywords) - {"dtype", "device"}


def _dtype(keywords: dict[str, Value]) -> torch.dtype | None:
    given = keywords.get("dtype")
    return given.value if isinstance(given, Known) else None


def _is_run_time_list(state: State, value: Value) -> bool:
    cell = run_time_cell(state, value)
    return cell is not None and isinstance(cell.type, SequenceType) and cell.kind in (list, tuple)


def numbers_tensor(
    frame: Frame, node: cst.CSTNode, state: State, numbers: Reference, dtype: torch.dtype | None
) -> Outcomes:
    """Make a tensor of a run-time list of numbers; an empty one has the default element type."""
    cell = state.cell(numbers, RunTimeCell)
    kind = _kind(cell)
    if kind is None:
        frame.refuse("DYCL030", node, "a run-time list of other things than numbers is a tensor")
    if kind is not PLAIN:
        yield from _of_kind(frame, node, state, numbers, dtype, kind)
        return
    if dtype is not None:
        yield from _of_kind(frame, node, state, numbers, dtype, float)
        return
    for arm, some in has_floats(frame, node, state, cell, 1):
        yield from _of_kind(frame, node, arm, numbers, dtype, float if some else int)


def _of_kind(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    numbers: Reference,
    dtype: torch.dtype | None,
    kind: type,
) -> Outcomes:
    cell, run = state.cell(numbers, RunTimeCell), frame.run
    length = length_of(frame, node, state, numbers)
    size = length.size if length.size is not None else run.symbol_of(length.name)
    length = sized(run, length, size)
    listed = name_expression(cell.name)
    filled = _DTYPES.get(kind, torch.get_default_dtype())
    if dtype is not None or filled == torch.get_default_dtype():
        made = dtype or filled
        yield state, tensor_from_host(frame, node, state, listed, made, (size,), (kind,))
        return
    for after, some in truths(frame, node, state, length):
        if some:
            yield after, tensor_from_host(frame, node, after, listed, filled, (size,))
        else:
            empty = torch.get_default_dtype()
            yield after, tensor_from_host(frame, node, after, listed, empty, (0,))


def _kind(cell: RunTimeCell) -> type | None:
    """Return the type of the numbers in a list, None where it holds other things."""
    element = decided(cell.type.element) if isinstance(cell.type, SequenceType) else None
    if not isinstance(element, NumberType):
        return None
    return element.kind if element.kind in (int, float, bool, PLAIN) else None


def list_index(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Value:
    """Return an index in which lists of run-time integers are index tensors."""
    if isinstance(index, TupleValue):
        return TupleValue(tuple(list_index(frame, node, state, part) for part in index.items))
    if isinstance(index, HostValue) and is_array(index.sample):
        return _array_index(frame, node, state, index)
    index = plain_bounds(frame, node, state, index)
    cell = state.heap[index.identity] if isinstance(index, Reference) else None
    match cell:
        case RunTimeCell() if _kind(cell) is int:
            assert isinstance(index, Reference)
            return _index_tensor(frame, node, state, index, cell.name)
        case ListCell() if any(map(_is_run_time_integer, cell.items)) and all(
            _is_run_time_integer(item) or (isinstance(item, Known) and type(item.value) is int)
            for item in cell.items
        ):
            display = render(frame.run, state, index)
            shape = (len(cell.items),)
            return tensor_from_host(frame, node, state, display, torch.int64, shape)
        case _:
            return index


def _array_index(frame: Frame, node: cst.CSTNode, state: State, index: HostValue) -> TensorValue:
    """Return an array of places, or a mask, as the tensor that PyTorch makes of it."""
    assert isinstance(index.sample, numpy.ndarray | OpenArray)
    if index.sample.dtype not in (numpy.int64, numpy.bool_) or not index.forward:
        frame.refuse(
            "DYCL030",
            node,
            "this array, which may lie backwards in memory or holds no 64-bit integers, is an "
            "index of a tensor",
            "index with torch.from_numpy(a.copy())",
        )
    return tensor_of_array(frame, node, state, index)


def _index_tensor(
    frame: Frame, node: cst.CSTNode, state: State, index: Reference, name: str
) -> Value:
    """Return a list of integers as a tensor: the one made before, if the list is unchanged.

    Tensors indexed by one list then have one size, of which nothing needs to be tested.
    """
    builder = frame.run.builder
    before = state.remembered(name, "index", builder)
    if before is not None:
        return before
    ((_, made),) = numbers_tensor(frame, node, state, index, torch.int64)
    state.remember(name, "index", builder, made)
    return made


def _is_run_time_integer(item: Value) -> bool:
    return isinstance(item, ScalarValue) and item.type is int
