"""Operators that move elements."""

from collections.abc import Sequence
from typing import Any

from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import dimension, lowers, unsupported
from dycl.backends.tvm.operands import aligned
from dycl.backends.tvm.sizes import Size, dimensions, expression, is_known, total_of
from dycl.backends.tvm.tensors import Expression, Tensor

_MOST = 2**62
"""More than any size: PyTorch writes an open end of a slice as the largest number."""


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
def _expand(emitter: Emitter, x: Tensor, sizes: Sequence[Size], implicit: bool = False) -> Tensor:
    before = len(sizes) - len(x.shape)
    for size in sizes:
        emitter.sizes.demand_at_least(size, -1 if is_known(size) else 0)
    own = (1,) * before + x.shape
    kept = [old if size == -1 else size for old, size in zip(own, sizes, strict=True)]
    return expanded(emitter, x, kept)


def expanded(emitter: Emitter, x: Tensor, shape: Sequence[Size]) -> Tensor:
    """Return a tensor repeated to a shape."""
    shape = tuple(shape)
    if shape == x.shape:
        return x
    for size, whole in zip(x.shape, shape[len(shape) - len(x.shape) :], strict=True):
        emitter.sizes.demand_expandable(size, whole)

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        return a(*aligned(index, x.shape, shape))

    return emitter.compute("expand", element, [x], shape, x.dtype)


@lowers("repeat.default")
def _repeat(emitter: Emitter, x: Tensor, repeats: Sequence[Size]) -> Tensor:
    own_shape = (1,) * (len(repeats) - len(x.shape)) + x.shape
    for count in repeats:
        emitter.sizes.demand_at_least(count, 0)
    shape = [size * count for size, count in zip(own_shape, repeats, strict=True)]

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        own = tuple(index)[len(shape) - len(x.shape) :]
        sizes = dimensions(x.shape)
        return a(*(tirx.floormod(i, n) for i, n in zip(own, sizes, strict=True)))

    return emitter.compute("repeat", element, [x], shape, x.dtype)


def read_strided(
    emitter: Emitter, x: Tensor, dim: int, start: Size, step: int, length: Size
) -> Tensor:
    """Return ``length`` slices of a tensor along a dimension."""
    if length == x.shape[dim] and start == 0 and step == 1:
        return x

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        first = expression(start)
        return a(*(first + i * step if d == dim else i for d, i in enumerate(index)))

    shape = [length if d == dim else size for d, size in enumerate(x.shape)]
    return emitter.compute("slice", element, [x], shape, x.dtype)


def slice_bounds(
    emitter: Emitter, size: Size, start: Size | None, end: Size | None
) -> tuple[Size, Size]:
    """Return the bounds of a slice as places in a dimension."""
    first = emitter.sizes.within(0 if start is None else start, size)
    if end is None or (is_known(end) and end > _MOST):
        return first, size
    return first, emitter.sizes.larger(emitter.sizes.within(end, size), first)


@lowers("slice.Tensor")
def _slice(
    emitter: Emitter,
    x: Tensor,
    dim: int = 0,
    start: Size | None = None,
    end: Size | None = None,
    step: int = 1,
) -> Tensor:
    dim = dimension(dim, len(x.shape))
    first, last = slice_bounds(emitter, x.shape[dim], start, end)
    return read_strided(emitter, x, dim, first, step, emitter.sizes.divided(last - first, step))


