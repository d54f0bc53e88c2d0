"""ONNX graphs while they are being written: nodes in order, graphs in graphs, names given once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

Shape = tuple[int | str | None, ...] | None
"""Sizes as far as they are known; None where not even the rank is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of an ONNX graph: visible in the graph that makes it and in all inside of that."""

    name: str
    element: int
    """A ``TensorProto.DataType``."""
    shape: Shape

    def info(self) -> onnx.ValueInfoProto:
        """Return how it is declared."""
        return helper.make_tensor_value_info(self.name, self.element, self.shape)


@dataclass(slots=True, eq=False)
class GraphWriter:
    """One graph being written, inside of ``parent`` or the outermost."""

    parent: "GraphWriter | None" = None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: dict[object, TensorProto] = field(default_factory=dict)
    """By what they hold."""
    numbers: "count[int]" = field(default_factory=count)
    """Shared by all graphs of a file: every name has a number of its own."""
    made: set[str] = field(default_factory=set)
    """Names of the values that this graph's nodes make."""

    def inner(self) -> "GraphWriter":
        """Return a graph for the inside of a node of this one."""
        return GraphWriter(parent=self, numbers=self.numbers)

    @property
    def outermost(self) -> "GraphWriter":
        """Return the graph of the file."""
        return self if self.parent is None else self.parent.outermost

    def name(self, hint: str) -> str:
        """Return a name that nothing else in the file has."""
        return f"{hint}.{next(self.numbers)}"

    def add(
        self, operator: str, *inputs: Value, element: int, shape: Shape = (), **attributes: Any
    ) -> Value:
        """Add a node with one result."""
        result = Value(name=self.name(operator.lower()), element=element, shape=shape)
        self.add_node(operator, inputs, (result,), **attributes)
        return result

    def add_node(
        self, operator: str, inputs: Sequence[Value | None], outputs: Sequence[Value], **more: Any
    ) -> None:
        """Add a node that makes ``outputs``."""
        names = ["" if value is None else value.name for value in inputs]
        results = [value.name for value in outputs]
        self.nodes.append(helper.make_node(operator, names, results, self.name(operator), **more))
        self.made.update(results)

    def constant(self, content: Any, dtype: Any) -> Value:
        """Return a small constant: an initializer of the outermost graph."""
        array = np.asarray(content, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        held = self.outermost.initializers
        if key not in held:
            held[key] = onnx.numpy_helper.from_array(array, self.name("constant"))
        return Value(name=held[key].name, element=held[key].data_type, shape=array.shape)

    def identity(self, value: Value) -> Value:
        """Return the same value under a name that is made here."""
        return self.add("Identity", value, element=value.element, shape=value.shape)

    def zeros(self, element: int, shape: Shape) -> Value:
        """Return a tensor whose content is never looked at; sizes that are not known are 0."""
        sizes = [size if isinstance(size, int) else 0 for size in shape or ()]
        content = helper.make_tensor("value", element, [1], [0])
        size = self.constant(sizes, np.int64)
        return self.add("ConstantOfShape", size, element=element, shape=shape, value=content)

    def graph(
        self, name: str, inputs: Sequence[Value], outputs: Sequence[Value], shapes: Sequence[Shape]
    ) -> onnx.GraphProto:
        """Return the finished graph of a node; only the order of its outputs means something."""
        declared: list[Value] = []
        for output, shape in zip(outputs, shapes, strict=True):
            # an output must be made here, and have a name of its own
            is_free = output.name in self.made and all(output.name != d.name for d in declared)
            own = output if is_free else self.identity(output)
            declared.append(Value(name=own.name, element=own.element, shape=shape))
        return self._finished(name, inputs, declared)

    def file(
        self, name: str, inputs: Sequence[Value], outputs: Sequence[tuple[Value, Value]]
    ) -> onnx.GraphProto:
        """Return the outermost graph: each output's value, and how it is declared."""
        renamed: dict[str, str] = {}
        for value, declared in outputs:
            if value.name in self.made and value.name not in renamed:
                renamed[value.name] = declared.name
            else:  # an argument, a constant, or what another output is
                self.add_node("Identity", (value,), (declared,))
        _rename(self.nodes, renamed)
        return self._finished(name, inputs, [declared for _, declared in outputs])

    def _finished(
        self, name: str, inputs: Sequence[Value], outputs: Sequence[Value]
    ) -> onnx.GraphProto:
        read = set(_reads(self.nodes))
        return helper.make_graph(
            self.nodes,
            name,
            [value.info() for value in inputs],
            [value.info() for value in outputs],
            [tensor for tensor in self.initializers.values() if tensor.name in read],
        )


def _rename(nodes: Iterable[onnx.NodeProto], names: Mapping[str, str]) -> None:
    """Rename values, in place: also where graphs inside of nodes read them."""
    for node in nodes:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _rename(attribute.g.node, names)


def _reads(nodes: Iterable[onnx.NodeProto]) -> Iterator[str]:
    """Yield what nodes read, and what graphs inside of them read."""
    for node in nodes:
        yield from node.input
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _reads(attribute.g.node)
                yield from (value.name for value in attribute.g.output)
