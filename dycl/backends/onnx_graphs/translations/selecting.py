"""Elements that stand at a place of the order of their size.

Which of equal elements it is PyTorch leaves open: ``places.py`` refuses programs that ask.
"""

from math import prod

from dycl.backends.onnx_graphs.translations.extremes import topk
from dycl.backends.onnx_graphs.translations.values import (
    Value,
    axes,
    flat,
    integer,
    is_float,
    number,
    op,
)


def kthvalue(self: Value, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``kthvalue``."""
    if len(self.shape) == 0:
        return op.Identity(self), integer(0)
    values, places = topk(self, k, dim, largest=False)
    return _taken(values, k - 1, dim, keepdim), _taken(places, k - 1, dim, keepdim)


def median_dim(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Translate ``median.dim``."""
    if len(self.shape) == 0:
        return op.Identity(self), integer(0)
    return _median(self, self, self.shape[dim], dim, keepdim)


def median_all(self: Value) -> Value:
    """Translate ``median``."""
    if len(self.shape) == 0:
        return op.Identity(self)
    sizes = [size if isinstance(size, int) else 0 for size in self.shape]
    return _median(self, flat(self), prod(sizes), 0, False)[0]


def _median(typed: Value, x: Value, count: object, dim: int, keepdim: bool) -> tuple[Value, Value]:
    """Return the lower one of two in the middle, or NaN where there is one."""
    if not isinstance(count, int) or count == 0:
        raise NotImplementedError("the median of a number of elements known only at run time")
    nothing = number(typed, 0.0) if is_float(typed) else None
    keys = x if nothing is None else op.Where(op.IsNaN(x), nothing, x)
    middle = (count - 1) // 2
    values, places = op.TopK(keys, axes(middle + 1), axis=dim, largest=False, sorted=True)
    found = _taken(values, middle, dim, keepdim)
    if nothing is not None:
        only_nan = op.Where(op.IsNaN(x), x, nothing)
        found = op.Add(found, op.ReduceSum(only_nan, axes(dim), keepdims=keepdim))
    return found, _taken(places, middle, dim, keepdim)


def _taken(x: Value, place: int, dim: int, keepdim: bool) -> Value:
    return op.Gather(x, axes(place) if keepdim else integer(place), axis=dim)
