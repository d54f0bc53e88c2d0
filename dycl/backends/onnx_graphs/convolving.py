"""Convolutions that may have no channels: ONNX Runtime never ends at those.

Such a Conv becomes ``If(no weights, nothing, Conv)``. Without input channels PyTorch gives a result
without channels; without output channels it raises, which the host has seen to before.

The exporter gives convolutions without bias one of zeros, as long as the weights at run time
say: it is left out.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.transposing import body_of, may_be_zero


def guard_convolutions(model: ir.Model, least: Mapping[str, int]) -> None:
    """Change, in place, each Conv that may get weights without elements.

    ``least`` is the least number that each symbol of the graph's sizes may stand for.
    """
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "Conv" and node.domain == "":
            weight = node.inputs[1]
            assert weight is not None
            if weight.shape is None or any(may_be_zero(size, least) for size in weight.shape):
                _guard(model.graph, node, f"guarded_conv_{number}")


def leave_out_zeros(model: ir.Model) -> None:
    """Change, in place, each Conv whose bias is a zero, repeated as often as there are filters."""
    for node in model.graph:
        if node.op_type == "Conv" and node.domain == "" and len(node.inputs) > 2:
            bias = node.inputs[2]
            maker = None if bias is None else bias.producer()
            if maker is not None and maker.op_type == "Expand" and _is_zero(maker.inputs[0]):
                node.resize_inputs(2)


def _is_zero(value: ir.Value | None) -> bool:
    content = None if value is None else ir.convenience.get_const_tensor(value)
    return content is not None and content.size == 1 and not content.numpy().any()


def _guard(graph: ir.Graph, node: ir.Node, name: str) -> None:
    x, weight = node.inputs[0], node.inputs[1]
    assert x is not None and weight is not None
    zero = ir.node("Constant", [], {"value": ir.tensor(np.array(0, np.int64))})
    size = ir.node("Size", [weight])
    test = ir.node("Equal", [size.outputs[0], zero.outputs[0]])

    nothing = _nothing(node, x, weight)
    same = ir.node("Conv", list(node.inputs), dict(node.attributes))
    for number, inner in enumerate((*nothing, same)):
        inner.outputs[0].name = f"{name}_{number}"  # names must differ from the outer graph's
    branches = {
        "then_branch": body_of("then", nothing, node),
        "else_branch": body_of("else", [same], node),
    }
    choice = ir.node("If", [test.outputs[0]], branches)
    old, result = node.outputs[0], choice.outputs[0]
    result.type, result.shape = old.type, old.shape
    graph.insert_before(node, [zero, size, test, choice])
    old.replace_all_uses_with(result, replace_graph_outputs=True)
    graph.remove(node)


def _nothing(node: ir.Node, x: ir.Value, weight: ir.Value) -> list[ir.Node]:
    """Return nodes for a result without channels: as large as that of one channel otherwise."""
    made: list[ir.Node] = []

    def add(kind: str, inputs: list[ir.Value], attributes: dict[str, Any]) -> ir.Value:
        made.append(ir.node(kind, inputs, attributes))
        return made[-1].outputs[0]

    def numbers(*values: int) -> ir.Value:
        return add("Constant", [], {"value": ir.tensor(np.array(values, np.int64))})

    def of_shape(parts: list[ir.Value]) -> ir.Value:
        value = ir.tensor(np.zeros(1, np.float32 if weight.dtype is None else weight.dtype.numpy()))
        return add("ConstantOfShape", [add("Concat", parts, {"axis": 0})], {"value": value})

    one, end = numbers(1), numbers(np.iinfo(np.int64).max)
    first, second = numbers(0), numbers(2)

    def batch(value: ir.Value) -> ir.Value:
        return add("Slice", [add("Shape", [value], {}), first, one], {})

    def places(value: ir.Value) -> ir.Value:
        return add("Slice", [add("Shape", [value], {}), second, end], {})

    attributes: dict[str, Any] = {
        name: kept for name, kept in node.attributes.items() if name != "group"
    }
    filters = of_shape([one, one, places(weight)])
    like = add("Conv", [of_shape([batch(x), one, places(x)]), filters], attributes)
    of_shape([batch(x), first, places(like)])
    return made
