"""Gathering and scattering: PyTorch raises for negative indices, the runtime counts back."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnxscript import ir
from onnxscript.function_libs.torch_lib.ops import core as torchlib

from dycl.backends.onnx_graphs.translations.values import (
    Value,
    axes,
    flat,
    integer,
    is_float,
    op,
    size_of,
)

_translate_any_index: Callable[..., Any] = torchlib.aten_index


def no_negative(index: Value, size: Value) -> Value:
    """Return indices with negative ones out of range, so that they raise as in PyTorch."""
    index = op.Cast(index, to=ir.DataType.INT64)
    return op.Where(op.Less(index, integer(0)), size, index)


def size_along(x: Value, dim: int) -> Value:
    """Return a size, which is one where there are no dimensions."""
    return size_of(x, dim) if len(x.shape) else integer(1)


def gather(self: Value, dim: int, index: Value, sparse_grad: bool = False) -> Value:
    """Translate ``gather``."""
    is_scalar = len(index.shape) == 0
    rows = flat(self) if len(self.shape) == 0 else self
    places = no_negative(flat(index) if is_scalar else index, size_along(self, dim))
    found = op.GatherElements(rows, places, axis=dim)
    return op.Squeeze(found, axes(0)) if is_scalar else found


def index_select(self: Value, dim: int, index: Value) -> Value:
    """Translate ``index_select``."""
    places = no_negative(flat(index), size_along(self, dim))
    if len(self.shape) == 0:
        return op.Squeeze(op.Gather(flat(self), places, axis=0), axes(0))
    if dim % len(self.shape) == 1:
        places = _required(places, size_along(self, dim))
    return op.Gather(self, places, axis=dim)


def _required(places: Value, size: Value) -> Value:
    """Return the same places; one out of range is a RuntimeError, where ``Gather``'s is another.

    PyTorch's ``index_select`` has code of its own for the second dimension, with that error.
    """
    numbers = op.Range(op.Constant(value_int=0), op.Squeeze(size), op.Constant(value_int=1))
    return op.GatherElements(numbers, places, axis=0)


def index(self: Value, indices: Sequence[Value | None]) -> Value:
    """Translate ``index``, which takes negative ones: those of one dimension are gathered."""
    given = [(dim, places) for dim, places in enumerate(indices) if places is not None]
    if len(given) != 1:
        return _translate_any_index(self, indices)
    [(dim, places)] = given
    if places.dtype == ir.DataType.BOOL and len(places.shape) == 1:
        return op.Gather(self, flat(op.NonZero(places)), axis=dim)
    if places.dtype not in (ir.DataType.INT64, ir.DataType.INT32):
        return _translate_any_index(self, indices)
    return op.Gather(self, places, axis=dim)


def nonzero(self: Value) -> Value:
    """Translate ``nonzero``: the places of a vector are in one row, which becomes a column."""
    places = op.NonZero(self)
    if len(self.shape) == 1:
        return op.Reshape(places, op.Constant(value_ints=[-1, 1]))
    return op.Transpose(places, perm=[1, 0])


def nonzero_static(self: Value, size: Value, fill_value: int = -1) -> Value:
    """Translate ``nonzero_static``: so many places, the first ones, or none at the end."""
    wanted = flat(op.Cast(integer(size) if isinstance(size, int) else size, to=ir.DataType.INT64))
    rank = op.Constant(value_ints=[len(self.shape)])
    rest = op.Expand(integer(fill_value), op.Concat(wanted, rank, axis=0))
    return op.Slice(op.Concat(nonzero(self), rest, axis=0), axes(0), wanted, axes(0))


def embedding(
    weight: Value,
    indices: Value,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Value:
    """Translate ``embedding``."""
    return op.Gather(weight, no_negative(indices, size_along(weight, 0)), axis=0)


def scattered(x: Value, dim: int, index: Value, source: Value, reduction: str) -> Value:
    """Scatter into ``x``; ``index`` has its shape known, ``source`` the same shape."""
    places = no_negative(index, size_along(x, dim))
    if len(x.shape) == 0 or len(index.shape) == 0:
        x_row, places, source = flat(x), flat(places), flat(source)
        found = op.ScatterElements(x_row, places, source, axis=0, reduction=reduction)
        return op.Squeeze(found, axes(0)) if len(x.shape) == 0 else found
    return op.ScatterElements(x, places, source, axis=dim, reduction=reduction)


def leading_part(source: Value, index: Value) -> Value:
    """Return as much of ``source`` as ``index`` has places for, as ATen takes it."""
    if list(source.shape) == list(index.shape) or len(index.shape) == 0:
        return source
    rank = len(index.shape)
    starts = op.Constant(value_ints=[0] * rank)
    return op.Slice(source, starts, op.Shape(index), op.Constant(value_ints=list(range(rank))))


def scatter_src(self: Value, dim: int, index: Value, src: Value) -> Value:
    """Translate ``scatter.src``."""
    return scattered(self, dim, index, leading_part(src, index), "none")


def scatter_value(self: Value, dim: int, index: Value, value: float) -> Value:
    """Translate ``scatter.value``."""
    source = op.Expand(op.CastLike(value, self), op.Shape(index))
    return scattered(self, dim, index, source, "none")


def scatter_add(self: Value, dim: int, index: Value, src: Value) -> Value:
    """Translate ``scatter_add``."""
    return scattered(self, dim, index, leading_part(src, index), "add")


def _along(x: Value, dim: int, index: Value, source: Value, reduction: str) -> Value:
    """Scatter slices of ``source`` to the places along a dimension that ``index`` names."""
    places = no_negative(index, size_along(x, dim))
    if len(x.shape) == 0:
        return scattered(x, 0, index, source, reduction)
    spread = spread_along(x, dim, places, source)
    return op.ScatterElements(x, spread, source, axis=dim, reduction=reduction)


def spread_along(x: Value, dim: int, places: Value, source: Value) -> Value:
    """Return places along a dimension for each element of ``source``."""
    shape = [1] * len(x.shape)
    shape[dim] = -1
    return op.Expand(op.Reshape(places, op.Constant(value_ints=shape)), op.Shape(source))


def index_copy(self: Value, dim: int, index: Value, source: Value) -> Value:
    """Translate ``index_copy``."""
    return _along(self, dim, index, source, "none")


def index_add(self: Value, dim: int, index: Value, source: Value, alpha: float = 1) -> Value:
    """Translate ``index_add``."""
    scaled = source if alpha == 1 else op.Mul(source, op.CastLike(alpha, source))
    size = self.shape[dim] if len(self.shape) > 1 else 1
    if not isinstance(size, int) or size == 0:
        index, scaled = _where_there_are_rows(self, dim, flat(index), scaled)
    return _along(self, dim, index, scaled, "add")


def _where_there_are_rows(x: Value, dim: int, places: Value, source: Value) -> tuple[Value, Value]:
    """Return places and slices to add: none where ``x`` is empty, as PyTorch does not look then."""
    is_empty = op.Equal(size_of(x, dim), integer(0))
    count = flat(op.Where(is_empty, integer(0), integer(np.iinfo(np.int64).max)))
    places = op.Slice(places, axes(0), count, axes(0))
    return places, op.Slice(source, axes(0), count, axes(dim))


def one_hot(self: Value, num_classes: int = -1) -> Value:
    """Translate ``one_hot``."""
    places = op.Cast(self, to=ir.DataType.INT64)
    zeros = op.Constant(value=ir.tensor(np.zeros(num_classes, dtype=np.int64)))
    # Looking classes up raises where one is out of range, which OneHot does not: not by Gather,
    # whose error is that of an index.
    found = op.GatherElements(zeros, flat(no_negative(places, integer(num_classes))), axis=0)
    places = op.Add(places, op.Reshape(found, op.Shape(places)))
    alone = len(self.shape) == 0  # OneHot takes no number without dimensions
    places = flat(places) if alone else places
    hot = op.OneHot(places, integer(num_classes), op.Constant(value_ints=[0, 1]), axis=-1)
    return flat(hot) if alone else hot


def masked_select(self: Value, mask: Value) -> Value:
    """Translate ``masked_select``."""
    spread = op.Expand(self, op.Shape(mask))
    return op.Compress(flat(spread), flat(op.Expand(mask, op.Shape(self))))


def copy(self: Value, src: Value, non_blocking: bool = False) -> Value:
    """Translate ``copy``, which spreads what it copies over the whole tensor."""
    cast = op.CastLike(src, self)
    known = all(isinstance(size, int) for size in (*self.shape, *src.shape))
    if known and list(self.shape) == list(src.shape):
        return cast
    return op.Expand(cast, op.Shape(self))


def diagonal(self: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """Translate ``diagonal``; the exporter multiplies the rest by zero, infinities too."""
    rank = len(self.shape)
    order, places = _diagonal_places(self, offset, dim1, dim2)
    found = op.GatherND(op.Transpose(self, perm=order), places)
    return op.Transpose(found, perm=[*range(1, rank - 1), 0])


def diagonal_scatter(
    self: Value, src: Value, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Value:
    """Translate ``diagonal_scatter``: what is written into a diagonal in place becomes that."""
    rank = len(self.shape)
    order, places = _diagonal_places(self, offset, dim1, dim2)
    rows = op.Transpose(src, perm=[rank - 2, *range(rank - 2)])
    written = op.ScatterND(op.Transpose(self, perm=order), places, rows)
    return op.Transpose(written, perm=[order.index(dim) for dim in range(rank)])


def _diagonal_places(x: Value, offset: int, dim1: int, dim2: int) -> tuple[list[int], Value]:
    """Return the dimensions with those of a diagonal first, and its places in these two."""
    rank = len(x.shape)
    first, second = dim1 % rank, dim2 % rank
    others = [dim for dim in range(rank) if dim not in (first, second)]
    down, right = integer(max(0, -offset)), integer(max(0, offset))
    rows, columns = op.Sub(size_of(x, first), down), op.Sub(size_of(x, second), right)
    count = op.Max(op.Min(rows, columns), integer(0))
    steps = op.Range(integer(0), count, integer(1))
    places = [op.Unsqueeze(op.Add(steps, start), axes(1)) for start in (down, right)]
    return [first, second, *others], op.Concat(*places, axis=1)


def trace(self: Value) -> Value:
    """Translate ``trace``."""
    elements = diagonal(self)
    wide = elements if is_float(self) else op.Cast(elements, to=ir.DataType.INT64)
    return op.ReduceSum(wide, keepdims=False)
