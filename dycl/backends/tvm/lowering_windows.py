"""Pooling: reductions over windows that move across images."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tvm import te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import accumulated, lowers, unsupported
from dycl.backends.tvm.lowering_reductions import arg_reducer
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.sizes import Size, all_known, dimensions, expression
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """Where the windows over the last dimensions of a tensor lie."""

    sizes: tuple[Size, ...]
    """Of the images."""
    extents: tuple[int, ...]
    """Steps in a window; those outside the image or the window do not count."""
    stride: tuple[int, ...] = ()
    padding: tuple[int, ...] = ()
    dilation: tuple[int, ...] = ()
    adaptive: tuple[int, ...] = ()
    """Sizes of the output whose windows share the image; then the rest is not used."""

    def places(
        self, index: Sequence[Expression], steps: Sequence[Expression]
    ) -> tuple[list[Expression], list[Expression]]:
        """Return where a step reads, and the conditions for it to count."""
        if self.adaptive:
            return self._adaptive_places(index, steps)
        rows = zip(index, self.stride, steps, self.dilation, self.padding, strict=True)
        read = [i * s + k * d - p for i, s, k, d, p in rows]
        inside = [
            condition
            for place, size in zip(read, dimensions(self.sizes), strict=True)
            for condition in (place >= 0, place < size)
        ]
        return read, inside

    def _adaptive_places(
        self, index: Sequence[Expression], steps: Sequence[Expression]
    ) -> tuple[list[Expression], list[Expression]]:
        read: list[Expression] = []
        inside: list[Expression] = []
        for i, k, size, outputs in zip(index, steps, self.sizes, self.adaptive, strict=True):
            read.append(tirx.floordiv(i * size, outputs) + k)
            inside.append(read[-1] < tirx.floordiv((i + 1) * size + outputs - 1, outputs))
        return read, inside

    def axes(self) -> list[Expression]:
        """Return an axis per dimension of a window."""
        ends = dimensions(self.extents)
        return [te.reduce_axis((zero(), end), name=f"k{d}") for d, end in enumerate(ends)]


def adaptive(sizes: Sequence[int], outputs: Sequence[int]) -> Windows:
    """Return windows that share an image as evenly as they can."""
    extents = tuple(
        max(-(-(i + 1) * n // m) - i * n // m for i in range(m))
        for n, m in zip(sizes, outputs, strict=True)
    )
    return Windows(sizes=tuple(sizes), extents=extents, adaptive=tuple(outputs))


def sliding(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] = (1,),
) -> Windows:
    """Return windows that move by a stride."""
    rank = len(kernel)

    def full(values: Sequence[int]) -> tuple[int, ...]:
        return tuple(values) if len(values) == rank else tuple(values) * rank

    return Windows(
        sizes=x.shape[len(x.shape) - rank :],
        extents=tuple(kernel),
        stride=full(stride) if len(stride) else tuple(kernel),
        padding=full(padding),
        dilation=full(dilation),
    )


def _slid(emitter: Emitter, x: Tensor, windows: Windows, rounded_up: bool) -> tuple[Size, ...]:
    """Return the shape that moving windows give."""
    if all_known(x.shape):
        return emitter.result.shape
    if rounded_up:
        raise unsupported("pooling rounded up, with sizes known only at run time")
    outer = x.shape[: len(x.shape) - len(windows.sizes)]
    for size in outer[1:]:  # a batch may be empty, channels not
        emitter.sizes.demand_at_least(size, 1)
    sizes = []
    for d, size in enumerate(windows.sizes):
        emitter.sizes.demand_at_least(size, 1)
        reach = windows.dilation[d] * (windows.extents[d] - 1) + 1
        room = size + 2 * windows.padding[d] - reach
        emitter.sizes.demand_at_least(room, 0)
        sizes.append(emitter.sizes.quotient(room, windows.stride[d]) + 1)
    return (*outer, *sizes)


def _reduced(
    emitter: Emitter,
    x: Tensor,
    windows: Windows,
    shape: Sequence[int],
    combine: Any,
    ignored: Any,
    inner: torch.dtype,
) -> Tensor:
    rank, name = len(windows.sizes), type_name(inner)

    def formula(a: Expression) -> Expression:
        axes = windows.axes()

        def element(*index: Expression) -> Expression:
            outer, image = index[: len(index) - rank], index[len(index) - rank :]
            read, inside = windows.places(image, axes)
            value = formulas.cast(a(*outer, *read), name)
            return combine(tirx.if_then_else(tirx.all(*inside), value, ignored), axis=axes)

        return te.compute(dimensions(shape), element, name="pool")

    return emitter.emit("pool", formula, [x], shape, inner)


_largest = te.comm_reducer(formulas.maximum, formulas.lowest, name="largest")


def _max_pool(
    emitter: Emitter, x: Tensor, windows: Windows, shape: Sequence[Size]
) -> tuple[Tensor, ...]:
    if 0 in x.shape:
        raise unsupported("pooling of an empty tensor")
    lowest = formulas.lowest(x.type_name)
    values = _reduced(emitter, x, windows, shape, _largest, lowest, x.dtype)
    return values, _indices(emitter, x, windows, shape)


def _indices(emitter: Emitter, x: Tensor, windows: Windows, shape: Sequence[int]) -> Tensor:
    """Return where in its flattened image each window has its largest element."""
    rank = len(windows.sizes)
    reducer = arg_reducer(descending=True, last_nan=True)
    nowhere = tirx.max_value("int64")

    def formula(a: Expression) -> Expression:
        axes = windows.axes()

        def element(*index: Expression) -> Expression:
            outer, image = index[: len(index) - rank], index[len(index) - rank :]
            read, inside = windows.places(image, axes)
            place: Expression = zero()
            for i, size in zip(read, dimensions(windows.sizes), strict=True):
                place = place * size + i
            counts = tirx.all(*inside)
            value = tirx.if_then_else(counts, a(*outer, *read), formulas.lowest(x.type_name))
            return reducer((tirx.Select(counts, place, nowhere), value), axis=axes)

        return te.compute(dimensions(shape), element, name="place")[0]

    return emitter.emit("place", formula, [x], shape, torch.int64)


@lowers("max_pool2d_with_indices.default", "max_pool3d_with_indices.default")
def _max_pool_sliding(
    emitter: Emitter,
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Tensor, ...]:
    windows = sliding(x, kernel, stride, padding, dilation)
    return _max_pool(emitter, x, windows, _slid(emitter, x, windows, ceil_mode))


@lowers("adaptive_max_pool2d.default", "adaptive_max_pool3d.default")
def _max_pool_adaptive(emitter: Emitter, x: Tensor, outputs: Sequence[int]) -> tuple[Tensor, ...]:
    windows = adaptive(x.shape[len(x.shape) - len(outputs) :], outputs)
    return _max_pool(emitter, x, windows, emitter.result.shape)


@lowers("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default")
def _average_pool_adaptive(emitter: Emitter, x: Tensor, outputs: Sequence[int]) -> Tensor:
    windows = adaptive(x.shape[len(x.shape) - len(outputs) :], outputs)
    shape, inner = tuple(emitter.result.shape), accumulated(x.dtype)
    nothing = formulas.constant(0, type_name(inner))
    total = _reduced(emitter, x, windows, shape, te.sum, nothing, inner)
    rank = len(outputs)

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        index = tuple(index)
        count: Expression = tirx.const(1.0, type_name(inner))
        rows = zip(index[len(index) - rank :], windows.sizes, outputs, strict=True)
        for i, size, number in rows:
            last = tirx.floordiv((i + 1) * size + number - 1, number)
            count = count * (last - tirx.floordiv(i * size, number)).astype(type_name(inner))
        return a(*index) / count

    return emitter.compute("average", element, [total], shape, x.dtype)


@lowers("avg_pool2d.default", "avg_pool3d.default", "avg_pool1d.default")
def _average_pool(
    emitter: Emitter,
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    windows = sliding(x, kernel, stride, padding)
    shape, inner = _slid(emitter, x, windows, ceil_mode), accumulated(x.dtype)
    nothing = formulas.constant(0, type_name(inner))
    total = _reduced(emitter, x, windows, shape, te.sum, nothing, inner)
    rank = len(kernel)

    def counted(i: Expression, d: int) -> Expression:
        start = i * windows.stride[d] - windows.padding[d]
        around = windows.padding[d] if count_include_pad else 0
        end = tirx.min(start + windows.extents[d], expression(windows.sizes[d]) + around)
        return end - tirx.max(start, -around)

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        index = tuple(index)
        count: Expression = tirx.const(1, "int64")
        for d, i in enumerate(index[len(index) - rank :]):
            count = count * counted(i, d)
        if divisor_override:
            count = tirx.const(divisor_override, "int64")
        return a(*index) / count.astype(type_name(inner))

    return emitter.compute("average", element, [total], shape, x.dtype)
