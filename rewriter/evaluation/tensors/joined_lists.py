"""``torch.stack`` and ``torch.cat`` of run-time lists of tensors that are alike: one statement.

    stacked = torch.stack(frames, 0)

The host knows how many there are, and copies them one after the other. A loop of tensor code would
copy what it has so far in each step.
"""

import libcst as cst
import torch

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.host.host_tensors import tensor_from_host
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import length_of, run_time_cell
from rewriter.evaluation.tensors.size_values import sized
from rewriter.host_type_relations import decided
from rewriter.host_types import SequenceType, TensorType
from rewriter.program import Joined
from rewriter.specs import ARRAY_DTYPES
from rewriter.state import State
from rewriter.values import Known, Value


def stack(tensors, dim=0):  # type: ignore[no-untyped-def]  # evaluated as a user's function
    """``torch.stack``."""
    if len(tensors) == 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    return stacked(tensors, dim)  # type: ignore[no-untyped-call]


def cat(tensors, dim=0):  # type: ignore[no-untyped-def]  # evaluated as a user's function
    """``torch.cat``."""
    if len(tensors) == 0:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    return concatenated(tensors, dim)  # type: ignore[no-untyped-call]


def stacked(tensors, dim):  # type: ignore[no-untyped-def]
    """``torch.stack`` of some tensors: a rule of its own."""
    return torch.stack(tensors, dim)


def concatenated(tensors, dim):  # type: ignore[no-untyped-def]
    """``torch.cat`` of some tensors: a rule of its own."""
    return torch.cat(tensors, dim)


def are_alike(state: State, tensors: Value, dim: Value, *, stacks: bool) -> bool:
    """Return whether a run-time list holds tensors of one shape, which may be joined along dim."""
    like = _like(state, tensors)
    if like is None or like.dtype not in ARRAY_DTYPES or not isinstance(dim, Known):
        return False
    rank = like.dim() + stacks
    return type(dim.value) is int and -rank <= dim.value < rank


def _like(state: State, tensors: Value) -> torch.Tensor | None:
    """Return what all tensors of a list are like; None where they may differ in size."""
    cell = run_time_cell(state, tensors)
    assert cell is not None and isinstance(cell.type, SequenceType)
    element = decided(cell.type.element)
    if not isinstance(element, TensorType) or element.any_size:
        return None
    is_known = all(type(size) is int for size in element.like.shape)
    return element.like if is_known and type(element.like) is not torch.nn.Parameter else None


@special(stacked)
def _stacked(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    del keywords
    yield _joined(frame, node, state, positional, "stack")


@special(concatenated)
def _concatenated(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    del keywords
    yield _joined(frame, node, state, positional, "cat")


def _joined(
    frame: Frame, node: cst.CSTNode, state: State, given: Positional, function: str
) -> tuple[State, Value]:
    tensors, dim = given
    assert isinstance(dim, Known)
    like = _like(state, tensors)
    assert like is not None, "it was asked before"
    length = length_of(frame, node, state, tensors)
    count = length.size if length.size is not None else frame.run.symbol_of(length.name)
    sized(frame.run, length, count)
    shape: list[int | torch.SymInt] = list(like.shape)
    place = dim.value % (len(shape) + (function == "stack"))
    with frame.run.mode:
        if function == "stack":
            joined = Joined("stack", place)
            shape.insert(place, count)
        else:
            joined = Joined("cat", place)
            shape[place] = shape[place] * count
    listed = render(frame.run, state, tensors)
    made = tensor_from_host(frame, node, state, listed, like.dtype, tuple(shape), joined=joined)
    return state, made
