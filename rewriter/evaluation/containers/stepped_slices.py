"""Slices of tensors by steps known only at run time: ``x[a:b:n]`` as ``x[a:b][::n]``."""

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst
import sympy
import torch
from torch.utils._sympy.functions import FloorDiv

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.slice_bounds import placed
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.rendering import render, tensor_of
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.evaluation.tensors.size_values import size_of
from rewriter.evaluation.tensors.tensor_indexing import index_parts, number_bounds
from rewriter.prelude import slicing
from rewriter.size_expressions import Size, expression_of
from rewriter.state import State
from rewriter.values import NONE, Known, ScalarValue, SliceValue, TensorValue, TupleValue, Value

_ALL = Known(slice(None))


def without_steps(
    frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue | Known, index: Value
) -> Iterator[tuple[State, TensorValue | Known, Value]]:
    """Yield a view of a tensor and the index that is left to apply to it."""
    index = number_bounds(frame, node, state, index)
    parts = index_parts(state, index)
    content = tensor_of(tensor)
    assert content is not None
    places = [(part, place) for part, place in placed(parts, content.dim()) if _is_stepped(part)]
    if not places or any(place >= content.dim() for _, place in places):  # too many indices
        yield state, tensor, index
        return
    left = TupleValue(tuple(_ALL if _is_stepped(part) else part for part in parts))
    for after, view in _cut(frame, node, state, tensor, places):
        assert isinstance(view, TensorValue | Known)
        yield after, view, left


def _is_stepped(part: Value) -> bool:
    return (
        isinstance(part, SliceValue)
        and isinstance(part.step, ScalarValue)
        and part.step.type is int
    )


def _cut(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: Value,
    places: list[tuple[Value, int]],
) -> Outcomes:
    if not places:
        yield state, tensor
        return
    # Subscripts of tensors come here: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    (part, place), *rest = places
    assert isinstance(part, SliceValue)
    row = TupleValue((*[_ALL] * place, SliceValue(part.start, part.stop, NONE)))
    whole = (part.start, part.stop) == (NONE, NONE)
    checked = call_value(frame, node, state, Known(slicing.positive_step), [part.step], {})
    for ready, step in checked:
        cuts = [(ready, tensor)] if whole else get_item(frame, node, ready, tensor, row)
        for sliced, cut in cuts:
            assert isinstance(step, ScalarValue)
            for after, view in _every(frame, node, sliced, cut, place, step):
                yield from _cut(frame, node, after, view, rest)


def _every(
    frame: Frame, node: cst.CSTNode, state: State, tensor: Value, place: int, step: ScalarValue
) -> Outcomes:
    """Take each element of a dimension that is so many places behind the one before."""
    content = tensor_of(tensor)
    assert content is not None
    count = _count(frame.run, state, content.shape[place], step)
    every = ast.Slice(lower=None, upper=None, step=render(frame.run, state, step))
    whole: list[ast.expr] = [ast.Slice(lower=None, upper=None, step=None) for _ in range(place)]
    elements: list[ast.expr] = [*whole, every]
    expression = ast.Subscript(
        value=render(frame.run, state, tensor),
        slice=ast.Tuple(elts=elements, ctx=ast.Load()) if place else every,
        ctx=ast.Load(),
    )
    number = Known(count) if isinstance(count, int) else ScalarValue(step.name, int, count)
    operands = (tensor, Known(place), step, number)
    operation = Operation(
        frame, node, state, _view, operands, {}, expression, description="indexing"
    )
    return evaluate_operation(operation)


def _count(run: Run, state: State, size: Size, step: ScalarValue) -> Size:
    """Return how many elements there are: a size within that of the dimension."""
    by = size_of(run, step)
    assert by is not None
    whole, divisor = expression_of(size), expression_of(by)
    run.sizes.facts = state.size_facts
    count = run.sizes.end_of_slice(run.sizes.made_of(FloorDiv(whole + divisor - 1, divisor)), size)
    found = expression_of(count)
    if found in run.sizes.bounds:
        state.size_facts |= {sympy.Le(found, whole)} | run.sizes.equal_slices(count)
        if run.sizes.decide(sympy.Ge(whole, 1)):
            state.size_facts |= {sympy.Ge(found, 1)}
    return count


def _view(tensor: torch.Tensor, place: int, step: Any, count: Any) -> torch.Tensor:
    """Return the view; with a size of its own where the step has a symbol for a number."""
    if not isinstance(step, torch.SymInt):
        return tensor[(*[slice(None)] * place, slice(None, None, step))]
    shape: list[Any] = list(tensor.shape)
    strides: list[Any] = list(tensor.stride())
    shape[place], strides[place] = count, strides[place] * step
    return tensor.as_strided(shape, strides, tensor.storage_offset())
