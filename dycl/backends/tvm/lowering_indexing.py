"""Operators that read or write at places that are values themselves.

A place outside the tensor makes PyTorch raise. Compiled code cannot raise, so it reports: each
operator has its places checked and reads at harmless ones where the check fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tvm import tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import BAD_INDEX, BAD_VALUE, Emitter
from dycl.backends.tvm.lowering import dimension, lowers, unsupported
from dycl.backends.tvm.lowering_selections import true_places
from dycl.backends.tvm.operands import aligned, zero
from dycl.backends.tvm.sizes import Size, at_least, expression, is_known, product_of
from dycl.backends.tvm.tensors import Expression, Tensor


def checked(
    emitter: Emitter, places: Tensor, size: Size, *, negative: bool, fault: int = BAD_INDEX
) -> Tensor:
    """Return places within ``0 <= place < size`` and have others reported."""
    if places.dtype not in (torch.int64, torch.int32):
        raise unsupported(f"indexing by {places.dtype} tensors")
    places = emitter.cast(places, torch.int64)
    if not is_known(size):  # in a tensor of no elements, no place is harmless
        _require_elements(emitter, places.shape, size, fault)

    def within(index: Sequence[Expression], a: Expression) -> Expression:
        end = expression(size)
        return tirx.all(a(*index) >= (-end if negative else zero()), a(*index) < end)

    emitter.require(within, [places], places.shape, fault)

    def harmless(place: Expression) -> Expression:
        end = expression(size)
        place = tirx.Select(place < 0, place + end, place) if negative else place
        return tirx.max(tirx.min(place, end - 1), 0)

    return emitter.elementwise("place", harmless, [places], torch.int64)


def _require_elements(emitter: Emitter, shape: Sequence[Size], size: Size, fault: int) -> None:
    """Have the function raise at once where places are given in a tensor without any."""
    if not at_least(size, 1):
        count = product_of(shape)
        fits = tirx.any(expression(size) >= 1, expression(count) < 1)
        error = "IndexError" if fault == BAD_INDEX else "RuntimeError"
        emitter.sizes.demand(("elements", count, size), fits, error)


def take_along(emitter: Emitter, x: Tensor, dim: int, places: Tensor) -> Tensor:
    """Return elements along a dimension at places that are known to be within it."""

    def element(index: Sequence[Expression], a: Expression, p: Expression) -> Expression:
        return a(*(p(*index) if d == dim else i for d, i in enumerate(index)))

    return emitter.compute("take", element, [x, places], places.shape, x.dtype)


def require_covered(
    emitter: Emitter, part: Sequence[Size], whole: Sequence[Size], free: int | None = None
) -> None:
    """Have the function raise where places are more than a tensor has; in one dimension, any."""
    for d, (size, most) in enumerate(zip(part, whole, strict=True)):
        if d != free:
            emitter.sizes.demand_at_least(most, size)


@lowers("gather.default")
def _gather(
    emitter: Emitter, x: Tensor, dim: int, places: Tensor, sparse_grad: bool = False
) -> Tensor:
    if not x.shape or not places.shape:
        raise unsupported("gather of a tensor without dimensions")
    dim = dimension(dim, len(x.shape))
    require_covered(emitter, places.shape, x.shape, dim)
    safe = checked(emitter, places, x.shape[dim], negative=False, fault=BAD_VALUE)
    return take_along(emitter, x, dim, safe)


@lowers("index_select.default")
def _index_select(emitter: Emitter, x: Tensor, dim: int, places: Tensor) -> Tensor:
    dim = dimension(dim, len(x.shape))
    fault = BAD_VALUE if dim == 1 else BAD_INDEX  # PyTorch has code of its own for that dimension
    safe = checked(emitter, places, x.shape[dim], negative=False, fault=fault)
    return _read_at(emitter, x, [safe if d == dim else None for d in range(len(x.shape))])


@lowers("embedding.default")
def _embedding(emitter: Emitter, table: Tensor, places: Tensor, *_unused: Any) -> Tensor:
    safe = checked(emitter, places, table.shape[0], negative=False)
    return _read_at(emitter, table, [safe, None])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Indexed:
    """A tensor indexed by tensors in some dimensions, and whole in the others (None)."""

    places: tuple[Tensor | None, ...]
    common: tuple[Size, ...]
    """The shape that the places are broadcast to together."""
    shape: tuple[Size, ...]
    """Of the elements that are read or written."""

    @property
    def given(self) -> list[Tensor]:
        """Return the places."""
        return [p for p in self.places if p is not None]

    def coordinates(
        self, index: Sequence[Expression], arrays: Sequence[Expression]
    ) -> tuple[Expression, ...]:
        """Return where an element of the result stands in the tensor."""
        at = indexed_from(self.places)
        index = tuple(index)
        own = index[at : at + len(self.common)]
        whole = iter((*index[:at], *index[at + len(self.common) :]))
        rows = zip(arrays, self.given, strict=True)
        chosen = iter(array(*aligned(own, p.shape, self.common)) for array, p in rows)
        return tuple(next(whole) if p is None else next(chosen) for p in self.places)


def indexed(emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]) -> _Indexed:
    """Return how a tensor is indexed by places that are known to be within it."""
    common = emitter.broadcast([p for p in places if p is not None])
    at = indexed_from(places)
    rest = [size for size, p in zip(x.shape, places, strict=True) if p is None]
    return _Indexed(places=tuple(places), common=common, shape=(*rest[:at], *common, *rest[at:]))


def _read_at(emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]) -> Tensor:
    """Return ``x[places]``, where None stands for a whole dimension."""
    chosen = indexed(emitter, x, places)

    def element(index: Sequence[Expression], a: Expression, *arrays: Expression) -> Expression:
        return a(*chosen.coordinates(index, arrays))

    return emitter.compute("index", element, [x, *chosen.given], chosen.shape, x.dtype)


def indexed_from(places: Sequence[Tensor | None]) -> int:
    """Return where the dimensions of the places come in the result: together, or first."""
    given = [d for d, p in enumerate(places) if p is not None]
    together = given == list(range(given[0], given[0] + len(given)))
    return given[0] if together else 0


def checked_places(
    emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """Return what a tensor is indexed by, one for each dimension, known to be within it."""
    unmasked: list[Tensor | None] = []
    for p in places:
        if p is None or p.dtype not in (torch.bool, torch.uint8):
            unmasked.append(p)
            continue
        sizes = x.shape[len(unmasked) : len(unmasked) + len(p.shape)]
        for size, own in zip(p.shape, sizes, strict=True):
            emitter.sizes.demand_equal(size, own, "IndexError")
        if not p.shape:
            raise unsupported("selecting by a mask without dimensions")
        unmasked += true_places(emitter, emitter.cast(p, torch.bool))
    padded = [*unmasked, *([None] * (len(x.shape) - len(unmasked)))]
    return [
        None if p is None else checked(emitter, p, size, negative=True)
        for size, p in zip(x.shape, padded, strict=True)
    ]


@lowers("index.Tensor", "_unsafe_index.Tensor")
def _index(emitter: Emitter, x: Tensor, places: Sequence[Tensor | None]) -> Tensor:
    return _read_at(emitter, x, checked_places(emitter, x, places))


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