@lowers("slice_scatter.default")
def _slice_scatter(
    emitter: Emitter,
    x: Tensor,
    source: Tensor,
    dim: int = 0,
    start: Size | None = None,
    end: Size | None = None,
    step: int = 1,
) -> Tensor:
    dim = dimension(dim, len(x.shape))
    first, last = slice_bounds(emitter, x.shape[dim], start, end)
    source = emitter.cast(source, x.dtype)
    written = emitter.sizes.divided(last - first, step)
    shape = tuple(written if d == dim else size for d, size in enumerate(x.shape))
    for size, whole in zip(source.shape, shape, strict=True):
        emitter.sizes.demand_equal(size, whole)
    if 0 in source.shape:
        return x

    def element(index: Sequence[Expression], a: Expression, b: Expression) -> Expression:
        begin, finish = dimensions((first, last))
        place = index[dim] - begin
        inside = tirx.all(
            index[dim] >= begin, index[dim] < finish, formulas.equal(tirx.floormod(place, step), 0)
        )
        other = (tirx.floordiv(place, step) if d == dim else i for d, i in enumerate(index))
        return tirx.if_then_else(inside, b(*other), a(*index))

    return emitter.compute("slice_scatter", element, [x, source], x.shape, x.dtype)


@lowers("select_scatter.default")
def _select_scatter(emitter: Emitter, x: Tensor, source: Tensor, dim: int, place: Size) -> Tensor:
    dim = dimension(dim, len(x.shape))
    place = emitter.sizes.index(place, x.shape[dim])
    shape = [1 if d == dim else size for d, size in enumerate(x.shape)]
    return _slice_scatter(emitter, x, emitter.reshape(source, shape), dim, place, place + 1)


@lowers("select.int")
def _select(emitter: Emitter, x: Tensor, dim: int, place: Size) -> Tensor:
    dim = dimension(dim, len(x.shape))
    row = read_strided(emitter, x, dim, emitter.sizes.index(place, x.shape[dim]), 1, 1)
    return emitter.reshape(row, [size for d, size in enumerate(x.shape) if d != dim])


@lowers("unbind.int")
def _unbind(emitter: Emitter, x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(_select(emitter, x, dim, i) for i in range(x.shape[dim]))


@lowers("split_with_sizes.default")
def _split(emitter: Emitter, x: Tensor, sizes: Sequence[Size], dim: int = 0) -> tuple[Tensor, ...]:
    dim = dimension(dim, len(x.shape))
    for size in sizes:
        emitter.sizes.demand_at_least(size, 0)
    emitter.sizes.demand_equal(total_of(sizes), x.shape[dim])
    starts = [total_of(sizes[:i]) for i in range(len(sizes))]
    pairs = zip(starts, sizes, strict=True)
    return tuple(read_strided(emitter, x, dim, start, 1, size) for start, size in pairs)


@lowers("split.Tensor")
def _split_evenly(emitter: Emitter, x: Tensor, size: int, dim: int = 0) -> tuple[Tensor, ...]:
    whole = x.shape[dimension(dim, len(x.shape))]
    sizes = [min(size, whole - start) for start in range(0, whole, size)] or [0]
    return _split(emitter, x, sizes, dim)


@lowers("flip.default")
def _flip(emitter: Emitter, x: Tensor, dims: Sequence[int]) -> Tensor:
    flipped = {dimension(dim, len(x.shape)) for dim in dims}

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        sizes = dimensions(x.shape)
        return a(*(sizes[d] - 1 - i if d in flipped else i for d, i in enumerate(index)))

    return emitter.compute("flip", element, [x], x.shape, x.dtype)


@lowers("unfold.default")
def _unfold(emitter: Emitter, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    dim = dimension(dim, len(x.shape))
    if not x.shape:
        raise unsupported("unfold of a tensor without dimensions")
    emitter.sizes.demand_at_least(x.shape[dim], size)
    count = emitter.sizes.quotient(x.shape[dim] - size, step) + 1
    shape = [count if d == dim else length for d, length in enumerate(x.shape)]

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        *outer, inner = index
        return a(*(i * step + inner if d == dim else i for d, i in enumerate(outer)))

    return emitter.compute("unfold", element, [x], [*shape, size], x.dtype)


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

    shorter = emitter.sizes.smaller(x.shape[first] - down, x.shape[second] - right)
    rest = [size for d, size in enumerate(x.shape) if d not in (first, second)]
    shape = [*rest, emitter.sizes.larger(shorter, 0)]
    return emitter.compute("diagonal", element, [x], shape, x.dtype)
