"""Tensors indexed by one mask: they have one number of rows, however many that are."""

import torch

from rewriter.builder import tensor_spec
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.equal_masks import first_like
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, SliceValue, TensorValue, Value

_WHAT = "rows"


def with_one_count(
    frame: Frame, state: State, parts: tuple[Value, ...], outcomes: Outcomes
) -> Outcomes:
    """Yield results of ``x[mask]`` with the number of rows that another ``y[mask]`` had before."""
    mask = _mask(state, parts)
    if mask is None:
        yield from outcomes
        return
    builder = frame.run.builder
    for after, value in outcomes:
        known = after.remembered(mask.name, _WHAT, builder)
        if not isinstance(value, TensorValue) or is_fixed(value.fake):
            yield after, value
        elif isinstance(known, TensorValue):
            shape = (known.fake.shape[0], *value.fake.shape[1:])
            fake = frame.run.storages.fresh_of_shape(value.fake, shape)
            builder.respecify(value.name, tensor_spec(fake))
            yield after, TensorValue(value.name, fake)
        else:
            after.remember(mask.name, _WHAT, builder, value)
            yield after, value


def _mask(state: State, parts: tuple[Value, ...]) -> TensorValue | None:
    """Return the mask that an index begins with, where nothing but slices and numbers follow."""
    first, *rest = parts or (None,)
    if not isinstance(first, TensorValue) or first.fake.dtype is not torch.bool:
        return None
    plain = all(
        isinstance(part, SliceValue)
        or (isinstance(part, Known) and type(part.value) in (slice, int, type(...)))
        for part in rest
    )
    whole = tensor_of(first)
    if not plain or whole is None or whole.dim() == 0:
        return None
    return first_like(state, state.current(first))
