"""Operators that move elements."""

import itertools
from collections.abc import Sequence
from typing import Any

from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter, aligned
from dycl.backends.tvm.lowering import dimension, lowers
from dycl.backends.tvm.tensors import Expression, Tensor, type_name

_MOST = 2**62
"""More than any size: PyTorch writes an open end of a slice as the largest number."""


@lowers(
    *("view.default", "_unsafe_view.default", "reshape.default", "unsqueeze.default"),
    *("squeeze.dim", "squeeze.dims", "squeeze.default", "flatten.using_ints"),
    *("_reshape_copy.default", "view_copy.default"),
)
def _view(emitter: Emitter, x: Tensor, *_shape: Any) -> Tensor:
    return emitter.reshape(x, emitter.result.shape)


@lowers(
    *("clone.default", "alias.default", "detach.default", "lift_fresh_copy.default"),
    *("contiguous.default", "native_dropout.default", "alias_copy.default"),
    blocks=True,
)
def _same(_emitter: Emitter, x: Tensor, *_arguments: Any, **_options: Any) -> Tensor:
    return x


@lowers("permute.default")
def _permute(emitter: Emitter, x: Tensor, dims: Sequence[int]) -> Tensor:
    order = [dimension(dim, len(x.shape)) for dim in dims]
    moved = [d for d in order if x.shape[d] != 1]
    if moved == sorted(moved):  # only dimensions of size one change place
        return emitter.reshape(x, [x.shape[d] for d in order])

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        return a(*(index[order.index(d)] for d in range(len(order))))

    return emitter.compute("permute", element, [x], [x.shape[d] for d in order], x.dtype)


@lowers("transpose.int")
def _transpose(emitter: Emitter, x: Tensor, first: int, second: int) -> Tensor:
    order = list(range(len(x.shape)))
    if order:
        first, second = dimension(first, len(order)), dimension(second, len(order))
        order[first], order[second] = order[second], order[first]
    return _permute(emitter, x, order)


@lowers("t.default")
def _t(emitter: Emitter, x: Tensor) -> Tensor:
    return _permute(emitter, x, list(reversed(range(len(x.shape)))))


@lowers("expand.default")
def expanded(emitter: Emitter, x: Tensor, _sizes: Any = None, implicit: bool = False) -> Tensor:
    """Return a tensor repeated to the shape of the operator's result."""
    shape = tuple(emitter.result.shape)
    if shape == x.shape:
        return x

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        return a(*aligned(index, x.shape))

    return emitter.compute("expand", element, [x], shape, x.dtype)


@lowers("repeat.default")
def _repeat(emitter: Emitter, x: Tensor, _repeats: Any) -> Tensor:
    shape = tuple(emitter.result.shape)

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        own = tuple(index)[len(shape) - len(x.shape) :]
        return a(*(tirx.floormod(i, n) for i, n in zip(own, x.shape, strict=True)))

    return emitter.compute("repeat", element, [x], shape, x.dtype)


def read_strided(
    emitter: Emitter, x: Tensor, dim: int, start: int, step: int, length: int
) -> Tensor:
    """Return ``length`` slices of a tensor along a dimension."""
    if length == x.shape[dim] and start == 0 and step == 1:
        return x

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        return a(*(start + i * step if d == dim else i for d, i in enumerate(index)))

    shape = [length if d == dim else size for d, size in enumerate(x.shape)]
    return emitter.compute("slice", element, [x], shape, x.dtype)


def slice_bounds(size: int, start: int | None, end: int | None) -> tuple[int, int]:
    """Return the bounds of a slice as places in a dimension."""
    start, end, _ = slice(start, None if end is None or end > _MOST else end).indices(size)
    return start, max(start, end)


