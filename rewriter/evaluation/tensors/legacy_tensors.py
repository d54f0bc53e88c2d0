"""``torch.FloatTensor(...)`` and its kin, and ``x.new(...)``: they take sizes or content."""

from collections.abc import Callable

import libcst as cst
import numpy
import torch

from rewriter.array_samples import OpenArray, is_array
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_DTYPES: dict[object, torch.dtype] = {
    torch.FloatTensor: torch.float32,
    torch.DoubleTensor: torch.float64,
    torch.HalfTensor: torch.float16,
    torch.BFloat16Tensor: torch.bfloat16,
    torch.LongTensor: torch.int64,
    torch.IntTensor: torch.int32,
    torch.ShortTensor: torch.int16,
    torch.CharTensor: torch.int8,
    torch.ByteTensor: torch.uint8,
    torch.BoolTensor: torch.bool,
}


def _rule(function: object) -> Callable[..., Outcomes]:
    """Return the rule for calls of one constructor."""

    def construct(
        frame: Frame,
        node: cst.CSTNode,
        state: State,
        positional: list[Value],
        keywords: dict[str, Value],
    ) -> Outcomes:
        # Library calls import the table of rules: a real cycle.
        from rewriter.evaluation.calls.torch_calls import call_torch

        if keywords:
            return call_torch(frame, node, state, Known(function), positional, keywords)
        sizes = sizes_given(positional)
        dtype = Known(_DTYPES.get(function, torch.get_default_dtype()))
        if sizes is not None:
            return call_torch(
                frame, node, state, Known(torch.empty, "torch.empty"), sizes, {"dtype": dtype}
            )
        if is_content(state, positional):
            return call_torch(
                frame,
                node,
                state,
                Known(torch.tensor, "torch.tensor"),
                positional,
                {"dtype": dtype},
            )
        if len(positional) == 1 and _is_array_of_content(positional[0]):
            over = Known(torch.as_tensor, "torch.as_tensor")
            return call_torch(frame, node, state, over, positional, {"dtype": dtype})
        return call_torch(frame, node, state, Known(function), positional, {})

    return construct


def _is_array_of_content(value: Value) -> bool:
    """Return whether a value is an array of the host that is no size: an integer would be one."""
    if not isinstance(value, HostValue) or not is_array(value.sample):
        return False
    sample = value.sample
    assert isinstance(sample, numpy.ndarray | OpenArray)
    return sample.ndim > 0 or sample.dtype.kind == "f"


for _function in (torch.Tensor, *_DTYPES):
    special(_function)(_rule(_function))


def new_tensor(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    like: TensorValue | Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return what ``like.new(...)`` and ``like.new_tensor([...])`` make, None for other calls."""
    # Library calls and methods import the table of rules: real cycles.
    from rewriter.evaluation.calls.torch_calls import call_torch
    from rewriter.evaluation.tensors.tensor_methods import tensor_method

    sizes = sizes_given(positional) if name == "new" and not keywords else None
    if sizes is not None:
        return tensor_method(frame, node, state, like, "new_empty", sizes, {})
    if name not in ("new", "new_tensor") or not is_content(state, positional):
        return None
    tensor = like.fake if isinstance(like, TensorValue) else like.value
    named = {"dtype": Known(tensor.dtype), **keywords}
    return call_torch(frame, node, state, Known(torch.tensor, "torch.tensor"), positional, named)


def sizes_given(positional: list[Value]) -> list[Value] | None:
    """Return the sizes that are given: integers, or one ``torch.Size``; None for other arguments.

    A plain tuple or list is no size here: ``torch.Tensor((2, 3))`` holds 2 and 3.
    """
    if not positional:
        return [Known(0)]
    if all(_is_integer(value) for value in positional):
        return positional
    if len(positional) != 1:
        are_sizes = all(_is_integer(value) or _holds_integer(value) for value in positional)
        return positional if are_sizes else None
    match positional[0]:
        case TupleValue() as size if size.kind is torch.Size:
            return [TupleValue(size.items)]
        case Known() as size if type(size.value) is torch.Size:
            return [Known(tuple(size.value))]
        case _:
            return None


def _is_integer(value: Value) -> bool:
    match value:
        case ScalarValue():
            return value.type is int
        case Known():
            return type(value.value) is int
        case _:
            return False


def _holds_integer(value: Value) -> bool:
    """Return whether a value is a tensor that stands for a number: a size beside others."""
    if not isinstance(value, TensorValue) or value.fake.dim():
        return False
    dtype = value.fake.dtype
    return dtype is not torch.bool and not (dtype.is_floating_point or dtype.is_complex)


def is_content(state: State, positional: list[Value]) -> bool:
    """Return whether the one argument is a sequence of numbers, possibly of sequences."""
    if len(positional) != 1:
        return False
    (value,) = positional
    if isinstance(value, TupleValue):
        return value.kind is tuple
    if isinstance(value, Reference):
        cell = state.heap[value.identity]
        return isinstance(cell, ListCell | RunTimeCell) and cell.kind in (list, tuple)
    known = known_object(state, value)
    return known is not None and type(known.value) in (list, tuple, range)
