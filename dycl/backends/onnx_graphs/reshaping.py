"""Reshapes to sizes that are known only at run time, where one of them may be 0.

ONNX takes 0 for "as before" unless told otherwise, and the runtime divides by it to find the size
that is left open (-1), which ends the process. Here the open size is computed in the graph, and
sizes that leave it open altogether make the runtime raise, as PyTorch does.
"""

from typing import Any

import numpy as np
from onnxscript import ir

Node = Any
_UNKNOWN = -1
_IMPOSSIBLE = -2


def make_reshapes_exact(model: ir.Model) -> None:
    """Change, in place, each Reshape whose shape is computed at run time."""
    for node in list(model.graph):
        if node.op_type == "Reshape" and node.domain == "" and _is_computed(node.inputs[1]):
            _make_exact(model.graph, node)


def tell_empty_shapes(model: ir.Model) -> None:
    """Leave no size open, in place, where a Reshape never gives any elements."""
    for node in list(model.graph):
        if node.op_type == "Reshape" and node.domain == "" and not _is_computed(node.inputs[1]):
            known = node.outputs[0].shape
            sizes = [size for size in known or () if isinstance(size, int)]
            if known is not None and len(sizes) == len(known) and 0 in sizes:
                told = ir.node("Constant", [], {"value": ir.tensor(np.array(sizes, np.int64))})
                model.graph.insert_before(node, [told])
                node.replace_input_with(1, told.outputs[0])
                node.attributes["allowzero"] = ir.AttrInt64("allowzero", 1)


def _is_computed(value: ir.Value | None) -> bool:
    return value is not None and value.const_value is None


def _make_exact(graph: ir.Graph, node: ir.Node) -> None:
    x, shape = node.inputs
    assert x is not None and shape is not None
    added: list[ir.Node] = []

    def apply(operator: str, *inputs: Any, **attributes: int) -> Any:
        new = ir.node(operator, inputs, attributes or None)
        added.append(new)
        return new.outputs[0]

    def constant(number: int) -> Any:
        new = ir.node("Constant", [], {"value": ir.tensor(np.array([number], np.int64))})
        added.append(new)
        return new.outputs[0]

    one, nothing = constant(1), constant(0)
    is_open = apply("Equal", shape, constant(_UNKNOWN))
    product = apply("ReduceProd", apply("Where", is_open, one, shape), keepdims=1)
    is_empty = apply("Equal", product, nothing)
    count = apply("Reshape", apply("Size", x), one)
    quotient = apply("Div", count, apply("Where", is_empty, one, product))
    left = apply("Where", is_empty, constant(_IMPOSSIBLE), quotient)
    exact = apply("Where", is_open, left, shape)
    graph.insert_before(node, added)
    node.replace_input_with(1, exact)
    node.attributes["allowzero"] = ir.AttrInt64("allowzero", 1)
