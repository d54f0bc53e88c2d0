"""Batch norms with statistics of their own: each channel is shifted and scaled."""

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import accumulated, lowers
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


@lowers("_native_batch_norm_legit_no_training.default", blocks=True)
def normalised_by(
    emitter: Emitter,
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    _momentum: float,
    epsilon: float,
) -> tuple[Tensor, ...]:
    """Return images with each channel shifted and scaled, and two tensors nobody reads."""
    inner = accumulated(x.dtype)
    known = _known_scale(emitter, weight, bias, mean, variance, epsilon, inner)
    if known is not None:
        return _scaled_channels(emitter, x, *known, inner)
    given = [v for v in (weight, bias) if v is not None]

    def scale(v: Expression, *rest: Expression) -> Expression:
        dtype = type_name(inner)
        one, width = tirx.const(1.0, dtype), formulas.constant(epsilon, dtype)
        inverse = one / tirx.sqrt(formulas.cast(v, dtype) + width)
        return inverse * formulas.cast(rest[0], dtype) if weight is not None else inverse

    def shift(m: Expression, s: Expression, *rest: Expression) -> Expression:
        dtype = type_name(inner)
        start = formulas.cast(rest[-1], dtype) if bias is not None else formulas.constant(0, dtype)
        return start - formulas.cast(m, dtype) * s

    factor = emitter.elementwise("scale", scale, (variance, *given[: weight is not None]), inner)
    offset = emitter.elementwise("shift", shift, (mean, factor, *given), inner)
    return _scaled_channels(emitter, x, factor, offset, inner)


def _known_scale(
    emitter: Emitter,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
    inner: torch.dtype,
) -> tuple[Tensor, Tensor] | None:
    """Return factor and offset of each channel where compile time knows them."""
    given = [v for v in (weight, bias) if v is not None]

    def factor(var: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        inverse = torch.rsqrt(var.to(inner) + epsilon)
        return inverse * rest[0].to(inner) if weight is not None else inverse

    def offset(middle: torch.Tensor, var: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        moved = -middle.to(inner) * factor(var, *rest)
        return moved + rest[-1].to(inner) if bias is not None else moved

    scale = emitter.derive([variance, *given], factor)
    shift = emitter.derive([mean, variance, *given], offset)
    return None if scale is None or shift is None else (scale, shift)


def _scaled_channels(
    emitter: Emitter, x: Tensor, factor: Tensor, offset: Tensor, inner: torch.dtype
) -> tuple[Tensor, ...]:
    around = (-1 if 0 in factor.shape else factor.shape[0], *([1] * (len(x.shape) - 2)))
    operands = (x, emitter.reshape(factor, around), emitter.reshape(offset, around))

    def element(v: Expression, s: Expression, o: Expression) -> Expression:
        return formulas.cast(v, type_name(inner)) * s + o

    empty = emitter.full((0,), 0, torch.float32)
    return emitter.elementwise("batch_norm", element, operands, x.dtype), empty, empty
