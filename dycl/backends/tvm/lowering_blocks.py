"""Convolutions and products whose inner loop is one instruction over a block of channels.

Their weights are laid out for that at compile time. ``schedules.py`` finds them by name and
gives them their loops.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from tvm import te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.sizes import Size, all_known, dimensions, is_known
from dycl.backends.tvm.tensors import Expression, Tensor, raw
from dycl.backends.tvm.tiles import late_product_tile

CONVOLUTION, DENSE, SUM = "blocked_convolution", "blocked_product", "blocked_sum"
LATE_DENSE, PRODUCT = "tiled_product", "matrix_product"
"""Names of the loops to schedule."""

_TAKES_ELEMENTWISE = 4
"""TVM's pattern of what the elementwise operators after it are fused into."""


def convolution_in_blocks(
    emitter: Emitter,
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor | None:
    """Return a convolution of images in blocks, None where it does not come out even."""
    outputs = weight.shape[0]
    block = _block_size(emitter, outputs)
    each = groups == outputs == x.shape[1] if len(x.shape) == 4 else False
    known = all_known((*x.shape, *weight.shape)) and 0 not in x.shape
    fits = len(x.shape) == 4 and x.dtype == torch.float32 and known
    if not fits or not block or not (groups == 1 or each):
        return None
    packed = emitter.derive([weight], lambda w: _packed(w, block))
    if packed is None:
        return None
    shape = tuple(emitter.result.shape)
    if each or x.block or x.shape[1] % block == 0:
        source = emitter.in_blocks(x, replace(x, block=x.block or block))
        source_block = source.shape[-1]
    else:
        source, source_block = x, 0
    if each and source_block != block:
        return None
    source = _around(emitter, source, padding)
    sizes = (shape[0], shape[1] // block, *shape[2:], block)
    element = _Element(
        source_block,
        0 if each else weight.shape[1],
        weight.shape[2:],
        tuple(stride),
        tuple(dilation),
    )

    def formula(a: Expression, w: Expression) -> Expression:
        return te.compute(dimensions(sizes), element.of(a, w), name=CONVOLUTION)

    out = emitter.emit(CONVOLUTION, formula, [source, packed], sizes, x.dtype, _TAKES_ELEMENTWISE)
    return replace(out, shape=shape, block=block)


def _block_size(emitter: Emitter, channels: int) -> int:
    sizes = (emitter.lanes, emitter.lanes // 2)
    return next((size for size in sizes if size >= 4 and channels % size == 0), 0)


def _packed(weight: torch.Tensor, block: int) -> torch.Tensor:
    """Return ``[out, in, row, column]`` as ``[out // block, in, row, column, out % block]``."""
    outputs, *rest = weight.shape
    return weight.reshape(outputs // block, block, *rest).movedim(1, -1)


class _Element:
    """What an element of a convolution is; sizes of one have no loop."""

    def __init__(
        self,
        source_block: int,
        channels: int,
        kernel: Sequence[int],
        stride: Sequence[int],
        dilation: Sequence[int],
    ) -> None:
        """``channels`` is 0 where each channel is convolved by itself."""
        self.source_block = source_block
        self.channels = channels
        self.kernel = tuple(kernel)
        self.stride = stride
        self.dilation = dilation

    def of(self, a: Expression, w: Expression) -> Expression:
        """Return the element as a function of its place."""
        axes: list[Expression] = []

        def axis(size: int, name: str) -> Expression:
            if size <= 1:
                return zero()
            axes.append(te.reduce_axis((zero(), dimensions([size])[0]), name=name))
            return axes[-1]

        channel = axis(self.channels, "channel")
        row, column = axis(self.kernel[0], "kernel_row"), axis(self.kernel[1], "kernel_column")

        def element(*index: Expression) -> Expression:
            n, outer, i, j, inner = index
            place = (
                i * self.stride[0] + row * self.dilation[0],
                j * self.stride[1] + column * self.dilation[1],
            )
            if not self.channels:
                value = a(n, outer, *place, inner)
            elif self.source_block:
                which = tirx.floordiv(channel, self.source_block)
                value = a(n, which, *place, tirx.floormod(channel, self.source_block))
            else:
                value = a(n, channel, *place)
            term = value * w(outer, channel, row, column, inner)
            return te.sum(term, axis=axes) if axes else term

        return element


def _around(emitter: Emitter, x: Tensor, padding: Sequence[int]) -> Tensor:
    """Return an image, in blocks or not, with zeros around it."""
    if not any(padding):
        return x
    rows, columns = x.shape[2:4]
    shape = (*x.shape[:2], rows + 2 * padding[0], columns + 2 * padding[1], *x.shape[4:])

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        n, channel, row, column, *inner = index
        row, column = row - padding[0], column - padding[1]
        inside = tirx.all(row >= 0, row < rows, column >= 0, column < columns)
        nothing = formulas.constant(0, x.type_name)
        return tirx.if_then_else(inside, a(n, channel, row, column, *inner), nothing)

    return emitter.compute("padded", element, [x], shape, x.dtype)


def product_in_blocks(emitter: Emitter, x: Tensor, y: Tensor) -> Tensor | None:
    """Return ``x @ y`` for a ``y`` of compile time, whose columns are laid out in blocks."""
    block = emitter.lanes
    if x.dtype != torch.float32 or y.recipe is None or 0 in x.shape or 0 in y.shape:
        return None
    rows, (depth, columns) = x.shape[0], y.shape
    blocks = -(-columns // block)

    def pack(weight: torch.Tensor) -> torch.Tensor:
        wide = torch.nn.functional.pad(weight, (0, blocks * block - columns))
        return wide.reshape(depth, blocks, block).movedim(0, 1)

    packed = emitter.derive([y], pack)
    assert packed is not None
    if not is_known(rows):
        return _product_in_tiles(emitter, x, packed, columns)
    sizes = (rows, blocks, block)

    def formula(a: Expression, w: Expression) -> Expression:
        k = te.reduce_axis((zero(), dimensions([depth])[0]), name="k")
        return te.compute(
            dimensions(sizes),
            lambda row, outer, inner: te.sum(a(row, k) * w(outer, k, inner), axis=k),
            name=DENSE,
        )

    wide = emitter.reshape(
        emitter.emit(DENSE, formula, [x, packed], sizes, x.dtype, _TAKES_ELEMENTWISE),
        (rows, blocks * block),
    )
    if blocks * block == columns:
        return wide
    return emitter.compute("slice", lambda index, a: a(*index), [wide], (rows, columns), x.dtype)


def _product_in_tiles(emitter: Emitter, x: Tensor, packed: Tensor, columns: Size) -> Tensor:
    """Return a product with as many rows as only run time knows.

    Tiles have a known number of rows, so that they fit into registers. The rows that the last one
    has too many are the last row once more: nothing is read outside, and nobody reads them.
    """
    shape = (x.shape[0], columns)
    blocks, depth, block = packed.shape
    height, _ = late_product_tile(blocks)

    def formula(a: Expression, w: Expression) -> Expression:
        k = te.reduce_axis((zero(), dimensions([depth])[0]), name="k")
        rows, wide = dimensions(shape)

        def element(tile: Expression, row: Expression, *place: Expression) -> Expression:
            outer, inner = place
            read = tirx.min(tile * height + row, rows - 1)
            return te.sum(a(read, k) * w(outer, k, inner), axis=k)

        count = tirx.floordiv(rows - 1, height) + 1
        sizes = (count, *dimensions((height, blocks, block)))
        tiles = te.compute(sizes, element, name=LATE_DENSE)

        def written(row: Expression, column: Expression) -> Expression:
            place = tirx.floordiv(row, height), tirx.floormod(row, height)
            return tiles(*place, tirx.floordiv(column, block), tirx.floormod(column, block))

        return te.compute((rows, wide), written, name="rows")

    return emitter.emit(LATE_DENSE, formula, [x, packed], shape, x.dtype, _TAKES_ELEMENTWISE)


def sum_of_blocks(emitter: Emitter, x: Tensor, keepdim: bool) -> Tensor:
    """Return the sum over the pixels of each channel of an image in blocks."""
    source = raw(x)
    samples, outer, _, _, inner = source.shape

    def formula(a: Expression) -> Expression:
        rows, columns = dimensions(source.shape)[2:4]
        row = te.reduce_axis((zero(), rows), name="row")
        column = te.reduce_axis((zero(), columns), name="column")
        return te.compute(
            dimensions((samples, outer, inner)),
            lambda n, o, i: te.sum(a(n, o, row, column, i), axis=[row, column]),
            name=SUM,
        )

    total = emitter.emit(SUM, formula, [source], (samples, outer, inner), x.dtype)
    return emitter.reshape(total, (*x.shape[:2], 1, 1) if keepdim else x.shape[:2])
