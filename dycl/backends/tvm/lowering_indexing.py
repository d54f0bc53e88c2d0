"""Operators that read or write at places that are values themselves.

A place outside the tensor makes PyTorch raise. Compiled code cannot raise, so it reports: each
operator has its places checked and reads at harmless ones where the check fails.
"""

from collections.abc import Sequence
from typing import Any

import torch
from tvm import tirx, topi

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import BAD_INDEX, BAD_VALUE, Emitter, aligned, zero
from dycl.backends.tvm.lowering import dimension, lowers, unsupported
from dycl.backends.tvm.tensors import Expression, Tensor, broadcast


def checked(
    emitter: Emitter, places: Tensor, size: int, *, negative: bool, fault: int = BAD_INDEX
) -> Tensor:
    """Return places within ``0 <= place < size`` and have others reported."""
    if places.dtype not in (torch.int64, torch.int32):
        raise unsupported(f"indexing by {places.dtype} tensors")
    places = emitter.cast(places, torch.int64)
    lowest = -size if negative else 0
    emitter.require(
        lambda index, a: tirx.all(a(*index) >= lowest, a(*index) < size),
        [places],
        places.shape,
        fault,
    )

    def harmless(place: Expression) -> Expression:
        place = tirx.Select(place < 0, place + size, place) if negative else place
        return tirx.max(tirx.min(place, size - 1), 0)

    return emitter.elementwise("place", harmless, [places], torch.int64)


def take_along(emitter: Emitter, x: Tensor, dim: int, places: Tensor) -> Tensor:
    """Return elements along a dimension at places that are known to be within it."""

    def element(index: Sequence[Expression], a: Expression, p: Expression) -> Expression:
        return a(*(p(*index) if d == dim else i for d, i in enumerate(index)))

    return emitter.compute("take", element, [x, places], places.shape, x.dtype)


@lowers("gather.default")
def _gather(
    emitter: Emitter, x: Tensor, dim: int, places: Tensor, sparse_grad: bool = False
) -> Tensor:
    if not x.shape or not places.shape:
        raise unsupported("gather of a tensor without dimensions")
    dim = dimension(dim, len(x.shape))
    safe = checked(emitter, places, x.shape[dim], negative=False, fault=BAD_VALUE)
    return take_along(emitter, x, dim, safe)


@lowers("index_select.default")
def _index_select(emitter: Emitter, x: Tensor, dim: int, places: Tensor) -> Tensor:
    dim = dimension(dim, len(x.shape))
    safe = checked(emitter, places, x.shape[dim], negative=False)
    return _read_at(emitter, x, [safe if d == dim else None for d in range(len(x.shape))])


@lowers("embedding.default")
def _embedding(emitter: Emitter, table: Tensor, places: Tensor, *_unused: Any) -> Tensor:
    safe = checked(emitter, places, table.shape[0], negative=False)
    return _read_at(emitter, table, [safe, None])


def _read_at(emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]) -> Tensor:
    """Return ``x[places]``, where None stands for a whole dimension."""
    given = [p for p in places if p is not None]
    common = broadcast(given)
    at = indexed_from(places)
    rest = [size for size, p in zip(x.shape, places, strict=True) if p is None]
    shape = (*rest[:at], *common, *rest[at:])

    def element(index: Sequence[Expression], a: Expression, *arrays: Expression) -> Expression:
        index = tuple(index)
        own = index[at : at + len(common)]
        whole = iter((*index[:at], *index[at + len(common) :]))
        chosen = iter(array(*aligned(own, p.shape)) for array, p in zip(arrays, given, strict=True))
        return a(*(next(whole) if p is None else next(chosen) for p in places))

    return emitter.compute("index", element, [x, *given], shape, x.dtype)


def indexed_from(places: Sequence[Tensor | None]) -> int:
    """Return where the dimensions of the places come in the result: together, or first."""
    given = [d for d, p in enumerate(places) if p is not None]
    together = given == list(range(given[0], given[0] + len(given)))
    return given[0] if together else 0


def _checked_places(
    emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]
) -> list[Tensor | None]:
    padded = [*places, *([None] * (len(x.shape) - len(places)))]
    return [
        None if p is None else checked(emitter, p, size, negative=True)
        for size, p in zip(x.shape, padded, strict=True)
    ]


