"""Operators made of other lowerings: variances, norms, products of three."""

from typing import Any

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import accumulated, dimensions_of, lowers, unsupported
from dycl.backends.tvm.lowering_normalising import normalised_by
from dycl.backends.tvm.lowering_reductions import largest, reduced, require_some, smallest, total
from dycl.backends.tvm.operands import scalar
from dycl.backends.tvm.sizes import Size, expression, is_known, product_of
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


@lowers("var.correction")
def _variance(
    emitter: Emitter,
    x: Tensor,
    dims: Any = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Tensor:
    over = dimensions_of(dims, len(x.shape))
    inner = accumulated(x.dtype)
    count = product_of(x.shape[d] for d in over)
    if 0 in x.shape:
        shape = reduced(x.shape, over, keepdim)
        return emitter.full(shape, float("nan"), x.dtype)
    mean = divided(emitter, total(emitter, x, over, True, inner), count, inner)

    def square(value: Expression, middle: Expression) -> Expression:
        distance = formulas.cast(value, type_name(inner)) - middle
        return distance * distance

    squares = emitter.elementwise("square", square, (x, mean), inner)
    fewer = 1 if correction is None else correction
    summed = total(emitter, squares, over, keepdim, inner)
    if is_known(count):
        return divided(emitter, summed, max(0.0, count - fewer), x.dtype)

    def divide(value: Expression) -> Expression:
        name = type_name(inner)
        freedom = formulas.cast(expression(count), name) - tirx.const(float(fewer), name)
        return value / formulas.maximum(freedom, formulas.constant(0, name))

    return emitter.elementwise("divide", divide, (summed,), x.dtype)


@lowers("var_mean.correction")
def _variance_and_mean(
    emitter: Emitter,
    x: Tensor,
    dims: Any = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, ...]:
    over = dimensions_of(dims, len(x.shape))
    inner = accumulated(x.dtype)
    count = product_of(x.shape[d] for d in over)
    variance = _variance(emitter, x, dims, correction=correction, keepdim=keepdim)
    return variance, divided(emitter, total(emitter, x, over, keepdim, inner), count, x.dtype)


@lowers("_native_batch_norm_legit.no_stats")
def _batch_norm_of_batch(
    emitter: Emitter,
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    _training: bool,
    _momentum: float,
    epsilon: float,
) -> tuple[Tensor, ...]:
    over = [d for d in range(len(x.shape)) if d != 1]
    variance, mean = _variance_and_mean(emitter, x, over, correction=0)
    return normalised_by(emitter, x, weight, bias, mean, variance, 0.0, epsilon)


@lowers("native_group_norm.default")
def _group_norm(
    emitter: Emitter,
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    samples: int,
    channels: int,
    size: int,
    groups: int,
    epsilon: float,
) -> tuple[Tensor, ...]:
    if x.dtype == torch.float16 or 0 in x.shape:
        raise unsupported("group normalisation in half precision or of no numbers")
    # each group becomes a channel of its own, which nothing scales yet
    rows = emitter.reshape(x, (1, samples * groups, channels // groups * size))
    variance, mean = _variance_and_mean(emitter, rows, [2], correction=0)
    middle = emitter.reshape(mean, (samples * groups,))
    spread = emitter.reshape(variance, (samples * groups,))
    out, *_ = normalised_by(emitter, rows, None, None, middle, spread, 0.0, epsilon)
    out = emitter.reshape(out, x.shape)
    around = (channels, *([1] * (len(x.shape) - 2)))
    if weight is not None:
        scale = emitter.reshape(weight, around)
        out = emitter.pointwise("scale", lambda a, b: a * b, (out, scale))
    if bias is not None:
        shift = emitter.reshape(bias, around)
        out = emitter.pointwise("shift", lambda a, b: a + b, (out, shift))
    unread = emitter.full((0,), 0, torch.float32)
    return out, unread, unread


def divided(emitter: Emitter, x: Tensor, divisor: "float | Size", dtype: torch.dtype) -> Tensor:
    """Return a tensor divided by a number."""
    name = type_name(x.dtype)
    return emitter.elementwise("divide", lambda v: v / scalar(divisor, name), (x,), dtype)


@lowers("linalg_vector_norm.default")
def _norm(
    emitter: Emitter,
    x: Tensor,
    order: Any = 2,
    dims: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> Tensor:
    over = dimensions_of(dims, len(x.shape))
    if 0 in x.shape:
        raise unsupported("the norm of no numbers")
    if order < 0 or order == float("inf"):
        require_some(emitter, x, over, dims)
    inner = accumulated(emitter.result.dtype)
    name = type_name(inner)

    sizes = emitter.elementwise("measure", lambda value: _measured(value, order, name), (x,), inner)
    if abs(order) == float("inf"):
        extreme = largest if order > 0 else smallest
        return emitter.cast(extreme(emitter, sizes, over, keepdim), emitter.result.dtype)
    summed = total(emitter, sizes, over, keepdim, inner)
    result = emitter.result.dtype
    return emitter.elementwise("norm", lambda value: _root(value, order), (summed,), result)


def _measured(value: Expression, order: float, dtype: str) -> Expression:
    """Return what a number adds to a norm."""
    value = tirx.abs(formulas.cast(value, dtype))
    if order == 1 or abs(order) == float("inf"):
        return value
    if order == 0:
        return formulas.cast(formulas.different(value, formulas.constant(0, dtype)), dtype)
    if order == 2:
        return value * value
    return formulas.libm("pow")(value, formulas.constant(order, dtype))


def _root(value: Expression, order: float) -> Expression:
    """Return the norm of what the numbers added up to."""
    if order in (0, 1):
        return value
    if order == 2:
        return tirx.sqrt(value)
    return formulas.libm("pow")(value, formulas.constant(1 / order, formulas.dtype_of(value)))


@lowers("_trilinear.default")
def _trilinear(
    emitter: Emitter,
    first: Tensor,
    second: Tensor,
    third: Tensor,
    expand_first: list[int],
    expand_second: list[int],
    expand_third: list[int],
    summed: list[int],
    _unroll: int = 1,
) -> Tensor:
    operands = []
    for x, dims in ((first, expand_first), (second, expand_second), (third, expand_third)):
        shape = list(x.shape)
        for dim in dims:
            shape.insert(dim, 1)
        operands.append(emitter.reshape(x, shape))
    products = emitter.pointwise("product", lambda a, b, c: a * b * c, operands)
    over = dimensions_of(summed, len(products.shape))
    return total(emitter, products, over, False, products.dtype)
