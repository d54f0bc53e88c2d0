"""Watches in the graph itself for what OpenVINO would pass over in silence.

A guard is one more output of the graph, a boolean that is true where something is wrong: an
index out of range or a sequence of no steps, where PyTorch raises; a NaN that comes up from finite
numbers, which OpenVINO hides in later operators; a row of minus infinities; a size beyond what
integers are exact for. The loader raises then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto
from onnx.helper import make_node, make_tensor_value_info

from dycl.backends.openvino.vetting import RECURRENT, every_constant

_BORN_NAN = frozenset(["Div", "Log", "Sqrt", "Pow", "Reciprocal", "Asin", "Acos"])
"""They may give NaN for finite numbers."""

_INDEXING = frozenset(["Gather", "GatherElements", "ScatterElements", "GatherND", "ScatterND"])


_LOWEST = np.array(-3e38, np.float32)
"""OpenVINO takes the lowest finite number for the maximum of a row of minus infinities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What must be watched besides the operators themselves."""

    rows: tuple[tuple[str, int], ...]
    """Values, and the axis along which they must not be minus infinity everywhere."""
    sized: tuple[str, ...]
    """Values of which no size may be larger than ``largest``."""
    largest: int
    uncertain: tuple[str, ...]
    """Flags, true where results are not certain."""


@dataclass(slots=True, kw_only=True)
class _Guarding:
    """One graph with its additions, as far as it is written."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    operands: int = 0
    """How many nodes come before the one that is looked at."""
    constants: list[onnx.TensorProto] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def constant(self, array: np.ndarray) -> str:
        name = f"guard_c{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"guard_t{len(self.nodes)}"
        self.nodes.append(make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def raise_where(self, flags: str, error: str) -> None:
        """Make the guard: true where any of ``flags`` is."""
        as_number = self.node("Cast", flags, to=TensorProto.INT32)
        flat = self.node("Reshape", as_number, self.constant(np.array([-1], np.int64)))
        # With a zero in it, so that the largest of no flags is 0.
        zero = self.constant(np.array([0], np.int32))
        joined = self.node("Concat", flat, zero, axis=0)
        largest = self.node("ReduceMax", joined, keepdims=0)
        output = f"guard_{len(self.errors)}"
        self.nodes.append(make_node("Cast", [largest], [output], name=output, to=TensorProto.BOOL))
        self.errors.append(error)


def add_guards(
    model: onnx.ModelProto,
    types: dict[str, int],
    shapes: dict[str, list[int | str]],
    watched: Watched,
) -> list[str]:
    """Add guards to a graph; return the name of the error that each stands for, in order."""
    graph = model.graph
    known = dict(every_constant(graph))
    guarding = _Guarding()
    for node in [*graph.node]:
        if node.op_type in RECURRENT:
            _watch_steps(node, guarding)
        elif not _needs_guard(node, known):
            pass
        elif node.op_type in _INDEXING:
            _watch_index(node, types, shapes, guarding)
        else:
            guarding.raise_where(guarding.node("IsNaN", node.output[0]), "FloatingPointError")
        # What is asked of a node's operands comes before it, what is asked of its results after.
        guarding.nodes.insert(guarding.operands, node)
        guarding.operands = len(guarding.nodes)
    _watch(watched, guarding)
    del graph.node[:]
    graph.node.extend(guarding.nodes)
    graph.initializer.extend(guarding.constants)
    for number in range(len(guarding.errors)):
        graph.output.append(make_tensor_value_info(f"guard_{number}", TensorProto.BOOL, []))
    return guarding.errors


def _watch_steps(node: onnx.NodeProto, guarding: _Guarding) -> None:
    """Watch a recurrent layer: states without bound, and no steps, of which it gives anything."""
    # What a step of ReLU has made infinite, the next may hide; others are bounded.
    if any(b"Relu" in a.strings for a in node.attribute):
        node.output[0] = node.output[0] or f"{node.name}_outputs"
        guarding.raise_where(guarding.node("IsInf", node.output[0]), "FloatingPointError")
        guarding.raise_where(guarding.node("IsNaN", node.output[0]), "FloatingPointError")
    steps = guarding.node("Shape", node.input[0], start=0, end=1)
    none = guarding.node("Equal", steps, guarding.constant(np.array([0], np.int64)))
    guarding.raise_where(none, "RuntimeError")


def _watch(watched: Watched, guarding: _Guarding) -> None:
    for name, axis in watched.rows:
        largest = guarding.node(
            "ReduceMax", name, guarding.constant(np.array([axis], np.int64)), keepdims=1
        )
        flags = guarding.node("LessOrEqual", largest, guarding.constant(_LOWEST))
        # Of an empty row there is no maximum, and nothing to complain about.
        size = guarding.node(
            "Gather", guarding.node("Shape", name), guarding.constant(np.array(axis))
        )
        filled = guarding.node("Greater", size, guarding.constant(np.array(0)))
        guarding.raise_where(guarding.node("And", flags, filled), "FloatingPointError")
    for flags in watched.uncertain:
        guarding.raise_where(flags, "FloatingPointError")
    if watched.sized:
        sizes = [guarding.node("Shape", name) for name in watched.sized]
        joined = guarding.node("Concat", *sizes, axis=0)
        most = guarding.constant(np.array(watched.largest, np.int64))
        guarding.raise_where(guarding.node("Greater", joined, most), "OverflowError")


def _needs_guard(node: onnx.NodeProto, known: Mapping[str, np.ndarray]) -> bool:
    if node.op_type in _INDEXING:
        return node.input[1] not in known
    return node.op_type in _BORN_NAN and not _stays_finite(node, known)


def _stays_finite(node: onnx.NodeProto, known: Mapping[str, np.ndarray]) -> bool:
    """Return whether finite numbers cannot give NaN: constants say so."""
    constant = known.get(node.input[1]) if len(node.input) > 1 else None
    if constant is None:
        return False
    if node.op_type == "Div":
        return bool((constant != 0).all())
    return bool(node.op_type == "Pow" and (constant == np.floor(constant)).all())


def _watch_index(
    node: onnx.NodeProto,
    types: dict[str, int],
    shapes: dict[str, list[int | str]],
    guarding: _Guarding,
) -> None:
    """Watch an index; one out of range never reaches ``GatherND``, which reads where it points."""
    flags = [*_out_of_range(node, types, shapes, guarding)]
    for each in flags:
        guarding.raise_where(each, "IndexError")
    if node.op_type == "GatherND":
        kind = onnx.helper.tensor_dtype_to_np_dtype(types[node.input[1]])
        first = guarding.constant(np.array(0, kind))
        outside = guarding.node("Or", *flags)
        node.input[1] = guarding.node("Where", outside, first, node.input[1])
        guarding.operands = len(guarding.nodes)


def _out_of_range(
    node: onnx.NodeProto,
    types: dict[str, int],
    shapes: dict[str, list[int | str]],
    guarding: _Guarding,
) -> Iterator[str]:
    data, index = shapes[node.input[0]], node.input[1]
    if types[index] != TensorProto.INT64:
        index = guarding.node("Cast", index, to=TensorProto.INT64)
    if node.op_type.endswith("ND"):
        batch = next((a.i for a in node.attribute if a.name == "batch_dims"), 0)
        width = shapes[node.input[1]][-1]
        assert isinstance(width, int)
        first, last = batch, batch + width
    else:
        axis = next((a.i for a in node.attribute if a.name == "axis"), 0) % len(data)
        first, last = axis, axis + 1
    size = guarding.node("Shape", node.input[0], start=first, end=last)
    yield guarding.node("GreaterOrEqual", index, size)
    yield guarding.node("Less", index, guarding.node("Neg", size))
