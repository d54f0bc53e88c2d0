"""Writes out results that never have any elements.

An empty tensor needs no computing, and OpenVINO must not try: where an operand is broadcast to no
elements, folding the result into a constant writes beyond memory of no bytes at all.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import onnx

from dycl.backends.openvino.vetting import is_safe_when_empty


def with_empty_results(
    model: onnx.ModelProto, types: Mapping[str, int], shapes: Mapping[str, Sequence[int | str]]
) -> onnx.ModelProto:
    """Return a model in which fillings stand for computed results without elements.

    An operator that only moves values stays: its index may be out of range all the same.
    """
    written = onnx.ModelProto()
    written.CopyFrom(model)
    for graph in _graphs(written.graph):
        for node in graph.node:
            if is_safe_when_empty(node) or len(node.output) != 1:
                continue
            name = node.output[0]
            shape = [size for size in shapes.get(name, ()) if isinstance(size, int)]
            if 0 in shape and len(shape) == len(shapes[name]):
                _replace(graph, node, shape, types[name])
    return written


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _graphs(attribute.g)


def _replace(graph: onnx.GraphProto, node: onnx.NodeProto, shape: Sequence[int], kind: int) -> None:
    """Put a filling in the place of a node: OpenVINO takes an empty constant for a number."""
    sizes = f"{node.output[0]}__sizes"
    graph.initializer.append(onnx.numpy_helper.from_array(np.array(shape, np.int64), sizes))
    zero = onnx.numpy_helper.from_array(np.zeros(1, onnx.helper.tensor_dtype_to_np_dtype(kind)))
    node.CopyFrom(onnx.helper.make_node("ConstantOfShape", [sizes], node.output[:1], value=zero))
