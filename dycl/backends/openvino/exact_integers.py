"""Integers in OpenVINO: exact while they are small, so how small they must be is found out.

OpenVINO keeps 64-bit integers in 32 bits, and compares, divides and sums them in single precision:
up to 2**24 all of that is exact. So what integers are computed from and compared with must be
smaller than that, given a limit for the integers that come in. The loader raises where an input
exceeds the limit. Integers that are only moved may have 31 bits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from dycl.backends.openvino.ranges import Interval, Ranges
from dycl.backends.openvino.vetting import (
    INTEGERS,
    NotTaken,
    every_constant,
    every_node,
    only_moves,
    type_name,
)

MOVED = 2**31 - 1
"""The largest integer that it keeps."""

_EXACT = 2**24
"""Up to here a number in single precision may be any integer."""

_LIMITS = (MOVED, 2**24 - 1, 2**23, 2**20, 2**16, 2**12)
"""For the integers of inputs, largest first. Smaller ones would be too small for many uses."""

_ENDS = (2**63 - 1, -(2**63))
"""Slices run to the largest integer there is: it may be any large one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Up to where integers of inputs, and sizes, may go."""

    largest: int
    relied: tuple[str, ...]
    """Tensors whose sizes must not be larger than that."""


def find_limit(
    model: onnx.ModelProto,
    types: Mapping[str, int],
    shapes: Mapping[str, Sequence[int | str]],
) -> Limit:
    """Return the largest limit with which everything is exact; raise ``NotTaken`` without one."""
    graph = model.graph
    constants = dict(every_constant(graph))
    complaint: NotTaken | None = None
    for largest in _LIMITS:
        ranges = Ranges(limit=largest, types=types, shapes=shapes, constants=constants)
        ranges.run(graph)
        complaint = _first_complaint(graph, ranges)
        if complaint is None:
            # What is only moved needs sizes of which none is too large for 31 bits anyway.
            return Limit(largest=largest, relied=tuple(ranges.relied) if largest < MOVED else ())
    assert complaint is not None
    raise complaint


def require_small(values: Iterable[np.ndarray], largest: int) -> None:
    """Raise ``NotTaken`` where a weight has an integer beyond a limit."""
    for array in values:
        if array.dtype.kind in "iu" and array.size and int(np.abs(array).max()) > largest:
            raise NotTaken(f"a weight has an integer beyond {largest}, up to which it is exact")


def _first_complaint(graph: onnx.GraphProto, ranges: Ranges) -> NotTaken | None:
    return next(_complaints(graph, ranges), None)


def _complaints(graph: onnx.GraphProto, ranges: Ranges) -> Iterator[NotTaken]:
    for name, values in ranges.constants.items():
        if values.dtype.kind in "iu" and not _fits(values):
            yield NotTaken(f"the integer constant {name} has more than 32 bits")
    for node in every_node(graph):
        moves = only_moves(node)
        given = () if moves else _integers(node.input, ranges.types)
        for name in (*given, *_integers(node.output, ranges.types)):
            kind = ranges.types[name]
            reason = _reason(ranges.named(name), kind, moves)
            if reason is not None:
                yield NotTaken(f"{node.op_type} of {type_name(kind)}: {reason}")


def _integers(names: Iterable[str], types: Mapping[str, int]) -> list[str]:
    return [name for name in names if types.get(name) in INTEGERS]


def _reason(interval: Interval | None, kind: int, moves: bool) -> str | None:
    if interval is None:
        return "nothing says how large it gets, and it is exact up to 2**24 only"
    low, high = interval
    bounds = np.iinfo(onnx.helper.tensor_dtype_to_np_dtype(kind))
    if low < bounds.min or high > bounds.max:
        return "it may need more bits than the type has, and would not wrap around"
    most = MOVED if moves else _EXACT
    if max(abs(low), abs(high)) > most and not (moves and high in _ENDS):
        return "it may get larger than 2**24, up to which it is exact"
    return None


def _fits(values: np.ndarray) -> bool:
    wide = values.astype(np.int64)
    return bool((np.isin(wide, _ENDS) | (np.abs(wide.clip(-(2**62))) <= MOVED)).all())
