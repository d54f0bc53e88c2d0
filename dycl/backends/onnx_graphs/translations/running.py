"""What comes of all elements up to each one, where their number is known only at run time.

Each element is brought together with what is so many places before it, then twice as many: that
is right for what may be put in brackets anyhow.
"""

from collections.abc import Callable, Sequence

from dycl.backends.onnx_graphs.translations.values import Value, axes, op

_MOST_DOUBLINGS = 31
"""So many doublings reach the first element of any row that fits into memory."""
_END = 2**62

Parts = Sequence[Value]
Combine = Callable[[Parts, Parts], Parts]


def running(parts: Parts, dim: int, combine: Combine) -> Parts:
    """Return for each element what ``combine`` makes of those before it and itself, in order."""
    for doubling in range(_MOST_DOUBLINGS):
        distance = 2**doubling
        earlier = [_between(part, 0, -distance, dim) for part in parts]
        later = [_between(part, distance, _END, dim) for part in parts]
        together = combine(earlier, later)
        first = [_between(part, 0, distance, dim) for part in parts]
        pairs = zip(first, together, strict=True)
        parts = [op.Concat(begin, rest, axis=dim) for begin, rest in pairs]
    return parts


def _between(x: Value, start: int, end: int, dim: int) -> Value:
    return op.Slice(x, axes(start), axes(end), axes(dim))
