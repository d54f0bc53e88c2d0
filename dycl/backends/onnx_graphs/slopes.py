"""PReLU as PyTorch computes it at zero, where a slope may be NaN or infinite.

PyTorch multiplies all but the positive numbers; the runtime leaves zero as it is.
"""

from collections.abc import Collection

import onnx
from onnx import NodeProto, helper, numpy_helper

from dycl.capture import CapturedSubDnn

_SHAPED = frozenset({"Reshape", "Unsqueeze", "Squeeze", "Identity", "Expand", "Cast", "CastLike"})
"""Operators whose results are as finite as their first operand."""


def with_exact_slopes(skeleton: onnx.ModelProto, places: Collection[int]) -> onnx.ModelProto:
    """Return a graph with the PReLUs at these places among its nodes written out."""
    made = onnx.ModelProto()
    made.CopyFrom(skeleton)
    nodes = [*made.graph.node]
    del made.graph.node[:]
    for place, node in enumerate(nodes):
        made.graph.node.extend(_written_out(node) if place in places else [node])
    return made


def inexact_slopes(skeleton: onnx.ModelProto, subdnn: CapturedSubDnn) -> tuple[int, ...]:
    """Return the places of those whose slopes a sub-DNN's weights do not show to be finite."""
    graph = skeleton.graph
    if all(node.op_type != "PRelu" for node in graph.node):
        return ()
    slots = list(graph.input)[len(subdnn.inputs) :]
    finite = {
        slot.name
        for slot, weight in zip(slots, subdnn.weights, strict=True)
        if bool(weight.tensor.isfinite().all())
    }
    finite |= {each.name for each in graph.initializer if _is_finite(each)}
    inexact: list[int] = []
    for place, node in enumerate(graph.node):
        if (node.op_type == "Constant" and any(_is_finite(a.t) for a in node.attribute)) or (
            node.op_type in _SHAPED and node.input[0] in finite
        ):
            finite.update(node.output)
        elif node.op_type == "PRelu" and node.input[1] not in finite:
            inexact.append(place)
    return tuple(inexact)


def _is_finite(tensor: onnx.TensorProto) -> bool:
    if tensor.data_type == onnx.TensorProto.UNDEFINED:  # a number that is no tensor
        return False
    array = numpy_helper.to_array(tensor)
    return array.dtype.kind == "f" and bool(abs(array).max(initial=0.0) < float("inf"))


def _written_out(node: NodeProto) -> list[NodeProto]:
    x, slope = node.input
    result = node.output[0]
    names = ("number", "zero", "positive", "scaled")
    number, zero, is_positive, scaled = (f"{result}_{name}" for name in names)
    return [
        helper.make_node("Constant", [], [number], value_float=0.0),
        helper.make_node("CastLike", [number, x], [zero]),
        helper.make_node("Greater", [x, zero], [is_positive]),
        helper.make_node("Mul", [x, slope], [scaled]),
        helper.make_node("Where", [is_positive, x, scaled], [result]),
    ]
