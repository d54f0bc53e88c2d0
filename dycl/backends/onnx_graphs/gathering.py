"""Rows gathered at counted places: ONNX Runtime cuts a slice there, which ends where the rows do.

``x[arange(n)]`` raises in PyTorch where ``n`` is too large, and so does ``Gather``; the slice that
the optimizer makes of ``Range`` and ``Gather`` does not.
"""

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes


def keep_places_checked(model: ir.Model) -> None:
    """Let, in place, a node that changes nothing follow each ``Range``: places may go through more.

    What lies between the two and changes nothing else is left out by the optimizer.
    """
    nodes = list(model.graph)
    if not any(node.op_type == "Gather" for node in nodes):
        return
    for number, node in enumerate(nodes):
        if node.op_type == "Range" and (kind := node.outputs[0].dtype) is not None:
            _follow(model.graph, node, kind.numpy(), Nodes(f"places_{number}"))


def _follow(graph: ir.Graph, node: ir.Node, kind: np.dtype, made: Nodes) -> None:
    places = node.outputs[0]
    least = np.array(-np.inf if kind.kind == "f" else np.iinfo(kind).min, kind)
    same = made.add("Max", places, made.constant(least))
    same.type, same.shape = places.type, places.shape
    graph.insert_after(node, made.made)
    places.replace_all_uses_with(same, replace_graph_outputs=True)
    made.made[-1].replace_input_with(0, places)
