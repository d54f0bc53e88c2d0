"""Operators that write at places that are values themselves, one after the other."""

from collections.abc import Sequence
from typing import Any

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import BAD_VALUE, Emitter
from dycl.backends.tvm.kernels import Combine, written
from dycl.backends.tvm.lowering import dimension, lowers, unsupported
from dycl.backends.tvm.lowering_indexing import checked, checked_places, indexed, require_covered
from dycl.backends.tvm.lowering_shapes import expanded
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.sizes import Size, dimensions, product_of
from dycl.backends.tvm.tensors import Expression, Tensor


@lowers("index_put.default", "_unsafe_index_put.default")
def _index_put(
    emitter: Emitter,
    x: Tensor,
    places: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    masked = len(places) == 1 and places[0] is not None and places[0].dtype == torch.bool
    if masked and values.shape == () and not accumulate:
        assert places[0] is not None
        return _masked_put(emitter, x, places[0], values)
    chosen = indexed(emitter, x, checked_places(emitter, x, places))
    source = _spread(emitter, emitter.cast(values, x.dtype), chosen.shape)

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        return _flattened(chosen.coordinates(index, arrays), x.shape)

    flat = emitter.compute("place", element, chosen.given, chosen.shape, torch.int64)
    return _write(emitter, x, flat, source, "add" if accumulate else "update")


def _masked_put(emitter: Emitter, x: Tensor, mask: Tensor, values: Tensor) -> Tensor:
    for size, own in zip(mask.shape, x.shape, strict=False):
        emitter.sizes.demand_equal(size, own, "IndexError")
    mask = emitter.reshape(mask, (*mask.shape, *([1] * (len(x.shape) - len(mask.shape)))))
    values = emitter.cast(values, x.dtype)
    return emitter.elementwise(
        "masked_put", lambda m, v, a: tirx.Select(m, v, a), (mask, values, x), x.dtype
    )


def _spread(emitter: Emitter, x: Tensor, shape: Sequence[Size]) -> Tensor:
    extra = len(x.shape) - len(shape)  # sizes of one in front do not count
    return expanded(emitter, emitter.reshape(x, x.shape[extra:]) if extra > 0 else x, shape)


def _flattened(index: Sequence[Expression], shape: Sequence[Size]) -> Expression:
    place: Expression = zero()
    for i, size in zip(index, dimensions(shape), strict=True):
        place = place * size + i
    return place


def _write(emitter: Emitter, x: Tensor, flat: Tensor, source: Tensor, how: str) -> Tensor:
    """Return ``x`` with elements written at places in its flattened form, in order."""
    if 0 in flat.shape or 0 in x.shape:
        return x
    count, size = product_of(flat.shape), product_of(x.shape)
    row = written(
        emitter,
        emitter.reshape(x, (size,)),
        emitter.reshape(flat, (count,)),
        emitter.reshape(source, (count,)),
        _COMBINED[how],
    )
    return emitter.reshape(row, x.shape)


def _added(before: Expression, value: Expression) -> Expression:
    return tirx.any(before, value) if formulas.dtype_of(value) == "bool" else before + value


_COMBINED: dict[str, Combine] = {"update": lambda _before, value: value, "add": _added}


def _scatter(
    emitter: Emitter, x: Tensor, dim: int, places: Tensor, source: Tensor, how: str
) -> Tensor:
    if not x.shape or not places.shape:
        raise unsupported("scatter into a tensor without dimensions")
    if 0 in places.shape:
        return x
    dim = dimension(dim, len(x.shape))
    require_covered(emitter, places.shape, x.shape, dim)
    require_covered(emitter, places.shape, source.shape)
    safe = checked(emitter, places, x.shape[dim], negative=False, fault=BAD_VALUE)

    def element(index: Sequence[Expression], p: Expression) -> Expression:
        own = [p(*index) if d == dim else i for d, i in enumerate(index)]
        return _flattened(own, x.shape)

    flat = emitter.compute("place", element, [safe], places.shape, torch.int64)

    def read(index: Sequence[Expression], s: Expression) -> Expression:
        return s(*index)

    part = emitter.compute("part", read, [source], places.shape, source.dtype)
    return _write(emitter, x, flat, part, how)


@lowers("scatter.value")
def _scatter_value(emitter: Emitter, x: Tensor, dim: int, places: Tensor, value: Any) -> Tensor:
    source = emitter.full(places.shape, value, x.dtype)
    return _scatter(emitter, x, dim, places, source, "update")


@lowers("scatter.src")
def _scatter_source(
    emitter: Emitter, x: Tensor, dim: int, places: Tensor, source: Tensor
) -> Tensor:
    return _scatter(emitter, x, dim, places, source, "update")


@lowers("scatter_add.default")
def _scatter_add(emitter: Emitter, x: Tensor, dim: int, places: Tensor, source: Tensor) -> Tensor:
    return _scatter(emitter, x, dim, places, source, "add")


def _write_rows(
    emitter: Emitter, x: Tensor, dim: int, safe: Tensor, source: Tensor, how: str
) -> Tensor:
    """Return ``x`` with slices written at places along a dimension."""

    def element(index: Sequence[Expression], p: Expression) -> Expression:
        own = [p(i) if d == dim else i for d, i in enumerate(index)]
        return _flattened(own, x.shape)

    flat = emitter.compute("place", element, [safe], source.shape, torch.int64)
    return _write(emitter, x, flat, emitter.cast(source, x.dtype), how)


@lowers("index_add.default")
def _index_add(
    emitter: Emitter, x: Tensor, dim: int, places: Tensor, source: Tensor, *, alpha: Any = 1
) -> Tensor:
    if len(places.shape) != 1 or not x.shape:
        raise unsupported("index_add with places or a tensor without dimensions")
    dim = dimension(dim, len(x.shape))
    safe = checked(emitter, places, x.shape[dim], negative=False, fault=BAD_VALUE)
    if alpha != 1:
        source = emitter.pointwise("scale", lambda a, b: a * b, (source, alpha))
    return _write_rows(emitter, x, dim, safe, source, "add")


@lowers("index_copy.default")
def _index_copy(emitter: Emitter, x: Tensor, dim: int, places: Tensor, source: Tensor) -> Tensor:
    if len(places.shape) != 1 or not x.shape:
        raise unsupported("index_copy with places or a tensor without dimensions")
    dim = dimension(dim, len(x.shape))
    safe = checked(emitter, places, x.shape[dim], negative=False)
    return _write_rows(emitter, x, dim, safe, source, "update")
