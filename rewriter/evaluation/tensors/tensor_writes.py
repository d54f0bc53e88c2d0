"""Tensors written at run-time integers: ``x[i, j] = value``, ``x[:, t] = value``."""

from collections.abc import Iterator
from itertools import groupby

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.chosen_overlaps import is_one_element, may_overlap_partly
from rewriter.evaluation.tensors.chosen_parts import chosen_places, one_element
from rewriter.evaluation.tensors.list_tensors import list_index
from rewriter.evaluation.tensors.tensor_indexing import (
    each_made,
    index_parts,
    is_one_truth,
    is_run_time_integer,
    number_bounds,
    with_ranges,
)
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, MethodValue, SliceValue, TensorValue, TupleValue, Value


def in_rows(
    frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue | Known, index: Value
) -> Iterator[tuple[State, TensorValue | Known, Value]]:
    """Return tensor and index of a write; for an index of one truth, a view with one row.

    That row is written, or none: ``x[truth] = value`` is ``x[None][truth.reshape(1)] = value``.
    """
    truth, *others = index_parts(state, index) or (index,)
    if others or not is_one_truth(truth):
        yield state, tensor, index
        return
    views = call_value(frame, node, state, MethodValue(tensor, "unsqueeze"), [Known(0)], {})
    for after, view in views:
        assert isinstance(view, TensorValue | Known)
        reshape = MethodValue(truth, "reshape")
        for done, mask in call_value(frame, node, after, reshape, [Known(1)], {}):
            yield done, view, mask


def written_index(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    index: Value,
    item: Value,
) -> Iterator[tuple[State, Value, Value]]:
    """Return index and value of ``tensor[index] = item`` without run-time integers.

    Each integer becomes an index tensor with one element; the dimension that these have
    together is one of size one in the value.
    """
    listed = list_index(frame, node, state, index)
    for after, made in with_ranges(frame, node, state, listed):
        numbered = number_bounds(frame, node, after, made)
        yield from _written(frame, node, after, tensor, numbered, item)


def _written(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    index: Value,
    item: Value,
) -> Iterator[tuple[State, Value, Value]]:
    parts = index_parts(state, index)
    if not any(map(is_run_time_integer, parts)):
        yield state, index, item
        return
    if _are_side_by_side(parts):
        for after, content in _apart(frame, node, state, tensor, item):
            for done, found in _positions(frame, node, after, parts):
                yield done, TupleValue(found), content
        return
    if not all(is_run_time_integer(part) or _is_plain(part) for part in parts):
        frame.refuse("DYCL057", node, "a run-time integer and an index tensor are written together")
    written = tensor_of(tensor)
    assert written is not None
    for apart in _without_overlap(frame, node, state, tensor, parts, item):
        for after, content in _of_type(frame, node, apart, tensor, item, written.dtype):
            place = _place(parts, written.dim())
            for placed, value in _widened(frame, node, after, content, *place):
                for done, found in _positions(frame, node, placed, parts):
                    yield done, found[0] if len(found) == 1 else TupleValue(found), value


def _without_overlap(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    parts: tuple[Value, ...],
    item: Value,
) -> Iterator[State]:
    """Refuse to store what PyTorch may read after it has written some of its elements."""
    storages, whole, read = frame.run.storages, tensor_of(tensor), tensor_of(item)
    if whole is None or read is None or is_one_element(read):
        yield state
        return
    if storage_key(read) != storage_key(whole) and not storages.may_coincide(read, whole):
        yield state
        return
    for after, places in chosen_places(frame, node, state, tensor, parts):
        if may_overlap_partly(storages, places, read):
            frame.refuse(
                "DYCL035",
                node,
                "elements at run-time integers are written with what may be some of them",
                "clone() what is read",
            )
        yield after


def _are_side_by_side(parts: tuple[Value, ...]) -> bool:
    """Return whether integers and index tensors come first, side by side."""
    tensors = [tensor_of(part) for part in parts]
    indexing = [t is not None and t.dim() > 0 and t.dtype is not torch.bool for t in tensors]
    last = max((place for place, found in enumerate(indexing) if found), default=-1)
    return last >= 0 and all(
        found or is_run_time_integer(part) or (place > last and _is_plain(part))
        for place, (part, found) in enumerate(zip(parts, indexing, strict=True))
    )


def _is_plain(part: Value) -> bool:
    """Return whether a part is a slice, ``...``, ``None`` or an integer known at compile time."""
    if isinstance(part, SliceValue):
        return True
    return isinstance(part, Known) and (
        part.value is None or part.value is Ellipsis or type(part.value) in (int, slice)
    )


def _place(parts: tuple[Value, ...], rank: int) -> tuple[int, int]:
    """Return where the index tensors put their dimension, and how many others there are.

    Known integers are applied first. Index tensors side by side put it where they stand,
    others in front.
    """
    taken = sum(not (isinstance(p, Known) and p.value in (None, Ellipsis)) for p in parts)
    rest = rank - taken
    kinds: list[bool] = []
    for part in parts:
        if is_run_time_integer(part):
            kinds.append(True)
        elif isinstance(part, Known) and part.value is Ellipsis:
            kinds += [False] * rest
            rest = 0
        elif not (isinstance(part, Known) and type(part.value) is int):
            kinds.append(False)
    groups = sum(tensors for tensors, _ in groupby(kinds))
    return kinds.index(True) if groups == 1 else 0, kinds.count(False) + rest


def _widened(
    frame: Frame, node: cst.CSTNode, state: State, content: Value, place: int, others: int
) -> Outcomes:
    """Give a value of at most ``others`` dimensions one of size one at a place among them."""
    tensor = tensor_of(content)
    if tensor is not None and tensor.dim() > others and tensor.shape[0] == 1:
        squeezed = call_value(frame, node, state, MethodValue(content, "squeeze"), [Known(0)], {})
        for after, value in squeezed:
            yield from _widened(frame, node, after, value, place, others)
        return
    at = place - (others - tensor.dim()) if tensor is not None else 0
    if at <= 0:
        yield state, content
        return
    yield from call_value(frame, node, state, MethodValue(content, "unsqueeze"), [Known(at)], {})


def _positions(
    frame: Frame, node: cst.CSTNode, state: State, parts: tuple[Value, ...]
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    def made(before: State, part: Value) -> Outcomes:
        if is_run_time_integer(part):
            return one_element(frame, node, before, part)
        return iter([(before, part)])

    return each_made(state, parts, made)


def _apart(
    frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue | Known, item: Value
) -> Outcomes:
    """Return what is stored, apart from the memory that is written.

    ``x[i] = x[0]`` writes one view of ``x``; by an index tensor it would write all of ``x``,
    and PyTorch refuses a source that is a part of its target.
    """
    if (
        isinstance(item, TensorValue)
        and isinstance(tensor, TensorValue)
        and frame.run.storages.may_coincide(item.fake, tensor.fake)
    ):
        return call_value(frame, node, state, MethodValue(item, "clone"), [], {})
    return iter([(state, item)])


def _of_type(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    item: Value,
    dtype: torch.dtype,
) -> Outcomes:
    """Return what is stored as elements of the tensor: by an index tensor PyTorch converts none."""
    content = tensor_of(item)
    if content is None or content.dtype == dtype:
        return _apart(frame, node, state, tensor, item)
    return call_value(frame, node, state, MethodValue(item, "to"), [Known(dtype)], {})
