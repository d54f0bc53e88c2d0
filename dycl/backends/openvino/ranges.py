"""How large integers of a graph can get, given how large its inputs are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx.helper import get_attribute_value

Interval = tuple[int, int]
_MOST = 2**63
"""What 64 bits take."""

_Rule = Callable[["Ranges", onnx.NodeProto], Interval | None]


@dataclass(slots=True, kw_only=True)
class Ranges:
    """Intervals of the integers in a graph; None for what no rule tells."""

    limit: int
    """Integers of the inputs are no larger than this, and neither are sizes."""
    types: Mapping[str, int]
    shapes: Mapping[str, Sequence[int | str]]
    constants: Mapping[str, np.ndarray]
    found: dict[str, Interval | None] = field(default_factory=dict)
    relied: dict[str, None] = field(default_factory=dict)
    """Tensors of which some size was taken to be no larger than ``limit``."""

    def of(self, node: onnx.NodeProto, number: int) -> Interval | None:
        """Return the interval of an operand."""
        return self.named(node.input[number])

    def named(self, name: str) -> Interval | None:
        """Return the interval of a value."""
        if name in self.constants:
            return _of_array(self.constants[name])
        return self.found.get(name)

    def largest_size(self, name: str, dims: Sequence[int] | None = None) -> int:
        """Return what no size of a tensor exceeds, among ``dims`` or all of them."""
        return max(self.sizes(name, dims), default=1)

    def sizes(self, name: str, dims: Sequence[int] | None = None) -> list[int]:
        """Return what each size of a tensor does not exceed."""
        shape = self.shapes[name]
        chosen = list(shape) if dims is None else [shape[dim] for dim in dims]
        if any(not isinstance(size, int) for size in chosen):
            self.relied[name] = None
        return [size if isinstance(size, int) else self.limit for size in chosen]

    def run(self, graph: onnx.GraphProto) -> None:
        """Find the intervals of what a graph takes, and of what its operators give."""
        for value in graph.input:
            self.found[value.name] = self._of_type(self.types[value.name])
        for node in graph.node:
            self._run_node(node)

    def _of_type(self, kind: int) -> Interval | None:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
        if dtype.kind not in "iu":
            return None
        bounds = np.iinfo(dtype)
        return max(-self.limit, int(bounds.min)), min(self.limit, int(bounds.max))

    def _run_node(self, node: onnx.NodeProto) -> None:
        rule = _RULES.get(node.op_type)
        try:
            interval = None if rule is None else rule(self, node)
        except (KeyError, IndexError):  # a shape or an operand that is not known
            interval = None
        for name in node.output:
            self.found[name] = interval
        if node.op_type == "TopK":
            self.found[node.output[1]] = _index(self, node)


def _of_array(values: np.ndarray) -> Interval | None:
    if values.dtype.kind not in "iub" or values.size == 0:
        return (0, 0) if values.size == 0 else None
    return int(values.min()), int(values.max())


def union(intervals: Sequence[Interval | None]) -> Interval | None:
    """Return the smallest interval around others; None where one is not known."""
    known = [interval for interval in intervals if interval is not None]
    if not known or len(known) < len(intervals):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _first(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return ranges.of(node, 0)


def _all(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return union([ranges.of(node, number) for number, name in enumerate(node.input) if name])


def _with_zero(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return union([ranges.of(node, 0), (0, 0)])


def _padded(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    fill = ranges.of(node, 2) if len(node.input) > 2 and node.input[2] else (0, 0)
    return union([ranges.of(node, 0), fill])


def _chosen(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return union([ranges.of(node, 1), ranges.of(node, 2)])


def _scattered(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    if _attribute(node, "reduction", b"none") not in (b"none", b"max", b"min"):
        return None
    return union([ranges.of(node, 0), ranges.of(node, 2)])


def _third(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return ranges.of(node, 2)


def _filled(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    value = _attribute(node, "value", None)
    return None if value is None else _of_array(onnx.numpy_helper.to_array(value))


def _shape(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    name = node.input[0]
    dims = range(len(ranges.shapes[name]))
    start, end = _attribute(node, "start", 0), _attribute(node, "end", len(dims))
    sizes = ranges.sizes(name, dims[start:end])
    low = 0 if name in ranges.relied else min(sizes, default=0)
    return low, max(sizes, default=0)


def _size(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return 0, prod(ranges.sizes(node.input[0]))


def _index(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return 0, ranges.largest_size(node.input[0])


def _walked(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return union([ranges.of(node, 0), ranges.of(node, 1)])


def _from_cast(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    from_truth = ranges.types[node.input[0]] == onnx.TensorProto.BOOL
    return (0, 1) if from_truth else ranges.of(node, 0)


def _arithmetic(combine: Callable[[int, int], int]) -> _Rule:
    def rule(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
        left, right = ranges.of(node, 0), ranges.of(node, 1)
        if left is None or right is None:
            return None
        corners = [combine(a, b) for a in left for b in right]
        is_lost = max(map(abs, corners)) > _MOST  # it wraps, and squares of squares grow forever
        return None if is_lost else (min(corners), max(corners))

    return rule


def _quotient(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    left, right = ranges.of(node, 0), ranges.of(node, 1)
    if left is None or right is None or right[0] <= 0 <= right[1]:
        return None
    least_divisor = min(map(abs, right))
    most = -(-max(map(abs, left)) // least_divisor)  # rounded away from zero: whichever way it is
    return (0 if left[0] >= 0 and right[0] > 0 else -most), most


def _remainder(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    right = ranges.of(node, 1)
    if right is None or right[0] <= 0 <= right[1] or _attribute(node, "fmod", 0):
        return None
    return min(0, right[0] + 1), max(0, right[1] - 1)


def _clipped(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    found = ranges.of(node, 0)
    for place, choose in ((1, max), (2, min)):
        if found is not None and len(node.input) > place and node.input[place]:
            found = _each(choose, found, ranges.of(node, place))
    return found


def _extreme(choose: Callable[[int, int], int]) -> _Rule:
    def rule(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
        found = ranges.of(node, 0)
        for place in range(1, len(node.input)):
            found = None if found is None else _each(choose, found, ranges.of(node, place))
        return found

    return rule


def _each(
    choose: Callable[[int, int], int], left: Interval, right: Interval | None
) -> Interval | None:
    return None if right is None else (choose(left[0], right[0]), choose(left[1], right[1]))


def _negated(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    found = ranges.of(node, 0)
    return None if found is None else (-found[1], -found[0])


def _absolute(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    found = ranges.of(node, 0)
    return None if found is None else (0, max(map(abs, found)))


def _sign(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    return -1, 1


def _summed(ranges: Ranges, node: onnx.NodeProto) -> Interval | None:
    found = ranges.of(node, 0)
    axes = ranges.constants[node.input[1]] if len(node.input) > 1 and node.input[1] else None
    dims = None if axes is None or axes.size == 0 else [int(axis) for axis in axes.reshape(-1)]
    count = prod(ranges.sizes(node.input[0], dims))
    return None if found is None else (min(0, found[0] * count), max(0, found[1] * count))


def _attribute(node: onnx.NodeProto, name: str, default: Any) -> Any:
    return next((get_attribute_value(a) for a in node.attribute if a.name == name), default)


def _rules() -> Iterator[tuple[str, _Rule]]:
    groups: tuple[tuple[str, _Rule], ...] = (
        ("Identity Reshape Transpose Squeeze Unsqueeze Flatten Split Slice Expand Tile", _first),
        ("Gather GatherElements GatherND DepthToSpace SpaceToDepth", _first),
        ("ReduceMax ReduceMin TopK", _first),
        ("Cast", _from_cast),
        ("Concat", _all),
        ("Max", _extreme(max)),
        ("Min", _extreme(min)),
        ("Clip", _clipped),
        ("Trilu", _with_zero),
        ("Pad", _padded),
        ("Where", _chosen),
        ("ScatterND ScatterElements", _scattered),
        ("OneHot", _third),
        ("Constant ConstantOfShape", _filled),
        ("Shape", _shape),
        ("Size", _size),
        ("NonZero ArgMax ArgMin", _index),
        ("Range", _walked),
        ("Add", _arithmetic(lambda a, b: a + b)),
        ("Sub", _arithmetic(lambda a, b: a - b)),
        ("Mul", _arithmetic(lambda a, b: a * b)),
        ("Div", _quotient),
        ("Mod", _remainder),
        ("Neg", _negated),
        ("Abs", _absolute),
        ("Sign", _sign),
        ("ReduceSum CumSum", _summed),
    )
    for names, rule in groups:
        yield from ((name, rule) for name in names.split())


_RULES: Mapping[str, _Rule] = dict(_rules())
