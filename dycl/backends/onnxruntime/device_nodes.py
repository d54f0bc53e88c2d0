"""What is known of tensors in a graph, and nodes that are put beside those that it has."""

import math
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

Content: TypeAlias = NDArray[Any]


class Tensors:
    """Types, sizes and content of the tensors of a graph whose shapes were inferred."""

    def __init__(self, graph: onnx.GraphProto, around: "Tensors | None" = None) -> None:
        """Look at inputs, results and all that is between.

        ``around`` is what is known around a graph that stands in a node.
        """
        self._around = around
        self._values = {v.name: v for v in (*graph.input, *graph.value_info, *graph.output)}
        self._constants = {each.name: each for each in graph.initializer}
        self._makers = {name: node for node in graph.node for name in node.output if name}

    def kind(self, name: str) -> int | None:
        """Return the element type, None where nobody knows."""
        if name in self._constants:
            return int(self._constants[name].data_type)
        if name in self._values:
            return int(self._values[name].type.tensor_type.elem_type) or None
        return None if self._around is None else self._around.kind(name)

    def maker(self, name: str) -> onnx.NodeProto | None:
        """Return the node that makes it here, None where none does."""
        return self._makers.get(name)

    def shape(self, name: str) -> tuple[int | None, ...] | None:
        """Return the sizes, None for each that is known at run time only."""
        if name in self._constants:
            return tuple(self._constants[name].dims)
        value = self._values.get(name)
        if value is None and self._around is not None:
            return self._around.shape(name)
        if value is None or not value.type.tensor_type.HasField("shape"):
            return None
        sizes = value.type.tensor_type.shape.dim
        return tuple(size.dim_value if size.HasField("dim_value") else None for size in sizes)

    def count(self, name: str) -> int | None:
        """Return how many elements there are, None where that is known at run time only."""
        sizes = self.shape(name)
        if sizes is None or None in sizes:
            return None
        return math.prod(size for size in sizes if size is not None)

    def constant(self, name: str) -> Content | None:
        """Return the content of a small constant, None where it is none."""
        tensor = self._constants.get(name)
        maker = self._makers.get(name)
        if tensor is None and maker is not None and maker.op_type == "Constant":
            tensor = onnx.helper.get_attribute_value(maker.attribute[0])
        if tensor is None and name not in self._values and self._around is not None:
            return self._around.constant(name)
        if not isinstance(tensor, TensorProto) or tensor.external_data:
            return None
        content: Content = onnx.numpy_helper.to_array(tensor)
        return content


class Nodes:
    """Nodes that are made one after the other, with names of their own."""

    def __init__(self, prefix: str) -> None:
        """``prefix`` begins all names."""
        self.made: list[onnx.NodeProto] = []
        self._prefix = prefix
        self._numbers = count()

    def add(self, operator: str, *inputs: str, name: str | None = None, **options: Any) -> str:
        """Add a node; return the name of its result."""
        result = name or f"{self._prefix}_{next(self._numbers)}"
        self.made.append(onnx.helper.make_node(operator, inputs, [result], result, **options))
        return result

    def constant(self, content: Content) -> str:
        """Add a constant."""
        return self.add("Constant", value=onnx.numpy_helper.from_array(content))

    def any(self, truths: str) -> str:
        """Return whether any of them is true, of which there may be none."""
        one = np.array([-1], np.int64)
        row = self.add("Reshape", truths, self.constant(one))
        numbers = self.add("Cast", row, to=TensorProto.INT32)
        zero = self.constant(np.zeros(1, np.int32))
        padded = self.add("Concat", numbers, zero, axis=0)  # sums of nothing fail on the device
        total = self.add("ReduceMax", padded, keepdims=0)
        return self.add("Cast", total, to=TensorProto.BOOL)
