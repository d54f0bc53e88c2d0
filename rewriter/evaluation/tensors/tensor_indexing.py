"""Tensors read at run-time integers: ``x[i]``, ``x[:, t]``."""

from collections.abc import Callable, Iterator
from typing import TypeGuard

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.conditions import is_of_bytes
from rewriter.evaluation.tensors.known_content import note_asked
from rewriter.prelude import making_tensors
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import (
    Known,
    RunTimeRange,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)

_ALL = Known(slice(None))
_SPREAD = (list, bool)  # known parts that PyTorch makes index tensors of


def index_parts(state: State, index: Value) -> tuple[Value, ...]:
    """Return the parts of an index: those of a tuple, else the index itself."""
    if isinstance(index, TupleValue) or (isinstance(index, Known) and type(index.value) is tuple):
        return sequence_items(state, index) or ()
    return (index,)


def is_run_time_integer(part: Value) -> bool:
    """Return whether a part of an index is one integer known only at run time."""
    if isinstance(part, ScalarValue):
        return part.type is int
    return (
        isinstance(part, TensorValue)
        and part.constant is None
        and part.fake.dim() == 0
        and not part.fake.dtype.is_floating_point
        and part.fake.dtype not in (torch.bool, torch.uint8)
    )


def is_one_truth(part: Value) -> bool:
    """Return whether a part of an index is one truth known only at run time: a tensor of it."""
    return (
        isinstance(part, TensorValue)
        and part.constant is None
        and part.fake.dim() == 0
        and part.fake.dtype is torch.bool
    )


def with_ranges(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Outcomes:
    """Yield an index with tensors for the ranges in it whose ends are known at run time only."""

    def made(before: State, part: Value) -> Outcomes:
        if not isinstance(part, RunTimeRange):
            return iter([(before, part)])
        bounds = [part.start, part.stop, part.stride or Known(part.step)]
        return call_value(frame, node, before, Known(making_tensors.places), bounds, {})

    return replaced_parts(state, index, lambda part: isinstance(part, RunTimeRange), made)


def with_masks(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Outcomes:
    """Yield an index to read at, with masks of truths for the tensors of bytes in it."""

    def made(before: State, part: Value) -> Outcomes:
        if not is_of_bytes(part):
            return iter([(before, part)])
        return call_value(frame, node, before, Known(torch.ne), [part, Known(0)], {})

    return replaced_parts(state, index, is_of_bytes, made)


def replaced_parts(
    state: State,
    index: Value,
    concerns: Callable[[Value], bool],
    made: Callable[[State, Value], Outcomes],
) -> Outcomes:
    """Yield an index with what is made of those of its parts that are concerned."""
    parts = index_parts(state, index)
    if not any(map(concerns, parts)):
        yield state, index
        return
    for after, found in each_made(state, parts, made):
        yield after, TupleValue(found) if isinstance(index, TupleValue) else found[0]


def each_made(
    state: State, parts: tuple[Value, ...], made: Callable[[State, Value], Outcomes]
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield the parts of an index with what is made of each, one after the other."""
    if not parts:
        yield state, ()
        return
    for after, first in made(state, parts[0]):
        for done, others in each_made(after, parts[1:], made):
            yield done, (first, *others)


def number_bounds(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Value:
    """Return an index with numbers for tensors of one integer: bounds of slices, known places."""

    def number(part: Value) -> Value:
        if not isinstance(part, TensorValue) or not is_fixed(part.fake):
            return part
        if not _is_one_integer(part.fake):
            return part
        ((_, found),) = item_of(frame, node, state, part)
        return found

    match index:
        case Known() if type(index.value) is tuple:
            items = (number_bounds(frame, node, state, Known(part)) for part in index.value)
            return TupleValue(tuple(items))
        case TupleValue() if any(_is_slice(x) or _is_known_place(x) for x in index.items):
            return TupleValue(
                tuple(number_bounds(frame, node, state, part) for part in index.items)
            )
        case Known() if _is_slice(index):
            return _known_bounds(frame, index)
        case SliceValue():
            return SliceValue(number(index.start), number(index.stop), number(index.step))
        case TensorValue(constant=torch.Tensor() as content) if _is_known_place(index):
            note_asked(frame.run, content)
            return Known(int(content.item()))
        case Known(torch.Tensor() as content) if _is_known_place(index):
            note_asked(frame.run, content)
            return Known(int(content.item()))
        case _:
            return index


def _is_known_place(part: Value) -> bool:
    """Return whether a part of an index is a tensor that holds one integer, known which."""
    content = part.value if isinstance(part, Known) else getattr(part, "constant", None)
    return (
        isinstance(content, torch.Tensor)
        and content.dim() == 0
        and _is_one_integer(content)
        and content.dtype is not torch.uint8
    )


def _is_slice(part: Value) -> bool:
    return isinstance(part, SliceValue) or (isinstance(part, Known) and type(part.value) is slice)


def _known_bounds(frame: Frame, index: Known) -> Known:
    """Return a slice with the numbers that the model's tensors among its bounds hold."""
    bounds = (index.value.start, index.value.stop, index.value.step)
    for bound in bounds:
        note_asked(frame.run, bound)
    return Known(slice(*(b.item() if _is_one_integer(b) else b for b in bounds)))


def _is_one_integer(bound: object) -> TypeGuard[torch.Tensor]:
    if not isinstance(bound, torch.Tensor) or bound.numel() != 1 or bound.dtype is torch.bool:
        return False
    return not (bound.is_floating_point() or bound.is_complex())


def dimensions_taken(part: Value) -> int | None:
    """Return how many dimensions a part of an index stands for; None for those left over."""
    content = tensor_of(part)
    if content is not None and content.dtype is torch.bool:
        return content.dim()
    if isinstance(part, Known) and part.value is Ellipsis:
        return None
    return 0 if isinstance(part, Known) and type(part.value) in (type(None), bool) else 1