@lowers("index.Tensor", "_unsafe_index.Tensor")
def _index(emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]) -> Tensor:
    if any(p is not None and p.dtype in (torch.bool, torch.uint8) for p in places):
        raise unsupported("selecting by a mask, whose size only the values tell")
    return _read_at(emitter, x, _checked_places(emitter, x, places))


@lowers("index_put.default", "_unsafe_index_put.default")
def _index_put(
    emitter: Emitter,
    x: Tensor,
    places: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    if len(places) == 1 and places[0] is not None and places[0].dtype == torch.bool:
        return _masked_put(emitter, x, places[0], values, accumulate)
    if any(p is None or p.dtype in (torch.bool, torch.uint8) for p in places):
        raise unsupported("writing at places in some dimensions and all of others")
    given = [p for p in _checked_places(emitter, x, places) if p is not None]
    common = broadcast(given)
    target = (*common, *x.shape[len(given) :])
    source = _spread(emitter, emitter.cast(values, x.dtype), target)
    flat = _flat_places(emitter, x, given, target)
    return _write(emitter, x, flat, source, "add" if accumulate else "update")


def _masked_put(
    emitter: Emitter, x: Tensor, mask: Tensor, values: Tensor, accumulate: bool
) -> Tensor:
    if values.shape != () or accumulate:
        raise unsupported("writing several values where a mask is true")
    mask = emitter.reshape(mask, (*mask.shape, *([1] * (len(x.shape) - len(mask.shape)))))
    values = emitter.cast(values, x.dtype)
    return emitter.elementwise(
        "masked_put", lambda m, v, a: tirx.Select(m, v, a), (mask, values, x), x.dtype
    )


def _spread(emitter: Emitter, x: Tensor, shape: Sequence[int]) -> Tensor:
    def element(index: Sequence[Expression], a: Expression) -> Expression:
        return a(*aligned(index, x.shape))

    return emitter.compute("expand", element, [x], shape, x.dtype)


def _flat_places(
    emitter: Emitter, x: Tensor, given: Sequence[Tensor], target: Sequence[int]
) -> Tensor:
    """Return the place in flattened ``x`` of each element that is written."""
    depth = len(target) - (len(x.shape) - len(given))

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        index = tuple(index)
        own = [a(*aligned(index[:depth], p.shape)) for a, p in zip(arrays, given, strict=True)]
        return _flattened((*own, *index[depth:]), x.shape)

    return emitter.compute("place", element, given, target, torch.int64)


def _flattened(index: Sequence[Expression], shape: Sequence[int]) -> Expression:
    place: Expression = zero()
    for i, size in zip(index, shape, strict=True):
        place = place * size + i
    return place


def _write(emitter: Emitter, x: Tensor, flat: Tensor, source: Tensor, how: str) -> Tensor:
    """Return ``x`` with elements written at places in its flattened form, in order."""
    if 0 in flat.shape:
        return x
    count, size = flat.meta.numel(), x.meta.numel()
    arguments = (
        emitter.reshape(x, (size,)),
        emitter.reshape(flat, (count,)),
        emitter.reshape(source, (count,)),
    )
    if x.dtype == torch.bool:
        raise unsupported("writing booleans at places")
    written = emitter.emit(
        "scatter",
        lambda a, p, v: topi.scatter_elements(a, p, v, 0, how),
        arguments,
        (size,),
        x.dtype,
    )
    return emitter.reshape(written, x.shape)


def _scatter(
    emitter: Emitter, x: Tensor, dim: int, places: Tensor, source: Tensor, how: str
) -> Tensor:
    if not x.shape or not places.shape:
        raise unsupported("scatter into a tensor without dimensions")
    if 0 in places.shape:
        return x
    dim = dimension(dim, len(x.shape))
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


@lowers("_assert_async.msg", "_assert_async.default")
def _assert(emitter: Emitter, condition: Tensor, *_message: Any) -> Tensor:
    emitter.require(
        lambda index, a: formulas.cast(a(*index), "bool"),
        [condition],
        condition.shape,
        BAD_VALUE,
    )
    return condition


@lowers("_assert_tensor_metadata.default")
def _known_already(_emitter: Emitter, x: Tensor, *_arguments: Any, **_options: Any) -> Tensor:
    return x
