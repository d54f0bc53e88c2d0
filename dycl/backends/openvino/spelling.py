"""Respells what OpenVINO does not take although it is ordinary: empty constants, the best none.

It takes a constant without elements for a scalar, and fails where ``TopK`` is to give nothing.
"""

import numpy as np
import onnx
from onnx.helper import make_node, make_tensor

_LOWEST: dict[int, float | int] = {
    onnx.TensorProto.FLOAT: float(np.finfo(np.float32).min),
    onnx.TensorProto.INT64: -(2**31) + 128,
}
"""What is sorted behind everything else, by element type: whole in float32, as OpenVINO pads."""


def respelled(model: onnx.ModelProto, types: dict[str, int]) -> tuple[onnx.ModelProto, list[str]]:
    """Return a model that OpenVINO takes, and flags that must not be true when it runs."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    _fill_empty_constants(copy.graph)
    flags = _allow_none_of_the_best(copy.graph, types)
    return copy, flags


def _fill_empty_constants(graph: onnx.GraphProto) -> None:
    empty = [tensor for tensor in graph.initializer if 0 in tensor.dims]
    for tensor in empty:
        graph.initializer.remove(tensor)
        shape = onnx.numpy_helper.from_array(
            np.array(tensor.dims, np.int64), f"{tensor.name}_shape"
        )
        graph.initializer.append(shape)
        value = make_tensor("value", tensor.data_type, [1], [0])
        node = make_node("ConstantOfShape", [shape.name], [tensor.name], tensor.name, value=value)
        graph.node.insert(0, node)


def _allow_none_of_the_best(graph: onnx.GraphProto, types: dict[str, int]) -> list[str]:
    """Let ``TopK`` choose one more, of tensors with one more that is behind all others.

    Where that one is not last after all, among others that are as low, a flag is true.
    """
    constants = {tensor.name for tensor in graph.initializer}
    flags: list[str] = []
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        fits = node.op_type == "TopK" and types[node.input[0]] in _LOWEST
        if fits and node.input[1] not in constants:
            nodes += _padded(node, types[node.input[0]], graph)
            flags.append(f"{node.name}_behind")
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    return flags


def _padded(node: onnx.NodeProto, kind: int, graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    name = node.name
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    axis = int(attributes.get("axis", -1))
    last = _LOWEST[kind] if attributes.get("largest", 1) else -_LOWEST[kind]

    def constant(label: str, values: object, dtype: object) -> str:
        array = np.array(values, dtype=dtype)  # type: ignore[call-overload]
        graph.initializer.append(onnx.numpy_helper.from_array(array, f"{name}_{label}"))
        return f"{name}_{label}"

    one, zero = constant("one", [1], np.int64), constant("zero", [0], np.int64)
    along = constant("axis", [axis], np.int64)
    fill = constant("fill", last, onnx.helper.tensor_dtype_to_np_dtype(kind))
    x, k = node.input
    values, indices = node.output
    made = [
        make_node("Pad", [x, constant("ends", [0, 1], np.int64), fill, along], [f"{name}_longer"]),
        make_node("Add", [k, one], [f"{name}_more"]),
    ]
    best = onnx.NodeProto()
    best.CopyFrom(node)
    best.input[:] = [f"{name}_longer", f"{name}_more"]
    best.output[:] = [f"{name}_values", f"{name}_indices"]
    made.append(best)
    for whole, part in zip(best.output, (values, indices), strict=True):
        if part:
            made.append(make_node("Slice", [whole, zero, k, along], [part]))
    chosen = indices or f"{name}_chosen"
    if not indices:
        made.append(make_node("Slice", [best.output[1], zero, k, along], [chosen]))
    made.append(make_node("Shape", [x], [f"{name}_shape"]))
    at = constant("at", [axis], np.int64)
    made.append(make_node("Gather", [f"{name}_shape", at], [f"{name}_size"]))
    made.append(make_node("GreaterOrEqual", [chosen, f"{name}_size"], [f"{name}_behind"]))
    return made
