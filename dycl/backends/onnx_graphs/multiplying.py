"""Products with a vector on the right, which ONNX Runtime gets wrong where the left is transposed.

Its optimizer joins the two into one operator, which then forgets the transposing: ``x.T @ v``
gave ``x @ v``. As a matrix of one column the vector is multiplied rightly.
"""

import numpy as np
from onnxscript import ir


def make_vectors_columns(model: ir.Model) -> None:
    """Change, in place, each product whose right side has one dimension and whose left has more."""
    for number, node in enumerate(list(model.graph)):
        is_product = node.op_type == "MatMul" and node.domain == ""
        if is_product and _is_vector(node.inputs[1]) and not _is_vector(node.inputs[0]):
            _change(model.graph, node, f"product_{number}")


def _is_vector(value: ir.Value | None) -> bool:
    return value is not None and value.shape is not None and len(value.shape) == 1


def _change(graph: ir.Graph, node: ir.Node, name: str) -> None:
    left, right = node.inputs
    last = ir.node("Constant", [], {"value": ir.tensor(np.array([-1], np.int64))})
    column = ir.node("Unsqueeze", [right, last.outputs[0]])
    product = ir.node("MatMul", [left, column.outputs[0]])
    result = ir.node("Squeeze", [product.outputs[0], last.outputs[0]])
    made = [last, column, product, result]
    for number, inner in enumerate(made):
        inner.outputs[0].name = f"{name}_{number}"
    old, new = node.outputs[0], result.outputs[0]
    new.type, new.shape = old.type, old.shape
    graph.insert_before(node, made)
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    graph.remove(node)
