"""Operators whose results have as many elements as the values say.

A kernel counts them, the function reads that number, and another kernel writes them.
"""

from collections.abc import Sequence

import torch
from tvm import relax, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import BAD_VALUE, Emitter
from dycl.backends.tvm.kernels import running, spread
from dycl.backends.tvm.lowering import lowers, unsupported
from dycl.backends.tvm.operands import aligned, zero
from dycl.backends.tvm.sizes import Size, dimensions, expression, product_of
from dycl.backends.tvm.tensors import Expression, Tensor


def read_number(emitter: Emitter, x: Tensor, minimum: int | None) -> Size:
    """Return the only element of a tensor of integers as an integer of run time."""
    flat = emitter.reshape(emitter.cast(x, torch.int64), (1,))
    shape = emitter.builder.emit(relax.op.tensor_to_shape(emitter.variable(flat)))
    return emitter.sizes.bind(shape, minimum)


def repeated(emitter: Emitter, counts: Tensor) -> Tensor:
    """Return each place in a row of numbers as often as the number says."""
    ends = running(emitter, "ends", counts, 0, lambda before, value: before + value)
    (length,) = dimensions(counts.shape)

    def last(_index: Sequence[Expression], e: Expression) -> Expression:
        nothing = tirx.const(0, "int64")
        return tirx.if_then_else(length > 0, e(tirx.max(length - 1, zero())), nothing)

    total = read_number(emitter, emitter.compute("total", last, [ends], (1,), torch.int64), 0)
    return spread(emitter, ends, counts, total)


def true_places(emitter: Emitter, mask: Tensor) -> tuple[Tensor, ...]:
    """Return where a mask is true: places in each dimension."""
    flat = emitter.reshape(mask, (product_of(mask.shape),))
    found = repeated(emitter, emitter.cast(flat, torch.int64))

    def coordinate(dim: int) -> Tensor:
        inner = expression(product_of(mask.shape[dim + 1 :]))
        size = expression(mask.shape[dim])

        def element(index: Sequence[Expression], p: Expression) -> Expression:
            place = tirx.floordiv(p(*index), inner)
            return place if dim == 0 else tirx.floormod(place, size)

        return emitter.compute("coordinate", element, [found], found.shape, torch.int64)

    return tuple(coordinate(dim) for dim in range(len(mask.shape)))


@lowers("nonzero.default")
def _nonzero(emitter: Emitter, x: Tensor) -> Tensor:
    mask = emitter.cast(x, torch.bool)
    if not x.shape:
        count = repeated(emitter, emitter.reshape(emitter.cast(mask, torch.int64), (1,)))
        return emitter.full((count.shape[0], 0), 0, torch.int64)
    places = true_places(emitter, mask)

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        row, column = index
        value = arrays[-1](row)
        for number, array in reversed(list(enumerate(arrays[:-1]))):
            value = tirx.if_then_else(formulas.equal(column, number), array(row), value)
        return value

    shape = (*places[0].shape, len(places))
    return emitter.compute("nonzero", element, places, shape, torch.int64)


@lowers("masked_select.default")
def _masked_select(emitter: Emitter, x: Tensor, mask: Tensor) -> Tensor:
    common = emitter.broadcast([x, mask])

    def element(index: Sequence[Expression], m: Expression) -> Expression:
        return m(*aligned(index, mask.shape, common))

    whole = emitter.compute("mask", element, [mask], common, torch.bool)
    if not common:
        whole, common = emitter.reshape(whole, (1,)), (1,)
    places = true_places(emitter, whole)

    def read(index: Sequence[Expression], a: Expression, *arrays: Expression) -> Expression:
        return a(*aligned([array(*index) for array in arrays], x.shape, common))

    return emitter.compute("select", read, [x, *places], places[0].shape, x.dtype)


@lowers("repeat_interleave.Tensor")
def _repeat_interleave(
    emitter: Emitter, counts: Tensor, *, output_size: Size | None = None
) -> Tensor:
    if len(counts.shape) != 1:
        raise unsupported("repeat_interleave with other than a row of numbers")
    counts = emitter.cast(counts, torch.int64)
    emitter.require(lambda index, c: c(*index) >= 0, [counts], counts.shape, BAD_VALUE)
    harmless = emitter.elementwise(
        "count", lambda c: tirx.max(c, tirx.const(0, "int64")), [counts], torch.int64
    )
    out = repeated(emitter, harmless)
    if output_size is not None:
        emitter.sizes.demand_equal(output_size, out.shape[0])
    return out
