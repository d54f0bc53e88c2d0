"""Maximum over windows: the runtime drops NaN, and takes the least number for -infinity.

What is exact for these, too, computes on each element several times. So it is one arm of an ``If``
that asks for the sum of squares first: that is finite only where all elements are.

    pooled = If(sum of squares of x < infinity, MaxPool(x), exact(x))
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.transposing import body_of

_SUMMED = (ir.DataType.FLOAT, ir.DataType.DOUBLE)
"""Types for which the runtime has a sum of squares."""


def guard_pools(model: ir.Model) -> None:
    """Change, in place, each MaxPool of floating-point numbers."""
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "MaxPool" and node.domain == "":
            x = node.inputs[0]
            assert x is not None and x.dtype is not None
            if x.dtype.is_floating_point():
                _guard(model.graph, node, x, f"guarded_pool_{number}")


def _gives_places(node: ir.Node) -> bool:
    return any(value.uses() or value.is_graph_output() for value in node.outputs[1:])


def _guard(graph: ir.Graph, node: ir.Node, x: ir.Value, name: str) -> None:
    exact = _exact(node, x)
    for number, inner in enumerate(exact):
        inner.outputs[0].name = f"{name}_{number}"  # names must differ from the outer graph's
    added = [*_choice(node, x, exact, name)] if x.dtype in _SUMMED else exact
    old, result = node.outputs[0], added[-1].outputs[0]
    result.type, result.shape = old.type, old.shape
    graph.insert_before(node, added)
    old.replace_all_uses_with(result, replace_graph_outputs=True)
    if not _gives_places(node):  # which are left to the runtime
        graph.remove(node)


def _choice(node: ir.Node, x: ir.Value, exact: Sequence[ir.Node], name: str) -> list[ir.Node]:
    """Return nodes that pool, exactly only where that makes a difference."""
    squares = ir.node("ReduceSumSquare", [x], {"keepdims": 0})
    infinite = _number(x, float("inf"))
    is_finite = ir.node("Less", [squares.outputs[0], infinite.outputs[0]])
    plain = ir.node("MaxPool", [x], dict(node.attributes))
    plain.outputs[0].name = f"{name}_plain"
    branches = {
        "then_branch": body_of("finite", [plain], node),
        "else_branch": body_of("exact", list(exact), node),
    }
    return [squares, infinite, is_finite, ir.node("If", [is_finite.outputs[0]], branches)]


def _exact(node: ir.Node, x: ir.Value) -> list[ir.Node]:
    """Return nodes that pool like PyTorch: ranks say what a window has besides numbers."""
    made: list[ir.Node] = []

    def add(kind: str, *inputs: ir.Value, **attributes: Any) -> ir.Value:
        made.append(ir.node(kind, inputs, attributes))
        return made[-1].outputs[0]

    def constant(value: float) -> ir.Value:
        made.append(_number(x, value))
        return made[-1].outputs[0]

    lowest, zero, one, two = map(constant, (float("-inf"), 0.0, 1.0, 2.0))
    largest = add("MaxPool", x, **node.attributes)
    ranks = add("Where", add("Equal", x, lowest), zero, one)
    found = add("MaxPool", add("Where", add("IsNaN", x), two, ranks), **node.attributes)
    special = add("Where", add("Equal", found, two), constant(float("nan")), lowest)
    add("Where", add("Equal", found, one), largest, special)
    return made


def _number(x: ir.Value, value: float) -> ir.Node:
    assert x.dtype is not None
    return ir.node("Constant", [], {"value": ir.tensor(np.array(value, x.dtype.numpy()))})
