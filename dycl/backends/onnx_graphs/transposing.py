"""Transposes of tensors that may be empty: at those the runtime divides by 0 and ends the process.

Such a Transpose becomes ``If(is empty, Reshape, Transpose)``: only sizes matter where nothing is.
"""

import re
from collections.abc import Mapping

import numpy as np
from onnxscript import ir

_SIMPLE = re.compile(r"[\w\s+*]+")
"""Texts of sizes that grow with their symbols."""


def guard_transposes(model: ir.Model, least: Mapping[str, int]) -> None:
    """Change, in place, each Transpose that may get an empty tensor.

    ``least`` is the least number that each symbol of the graph's sizes may stand for.
    """
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "Transpose" and node.domain == "":
            x = node.inputs[0]
            assert x is not None
            if x.shape is None or any(may_be_zero(size, least) for size in x.shape):
                _guard(model.graph, node, x, f"guarded_{number}")


def may_be_zero(size: int | ir.SymbolicDim, least: Mapping[str, int]) -> bool:
    """Return whether a size of the graph may be zero at run time."""
    if isinstance(size, int):
        return size == 0
    text = size.value
    if text is None or not _SIMPLE.fullmatch(text):
        return True
    names = re.findall(r"[A-Za-z_]\w*", text)
    if any(name not in least for name in names):
        return True
    return int(eval(text, {"__builtins__": {}}, dict(least))) <= 0


_SINGLE = {"to": ir.DataType.FLOAT}


def _guard(graph: ir.Graph, node: ir.Node, x: ir.Value, name: str) -> None:
    rank = len(x.shape) if x.shape is not None else 0
    attribute = node.attributes.get("perm")
    permutation = list(reversed(range(rank))) if attribute is None else list(attribute.as_ints())
    empty = ir.tensor(np.array(0, np.int64))
    places = ir.tensor(np.array(permutation, np.int64))

    # of bfloat16 the runtime does not tell how many elements there are
    wide = [ir.node("Cast", [x], _SINGLE)] if x.dtype == ir.DataType.BFLOAT16 else []
    size = ir.node("Size", [wide[0].outputs[0] if wide else x])
    nothing = ir.node("Constant", [], {"value": empty})
    test = ir.node("Equal", [size.outputs[0], nothing.outputs[0]])

    order = ir.node("Constant", [], {"value": places})
    shape = ir.node("Shape", [x])
    permuted = ir.node("Gather", [shape.outputs[0], order.outputs[0]], {"axis": 0})
    reshaped = ir.node("Reshape", [x, permuted.outputs[0]], {"allowzero": 1})
    moved = ir.node("Transpose", [x], {"perm": permutation})
    for number, inner in enumerate((order, shape, permuted, reshaped, moved)):
        inner.outputs[0].name = f"{name}_{number}"  # names must differ from the outer graph's
    branches = {
        "then_branch": body_of("then", [order, shape, permuted, reshaped], node),
        "else_branch": body_of("else", [moved], node),
    }
    choice = ir.node("If", [test.outputs[0]], branches)
    result = choice.outputs[0]
    result.type, result.shape = node.outputs[0].type, node.outputs[0].shape
    graph.insert_before(node, [*wide, size, nothing, test, choice])
    old = node.outputs[0]
    old.replace_all_uses_with(result, replace_graph_outputs=True)
    graph.remove(node)


def body_of(name: str, nodes: list[ir.Node], like: ir.Node) -> ir.Graph:
    """Return nodes as an arm of an ``If`` that takes the place of another node."""
    result = nodes[-1].outputs[0]
    result.type = like.outputs[0].type
    return ir.Graph([], [result], nodes=nodes, name=name)
