"""PReLU as PyTorch computes it at zero, where a slope may be NaN or infinite.

PyTorch multiplies all but the positive numbers; the runtime leaves zero as it is.
"""

from collections.abc import Iterable

import onnx
from onnx import NodeProto, helper, numpy_helper

from dycl.capture import CapturedSubDnn

_SHAPED = frozenset({"Reshape", "Unsqueeze", "Squeeze", "Identity", "Expand", "Cast", "CastLike"})
"""Operators whose results are as finite as their first operand."""


def with_exact_slopes(skeleton: onnx.ModelProto, subdnn: CapturedSubDnn) -> onnx.ModelProto:
    """Return the graph of a structure, right for the weights of one of its sub-DNNs."""
    if all(node.op_type != "PRelu" for node in skeleton.graph.node):
        return skeleton
    inexact = [*_inexact(skeleton.graph, subdnn)]
    if not inexact:
        return skeleton
    made = onnx.ModelProto()
    made.CopyFrom(skeleton)
    nodes = [*made.graph.node]
    del made.graph.node[:]
    for place, node in enumerate(nodes):
        made.graph.node.extend(_written_out(node) if place in inexact else [node])
    return made


def _inexact(graph: onnx.GraphProto, subdnn: CapturedSubDnn) -> Iterable[int]:
    """Yield the places of those whose slopes are not known to be finite."""
    slots = list(graph.input)[len(subdnn.inputs) :]
    finite = {
        slot.name
        for slot, weight in zip(slots, subdnn.weights, strict=True)
        if bool(weight.tensor.isfinite().all())
    }
    finite |= {each.name for each in graph.initializer if _is_finite(each)}
    for place, node in enumerate(graph.node):
        if (node.op_type == "Constant" and any(_is_finite(a.t) for a in node.attribute)) or (
            node.op_type in _SHAPED and node.input[0] in finite
        ):
            finite.update(node.output)
        elif node.op_type == "PRelu" and node.input[1] not in finite:
            yield place


def _is_finite(tensor: onnx.TensorProto) -> bool:
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
