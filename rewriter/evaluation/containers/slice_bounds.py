"""Slices with run-time bounds: what their bounds come to within the size they cut."""

from collections.abc import Iterator, Sequence

import sympy
import torch

from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Run
from rewriter.evaluation.tensors.size_values import size_of
from rewriter.size_expressions import Size, expression_of
from rewriter.state import State
from rewriter.values import (
    Known,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


def within(run: Run, state: State, value: Value, index: Value) -> Value:
    """Return an index whose slices end within the tensor: for its sizes, not for the program.

    Python cuts ``x[:n]`` at zero and at the size of ``x``. What remains of ``n`` is a size of
    its own, the same for all slices of equal sizes by ``n``.
    """
    tensor = tensor_of(value)
    assert tensor is not None
    parts = index.items if isinstance(index, TupleValue) else (index,)
    if not any(isinstance(part, SliceValue) for part in parts):
        return index
    made = [
        _within(run, state, part, tensor.shape[place])
        if isinstance(part, SliceValue) and place < tensor.dim()
        else part
        for part, place in placed(parts, tensor.dim())
    ]
    return TupleValue(tuple(made)) if isinstance(index, TupleValue) else made[0]


def placed(parts: Sequence[Value], rank: int) -> Iterator[tuple[Value, int]]:
    """Yield the parts of an index, each with the dimension of the tensor that it begins at."""
    rest, position = rank - sum(map(_dimensions, parts)), 0
    for part in parts:
        yield part, position
        ellipsis = isinstance(part, Known) and part.value is Ellipsis
        position += rest if ellipsis else _dimensions(part)


def _dimensions(part: Value) -> int:
    """Return how many dimensions a part of an index stands for, without an ellipsis."""
    if isinstance(part, Known) and (part.value is None or part.value is Ellipsis):
        return 0
    mask = part.fake if isinstance(part, TensorValue) else getattr(part, "value", None)
    if isinstance(mask, torch.Tensor) and mask.dtype in (torch.bool, torch.uint8):
        return mask.dim()
    return 0 if isinstance(part, Known) and isinstance(part.value, bool) else 1


def _within(run: Run, state: State, part: SliceValue, size: Size) -> Value:
    if not (isinstance(part.step, Known) and part.step.value in (None, 1)):
        return part
    return SliceValue(
        _bound(run, state, part.start, size), _bound(run, state, part.stop, size), part.step
    )


def _bound(run: Run, state: State, bound: Value, size: Size) -> Value:
    known = size_of(run, bound)
    if not isinstance(bound, ScalarValue) or known is None:
        return bound
    run.sizes.facts = state.size_facts
    end = run.sizes.end_of_slice(known, size)
    if end is known or isinstance(end, int):
        return bound
    state.size_facts |= {sympy.Le(expression_of(end), expression_of(size))}
    state.size_facts |= run.sizes.equal_slices(end)
    return ScalarValue(bound.name, int, end)
