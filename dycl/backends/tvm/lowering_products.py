"""Matrix products, convolutions and what normalises their results."""

from collections.abc import Sequence
from typing import Any

import torch
from tvm import te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter, dimensions, zero
from dycl.backends.tvm.lowering import accumulated, lowers, unsupported
from dycl.backends.tvm.lowering_blocks import convolution_in_blocks, product_in_blocks
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


@lowers("mm.default", "bmm.default")
def _product(emitter: Emitter, x: Tensor, y: Tensor) -> Tensor:
    shape = (*x.shape[:-1], y.shape[-1])
    result, inner = x.dtype, accumulated(x.dtype)
    if x.shape[-1] == 0:
        return emitter.full(shape, 0, result)
    if emitter.lanes and len(x.shape) == 2:
        dense = product_in_blocks(emitter, x, y)
        if dense is not None:
            return dense
    name = type_name(inner)

    def formula(a: Expression, b: Expression) -> Expression:
        k = te.reduce_axis((zero(), dimensions(x.shape)[-1]), name="k")

        def element(*index: Expression) -> Expression:
            *batch, row, column = index
            left = formulas.cast(a(*batch, row, k), name)
            return te.sum(left * formulas.cast(b(*batch, k, column), name), axis=k)

        return te.compute(dimensions(shape), element, name="product")

    return emitter.cast(emitter.emit("product", formula, [x, y], shape, inner), result)


@lowers("addmm.default", "baddbmm.default")
def _add_product(
    emitter: Emitter, bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    product = _product(emitter, x, y)
    if alpha != 1:
        product = emitter.pointwise("scale", lambda a, b: a * b, (product, alpha))
    if beta == 0:
        return product
    if beta != 1:
        bias = emitter.pointwise("scale", lambda a, b: a * b, (bias, beta))
    return emitter.pointwise("add", lambda a, b: a + b, (product, bias))


@lowers("convolution.default", blocks=True)
def _convolution(
    emitter: Emitter,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    if emitter.lanes and not transposed:
        image = convolution_in_blocks(emitter, x, weight, stride, padding, dilation, groups)
        if image is not None:
            return _with_bias(emitter, image, bias)
    x, weight = emitter.plain(x), emitter.plain(weight)
    shape = tuple(emitter.result.shape)
    if 0 in x.shape or 0 in weight.shape:
        raise unsupported("a convolution of an empty tensor")
    rank = len(x.shape) - 2
    steps = [list(v) * rank if len(v) == 1 else list(v) for v in (stride, padding, dilation)]
    if len(x.shape) != len(shape):
        raise unsupported("a convolution without a batch dimension")
    result, inner = x.dtype, accumulated(x.dtype)
    element = _transposed_element if transposed else _direct_element
    if not transposed:
        x = _padded(emitter, x, steps[1])

    def formula(a: Expression, w: Expression) -> Expression:
        return te.compute(
            dimensions(shape),
            element(a, w, x.shape, weight.shape, steps, groups, type_name(inner)),
            name="convolution",
        )

    out = emitter.cast(emitter.emit("convolution", formula, [x, weight], shape, inner), result)
    return _with_bias(emitter, out, bias)


def _with_bias(emitter: Emitter, out: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return out
    around = [1] * (len(out.shape) - 2)
    bias = emitter.reshape(bias, (out.shape[1], *around))
    return emitter.pointwise("add", lambda a, b: a + b, (out, bias))


def _padded(emitter: Emitter, x: Tensor, padding: Sequence[int]) -> Tensor:
    """Return ``x`` with zeros around its images."""
    if not any(padding):
        return x
    filler = formulas.constant(0, x.type_name)
    outer = len(x.shape) - len(padding)
    sizes = x.shape[outer:]
    shape = (*x.shape[:outer], *(n + 2 * p for n, p in zip(sizes, padding, strict=True)))

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        index = tuple(index)
        own = [i - p for i, p in zip(index[outer:], padding, strict=True)]
        inside = tirx.all(*(tirx.all(i >= 0, i < n) for i, n in zip(own, sizes, strict=True)))
        return tirx.if_then_else(inside, a(*index[:outer], *own), filler)

    return emitter.compute("padded", element, [x], shape, x.dtype)


def _kernel_axes(sizes: Sequence[int]) -> list[Expression]:
    ends = dimensions(sizes)
    return [te.reduce_axis((zero(), end), name=f"k{i}") for i, end in enumerate(ends)]


def _direct_element(
    a: Expression,
    w: Expression,
    _x_shape: Sequence[int],
    w_shape: Sequence[int],
    steps: Sequence[Sequence[int]],
    groups: int,
    dtype: str,
) -> Any:
    """Return an element of a convolution of padded images."""
    stride, _, dilation = steps
    channel = te.reduce_axis((zero(), dimensions(w_shape)[1]), name="channel")
    kernel = _kernel_axes(w_shape[2:])
    group_size = w_shape[0] // groups

    def element(*index: Expression) -> Expression:
        sample, out, *place = index
        own = channel
        if groups > 1:
            own = tirx.floordiv(out, group_size) * w_shape[1] + channel
        read = [p * s + k * d for p, s, k, d in zip(place, stride, kernel, dilation, strict=True)]
        left = formulas.cast(a(sample, own, *read), dtype)
        right = formulas.cast(w(out, channel, *kernel), dtype)
        return te.sum(left * right, axis=[channel, *kernel])

    return element


def _transposed_element(
    a: Expression,
    w: Expression,
    x_shape: Sequence[int],
    w_shape: Sequence[int],
    steps: Sequence[Sequence[int]],
    groups: int,
    dtype: str,
) -> Any:
    """Return an element of a transposed convolution: what each input adds to it."""
    stride, padding, dilation = steps
    inputs, outputs = w_shape[0] // groups, w_shape[1]
    channel = te.reduce_axis((zero(), dimensions([inputs])[0]), name="channel")
    kernel = _kernel_axes(w_shape[2:])

    def element(*index: Expression) -> Expression:
        sample, out, *place = index
        own = tirx.floordiv(out, outputs) * inputs + channel
        reach = [
            p + pad - k * d for p, pad, k, d in zip(place, padding, kernel, dilation, strict=True)
        ]
        read = [tirx.floordiv(r, s) for r, s in zip(reach, stride, strict=True)]
        hits = [
            tirx.all(formulas.equal(tirx.floormod(r, s), 0), q >= 0, q < n)
            for r, s, q, n in zip(reach, stride, read, x_shape[2:], strict=True)
        ]
        left = formulas.cast(a(sample, own, *read), dtype)
        right = formulas.cast(w(own, tirx.floormod(out, outputs), *kernel), dtype)
        term = tirx.if_then_else(tirx.all(*hits), left * right, formulas.constant(0, dtype))
        return te.sum(term, axis=[channel, *kernel])

    return element


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
