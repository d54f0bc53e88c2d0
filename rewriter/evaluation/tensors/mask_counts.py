"""Tensors indexed by one mask: they have one number of rows, however many that are."""

import sympy
import torch

from rewriter.builder import tensor_spec
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.equal_masks import first_like
from rewriter.size_expressions import expression_of, is_fixed
from rewriter.state import State
from rewriter.values import Known, SliceValue, TensorValue, TupleValue, Value

_WHAT = "rows"


def with_one_count(
    frame: Frame, state: State, parts: tuple[Value, ...], outcomes: Outcomes
) -> Outcomes:
    """Yield results of ``x[mask]`` with the number of rows that another ``y[mask]`` had before.

    There are no more of them than the mask has elements.
    """
    mask = _mask(state, parts)
    if mask is None:
        yield from outcomes
        return
    for after, value in outcomes:
        if not isinstance(value, TensorValue) or is_fixed(value.fake):
            yield after, value
        else:
            counted = _counted(frame, after, mask, value, _dimension(parts, value))
            _note_most(after, mask, counted, _dimension(parts, value))
            yield after, counted


def _counted(
    frame: Frame, state: State, mask: TensorValue, value: TensorValue, dim: int
) -> TensorValue:
    builder = frame.run.builder
    match state.remembered(mask.name, _WHAT, builder):
        case TupleValue(items=(TensorValue(fake=first), Known(value=int(place)))):
            shape = (*value.fake.shape[:dim], first.shape[place], *value.fake.shape[dim + 1 :])
            fake = frame.run.storages.fresh_of_shape(value.fake, shape)
            builder.respecify(value.name, tensor_spec(fake))
            return TensorValue(value.name, fake)
        case _:
            state.remember(mask.name, _WHAT, builder, TupleValue((value, Known(dim))))
            return value


def _note_most(state: State, mask: TensorValue, value: TensorValue, dim: int) -> None:
    if not is_fixed(mask.fake):
        most = expression_of(mask.fake.numel())
        state.size_facts |= {sympy.Le(expression_of(value.fake.shape[dim]), most)}


def _mask(state: State, parts: tuple[Value, ...]) -> TensorValue | None:
    """Return the mask of an index, where it holds nothing but slices and numbers besides."""
    masks = [part for part in parts if is_mask(part)]
    plain = all(
        isinstance(part, SliceValue)
        or (isinstance(part, Known) and type(part.value) in (slice, int, type(...)))
        for part in parts
        if part not in masks
    )
    mask = masks[0] if len(masks) == 1 and plain else None
    return first_like(state, state.current(mask)) if isinstance(mask, TensorValue) else None


def is_mask(part: Value) -> bool:
    """Return whether a part of an index is a mask known only at run time."""
    if not isinstance(part, TensorValue) or part.fake.dtype is not torch.bool:
        return False
    whole = tensor_of(part)
    return whole is not None and whole.dim() > 0


def _dimension(parts: tuple[Value, ...], value: TensorValue) -> int:
    """Return the dimension of what a mask has chosen: as many slices stand before it."""
    place = next(n for n, part in enumerate(parts) if is_mask(part))
    before, behind = parts[:place], parts[place + 1 :]
    if any(isinstance(part, Known) and part.value is ... for part in before):
        return value.fake.dim() - 1 - sum(map(_is_slice, behind))
    return sum(map(_is_slice, before))


def _is_slice(part: Value) -> bool:
    return isinstance(part, SliceValue) or (
        isinstance(part, Known) and isinstance(part.value, slice)
    )
