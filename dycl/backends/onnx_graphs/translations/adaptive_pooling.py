"""Pooling over windows that a number of results asks for, which need not be of one size.

A window is a product of intervals, so one dimension is pooled after the other.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.extremes import keys_of
from dycl.backends.onnx_graphs.translations.values import Value, axes, is_float, number, op


def _pooled(
    reducer: Callable[..., Value], x: Value, sizes: Sequence[int], wanted: Sequence[int]
) -> Value:
    """Pool the last dimensions, which are of ``sizes``, each to as many results as wanted."""
    for place, (size, count) in enumerate(zip(sizes, wanted, strict=True)):
        dim = place - len(sizes)
        windows = _windows((x,), size, count, dim)
        x = op.Concat(*(reducer(w, axes(dim), keepdims=True) for (w,) in windows), axis=dim)
    return x


def _windows(
    values: Sequence[Value], size: int, count: int, dim: int
) -> Iterator[tuple[Value, ...]]:
    """Yield what tensors of one shape have of each window along a dimension."""
    for i in range(count):
        ends = axes(i * size // count), axes(-(-(i + 1) * size // count)), axes(dim)
        yield tuple(op.Slice(value, *ends) for value in values)


def _sizes(x: Value, rank: int) -> list[int]:
    known = [size for size in x.shape[-rank:] if isinstance(size, int)]
    if len(known) < rank:
        raise NotImplementedError("adaptive pooling where a size is known only at run time")
    return known


def _max_pool(x: Value, wanted: Sequence[int], rank: int) -> tuple[Value, Value]:
    """Return the largest elements, and where in its flattened image each one lies."""
    sizes = _sizes(x, rank)
    found = _pooled(op.ReduceMax, x, sizes, wanted)
    if is_float(x):
        only_nan = op.Where(op.IsNaN(x), x, number(x, 0.0))
        found = op.Add(found, _pooled(op.ReduceSum, only_nan, sizes, wanted))
    return found, _places(x, sizes, wanted)


def _places(x: Value, sizes: Sequence[int], wanted: Sequence[int]) -> Value:
    """Return the place of the first largest element of each window, or of its last NaN.

    The last dimension is looked through first: so is the first of rows with equal elements found.
    """
    keys = keys_of(x, math.inf)  # which only NaN has
    order = np.arange(math.prod(sizes)).reshape(sizes)
    places = op.Expand(op.Constant(value=ir.tensor(order)), op.Shape(x))
    for dim in range(-1, -len(sizes) - 1, -1):
        windows = _windows((keys, places), sizes[dim], wanted[dim], dim)
        found = [_largest(some, their, dim) for some, their in windows]
        keys, places = (op.Concat(*parts, axis=dim) for parts in zip(*found, strict=True))
    return places


def _largest(keys: Value, places: Value, dim: int) -> tuple[Value, Value]:
    """Return the largest key along a dimension, which stays, and its place."""
    first, last = (
        op.ArgMax(keys, axis=dim, keepdims=1, select_last_index=is_last) for is_last in (0, 1)
    )
    is_nan = op.IsInf(op.ReduceMax(keys, axes(dim), keepdims=1), detect_negative=0)
    chosen = op.Where(is_nan, last, first)
    return op.GatherElements(keys, chosen, axis=dim), op.GatherElements(places, chosen, axis=dim)


def adaptive_max_pool2d(self: Value, output_size: Sequence[int]) -> tuple[Value, Value]:
    """Translate ``adaptive_max_pool2d``."""
    return _max_pool(self, output_size, 2)


def adaptive_max_pool3d(self: Value, output_size: Sequence[int]) -> tuple[Value, Value]:
    """Translate ``adaptive_max_pool3d``."""
    return _max_pool(self, output_size, 3)


def adaptive_avg_pool3d(self: Value, output_size: Sequence[int]) -> Value:
    """Translate ``_adaptive_avg_pool3d``."""
    return _pooled(op.ReduceMean, self, _sizes(self, 3), output_size)
