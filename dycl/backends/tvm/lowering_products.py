"""Matrix products and convolutions."""

from collections.abc import Sequence
from typing import Any

from tvm import te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import accumulated, lowers, unsupported
from dycl.backends.tvm.lowering_blocks import PRODUCT, convolution_in_blocks, product_in_blocks
from dycl.backends.tvm.lowering_shapes import read_strided
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.sizes import Size, all_known, at_least, dimensions, is_known
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


@lowers("mm.default", "bmm.default")
def _product(emitter: Emitter, x: Tensor, y: Tensor) -> Tensor:
    shape = (*x.shape[:-1], y.shape[-1])
    for size, other in zip((*x.shape[:-2], x.shape[-1]), y.shape[:-1], strict=True):
        emitter.sizes.demand_equal(size, other)
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

        return te.compute(dimensions(shape), element, name=PRODUCT)

    return emitter.cast(emitter.emit(PRODUCT, formula, [x, y], shape, inner), result)


@lowers("addmm.default", "baddbmm.default")
def _add_product(
    emitter: Emitter, bias: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    result, inner = x.dtype, accumulated(x.dtype)  # half precision is rounded once, at the end
    product = _product(emitter, emitter.cast(x, inner), emitter.cast(y, inner))
    if alpha != 1:
        product = emitter.pointwise("scale", lambda a, b: a * b, (product, alpha))
    if beta != 0:
        bias = emitter.cast(bias, inner)
        if beta != 1:
            bias = emitter.pointwise("scale", lambda a, b: a * b, (bias, beta))
        product = emitter.pointwise("add", lambda a, b: a + b, (product, bias))
    return emitter.cast(product, result)


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
    rank = len(emitter.result.meta.shape) - 2
    if 0 in x.shape or 0 in weight.shape:
        raise unsupported("a convolution of an empty tensor")
    steps = [list(v) * rank if len(v) == 1 else list(v) for v in (stride, padding, dilation)]
    if len(x.shape) != rank + 2:
        raise unsupported("a convolution without a batch dimension")
    shape = _convolved(emitter, x, weight, steps, transposed, output_padding, groups)
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


def _convolved(
    emitter: Emitter,
    x: Tensor,
    weight: Tensor,
    steps: Sequence[Sequence[int]],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> tuple[Size, ...]:
    """Return the shape of the result of a convolution."""
    if all_known((*x.shape, *weight.shape)):
        return emitter.result.shape
    known = all_known((x.shape[1], *weight.shape[:2]))
    if transposed or not (known or groups == 1):
        raise unsupported("such a convolution with sizes known only at run time")
    emitter.sizes.demand_equal(x.shape[1], weight.shape[1] * groups)
    emitter.sizes.demand_at_least(weight.shape[0], 1)
    sizes = []
    rows = zip(x.shape[2:], weight.shape[2:], *steps, strict=True)
    for size, kernel, stride, padding, dilation in rows:
        emitter.sizes.demand_at_least(size, 1)
        room = size + 2 * padding - dilation * (kernel - 1) - 1
        emitter.sizes.demand_at_least(room, 0)
        sizes.append(emitter.sizes.quotient(room, stride) + 1)
    return (x.shape[0], _filters(emitter, x, weight), *sizes)


def _filters(emitter: Emitter, x: Tensor, weight: Tensor) -> Size:
    """Return the number of channels of a result: for no channels, PyTorch gives none."""
    if at_least(x.shape[1], 1):
        return weight.shape[0]
    channels, filters = dimensions((x.shape[1], weight.shape[0]))
    value = tirx.Select(channels < 1, zero(), filters)
    return emitter.sizes.define(("filters", x.shape[1], weight.shape[0]), value)


def _with_bias(emitter: Emitter, out: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return out
    around = [1] * (len(out.shape) - 2)
    if not is_known(out.shape[1]):
        bias = read_strided(emitter, bias, 0, 0, 1, out.shape[1])
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
        ends = dimensions(sizes)
        inside = tirx.all(*(tirx.all(i >= 0, i < n) for i, n in zip(own, ends, strict=True)))
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