@lowers("slice.Tensor")
def _slice(
    emitter: Emitter,
    x: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    dim = dimension(dim, len(x.shape))
    first, _ = slice_bounds(x.shape[dim], start, end)
    return read_strided(emitter, x, dim, first, step, emitter.result.shape[dim])


@lowers("slice_scatter.default")
def _slice_scatter(
    emitter: Emitter,
    x: Tensor,
    source: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    dim = dimension(dim, len(x.shape))
    first, last = slice_bounds(x.shape[dim], start, end)
    source = emitter.cast(source, x.dtype)
    if 0 in source.shape:
        return x

    def element(index: Sequence[Expression], a: Expression, b: Expression) -> Expression:
        place = index[dim] - first
        inside = tirx.all(
            index[dim] >= first, index[dim] < last, formulas.equal(tirx.floormod(place, step), 0)
        )
        other = (tirx.floordiv(place, step) if d == dim else i for d, i in enumerate(index))
        return tirx.if_then_else(inside, b(*other), a(*index))

    return emitter.compute("slice_scatter", element, [x, source], x.shape, x.dtype)


@lowers("select_scatter.default")
def _select_scatter(emitter: Emitter, x: Tensor, source: Tensor, dim: int, place: int) -> Tensor:
    dim = dimension(dim, len(x.shape))
    place %= x.shape[dim]
    shape = [1 if d == dim else size for d, size in enumerate(x.shape)]
    return _slice_scatter(emitter, x, emitter.reshape(source, shape), dim, place, place + 1)


@lowers("select.int")
def _select(emitter: Emitter, x: Tensor, dim: int, place: int) -> Tensor:
    dim = dimension(dim, len(x.shape))
    row = read_strided(emitter, x, dim, place % x.shape[dim], 1, 1)
    return emitter.reshape(row, [size for d, size in enumerate(x.shape) if d != dim])


@lowers("unbind.int")
def _unbind(emitter: Emitter, x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(_select(emitter, x, dim, i) for i in range(x.shape[dim]))


@lowers("split_with_sizes.default")
def _split(emitter: Emitter, x: Tensor, sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    dim = dimension(dim, len(x.shape))
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    pairs = zip(starts, sizes, strict=True)
    return tuple(read_strided(emitter, x, dim, start, 1, size) for start, size in pairs)


@lowers("split.Tensor")
def _split_evenly(emitter: Emitter, x: Tensor, size: int, dim: int = 0) -> tuple[Tensor, ...]:
    whole = x.shape[dimension(dim, len(x.shape))]
    sizes = [min(size, whole - start) for start in range(0, whole, size)] or [0]
    return _split(emitter, x, sizes, dim)


@lowers("cat.default")
def _cat(emitter: Emitter, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    result, shape = emitter.result.dtype, tuple(emitter.result.shape)
    dim = dimension(dim, len(shape))
    # PyTorch leaves out one-dimensional empty tensors, whatever the rank of the others
    parts = [emitter.cast(x, result) for x in tensors if 0 not in x.shape]
    if not parts:
        return emitter.full(shape, 0, result)

    ends = list(itertools.accumulate(x.shape[dim] for x in parts))

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        value = None
        for x, end, a in reversed(list(zip(parts, ends, arrays, strict=True))):
            start = end - x.shape[dim]
            own = a(*(i - start if d == dim else i for d, i in enumerate(index)))
            value = own if value is None else tirx.if_then_else(index[dim] < end, own, value)
        return value

    return emitter.compute("cat", element, parts, shape, result)


@lowers("stack.default")
def _stack(emitter: Emitter, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    rank = len(emitter.result.shape)
    dim = dimension(dim, rank)
    parts = [emitter.reshape(x, (*x.shape[:dim], 1, *x.shape[dim:])) for x in tensors]
    return _cat(emitter, parts, dim)


@lowers("constant_pad_nd.default")
def _pad(emitter: Emitter, x: Tensor, pads: Sequence[int], value: float = 0) -> Tensor:
    before = [0] * len(x.shape)
    for number in range(len(pads) // 2):
        before[len(x.shape) - 1 - number] = pads[2 * number]
    if 0 in x.shape:
        return emitter.full(emitter.result.shape, value, x.dtype)
    filler = formulas.constant(value, type_name(x.dtype))

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        own = [i - before[d] for d, i in enumerate(index)]
        inside = [p >= 0 for d, p in enumerate(own) if before[d] > 0]
        ends = [size + pad for size, pad in zip(x.shape, before, strict=True)]
        sizes = emitter_shape
        inside += [p < x.shape[d] for d, p in enumerate(own) if sizes[d] > ends[d]]
        if not inside:
            return a(*own)
        return tirx.if_then_else(tirx.all(*inside), a(*own), filler)

    emitter_shape = tuple(emitter.result.shape)
    return emitter.compute("pad", element, [x], emitter_shape, x.dtype)


@lowers("flip.default")
def _flip(emitter: Emitter, x: Tensor, dims: Sequence[int]) -> Tensor:
    flipped = {dimension(dim, len(x.shape)) for dim in dims}

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        return a(*(x.shape[d] - 1 - i if d in flipped else i for d, i in enumerate(index)))

    return emitter.compute("flip", element, [x], x.shape, x.dtype)


@lowers("unfold.default")
def _unfold(emitter: Emitter, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    dim = dimension(dim, len(x.shape))

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        *outer, inner = index
        return a(*(i * step + inner if d == dim else i for d, i in enumerate(outer)))

    return emitter.compute("unfold", element, [x], emitter.result.shape, x.dtype)


@lowers("diagonal.default")
def _diagonal(
    emitter: Emitter, x: Tensor, offset: int = 0, first: int = 0, second: int = 1
) -> Tensor:
    first, second = dimension(first, len(x.shape)), dimension(second, len(x.shape))
    down, right = max(-offset, 0), max(offset, 0)

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        *rest, along = index
        outer = iter(rest)
        places = {first: along + down, second: along + right}
        return a(*(places[d] if d in places else next(outer) for d in range(len(x.shape))))

    return emitter.compute("diagonal", element, [x], emitter.result.shape, x.dtype)
