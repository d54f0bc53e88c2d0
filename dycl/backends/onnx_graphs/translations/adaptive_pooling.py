"""Pooling over windows that a number of results asks for, which need not be of one size.

A window is a product of intervals, so one dimension is pooled after the other.
"""

from collections.abc import Callable, Sequence

from dycl.backends.onnx_graphs.translations.values import Value, axes, is_float, number, op


def _pooled(
    reducer: Callable[..., Value], x: Value, sizes: Sequence[int], wanted: Sequence[int]
) -> Value:
    """Pool the last dimensions, which are of ``sizes``, each to as many results as wanted."""
    for place, (size, count) in enumerate(zip(sizes, wanted, strict=True)):
        dim = place - len(sizes)
        windows = [
            op.Slice(x, axes(i * size // count), axes(-(-(i + 1) * size // count)), axes(dim))
            for i in range(count)
        ]
        x = op.Concat(*(reducer(window, axes(dim), keepdims=True) for window in windows), axis=dim)
    return x


def _sizes(x: Value, rank: int) -> list[int]:
    known = [size for size in x.shape[-rank:] if isinstance(size, int)]
    if len(known) < rank:
        raise NotImplementedError("adaptive pooling where a size is known only at run time")
    return known


def _max_pool(x: Value, wanted: Sequence[int], rank: int) -> tuple[Value, Value]:
    """Return the largest elements, and in the place of their places something that nobody uses."""
    sizes = _sizes(x, rank)
    found = _pooled(op.ReduceMax, x, sizes, wanted)
    if is_float(x):
        only_nan = op.Where(op.IsNaN(x), x, number(x, 0.0))
        found = op.Add(found, _pooled(op.ReduceSum, only_nan, sizes, wanted))
    return found, op.Shape(found)


def adaptive_max_pool2d(self: Value, output_size: Sequence[int]) -> tuple[Value, Value]:
    """Translate ``adaptive_max_pool2d``."""
    return _max_pool(self, output_size, 2)


def adaptive_max_pool3d(self: Value, output_size: Sequence[int]) -> tuple[Value, Value]:
    """Translate ``adaptive_max_pool3d``."""
    return _max_pool(self, output_size, 3)


def adaptive_avg_pool3d(self: Value, output_size: Sequence[int]) -> Value:
    """Translate ``_adaptive_avg_pool3d``."""
    return _pooled(op.ReduceMean, self, _sizes(self, 3), output_size)
