"""Scattering where what comes to one place is brought together: sums, products, means, extremes.

The exporter counts negative indices back, and knows no means; the runtime drops NaN.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.indexing import (
    leading_part,
    no_negative,
    size_along,
    spread_along,
)
from dycl.backends.onnx_graphs.translations.values import (
    FLOATS,
    Value,
    axes,
    flat,
    integer,
    is_float,
    op,
)

_KINDS = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}
_OLDER = {"add": "sum", "multiply": "prod"}
_INTEGERS: dict[Any, type[np.signedinteger[Any]]] = {
    ir.DataType.INT64: np.int64,
    ir.DataType.INT32: np.int32,
}


def scatter_reduce(
    self: Value, dim: int, index: Value, src: Value, reduce: str, include_self: bool = True
) -> Value:
    """Translate ``scatter_reduce.two``."""
    return _reduced(self, dim, index, leading_part(src, index), reduce, include_self)


def _reduced(
    self: Value, dim: int, index: Value, source: Value, reduce: str, include_self: bool
) -> Value:
    alone = len(self.shape) == 0
    places = no_negative(index, size_along(self, dim))
    if alone or len(index.shape) == 0:
        there = _Places(typed=self, dim=0, places=flat(places))
        found = there.reduced(flat(self), flat(source), reduce, include_self)
        return op.Squeeze(found, axes(0)) if alone else found
    return _Places(typed=self, dim=dim, places=places).reduced(self, source, reduce, include_self)


def scatter_by_name(self: Value, dim: int, index: Value, src: Value, *, reduce: str) -> Value:
    """Translate ``scatter.reduce``, the older name of two of these."""
    return scatter_reduce(self, dim, index, src, _OLDER[reduce])


def scatter_number_by_name(
    self: Value, dim: int, index: Value, value: float, *, reduce: str
) -> Value:
    """Translate ``scatter.value_reduce``."""
    source = op.Expand(op.CastLike(value, self), op.Shape(index))
    return _reduced(self, dim, index, source, _OLDER[reduce], include_self=True)


def index_reduce(
    self: Value, dim: int, index: Value, source: Value, reduce: str, include_self: bool = True
) -> Value:
    """Translate ``index_reduce``."""
    if len(self.shape) == 0:
        return scatter_reduce(self, 0, index, source, reduce, include_self)
    size = size_along(self, dim)
    places = no_negative(index, size)
    # Looking places up raises where one is out of range, as PyTorch does here.
    places = op.Add(places, op.Gather(op.Expand(integer(0), flat(size)), places, axis=0))
    spread = spread_along(self, dim, places, source)
    return _Places(typed=self, dim=dim, places=spread).reduced(self, source, reduce, include_self)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Places along a dimension, and a value that has the element type."""

    typed: Value
    dim: int
    places: Value

    def reduced(self, x: Value, source: Value, reduce: str, include_self: bool) -> Value:
        """Return ``x`` with what comes to each place brought together with what is there."""
        if not include_self:
            x = self._scattered(x, self._everywhere(self._neutral(reduce)), "none")
        if reduce in ("amax", "amin") and is_float(self.typed):
            return self._extreme(x, source, reduce)
        found = self._scattered(x, source, _KINDS[reduce])
        if reduce != "mean":
            return found
        base = op.Expand(self._constant(1 if include_self else 0), op.Shape(x))
        count = self._scattered(base, self._everywhere(1), "add")
        count = op.Max(count, self._constant(1))
        return op.Div(found, count) if is_float(self.typed) else _floor_divided(found, count)

    def _extreme(self, x: Value, source: Value, reduce: str) -> Value:
        """Return the best of each place, or NaN where there is one."""
        neutral = self._constant(self._neutral(reduce))
        kept, coming = (op.Where(op.IsNaN(part), neutral, part) for part in (x, source))
        found = self._scattered(kept, coming, _KINDS[reduce])
        marked, marks = (op.Cast(op.IsNaN(part), to=ir.DataType.FLOAT) for part in (x, source))
        is_nan = op.Cast(self._scattered(marked, marks, "add"), to=ir.DataType.BOOL)
        return op.Where(is_nan, self._constant(float("nan")), found)

    def _scattered(self, x: Value, source: Value, reduction: str) -> Value:
        return op.ScatterElements(x, self.places, source, axis=self.dim, reduction=reduction)

    def _everywhere(self, value: float) -> Value:
        return op.Expand(self._constant(value), op.Shape(self.places))

    def _neutral(self, reduce: str) -> float:
        """Return what changes nothing."""
        if reduce in ("sum", "mean", "prod"):
            return 1 if reduce == "prod" else 0
        if is_float(self.typed):
            return -np.inf if reduce == "amax" else np.inf
        bounds = np.iinfo(self._kind())
        return int(bounds.min if reduce == "amax" else bounds.max)

    def _constant(self, value: float) -> Value:
        kind = FLOATS[self.typed.dtype] if is_float(self.typed) else self._kind()
        return op.Constant(value=ir.tensor(np.array(value, dtype=kind)))

    def _kind(self) -> type[np.signedinteger[Any]]:
        if self.typed.dtype not in _INTEGERS:
            raise NotImplementedError(f"scattering elements of type {self.typed.dtype}")
        return _INTEGERS[self.typed.dtype]


def _floor_divided(x: Value, count: Value) -> Value:
    """Divide integers by positive ones, downwards."""
    return op.Div(op.Sub(x, op.Mod(x, count)), count)
