"""Axes of tensors that may be empty: ONNX Runtime reduces none that is counted from the end.

A sum of a (7, 0, 4) over its last axis is a (7, 0) where that is called 2, and the (7, 0, 4) itself
where it is called -1 (seen in 1.31). So it is with maxima, their places, norms.

A tensor without dimensions has a first and a last one in PyTorch, and none here.
"""

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes


def count_axes_from_the_front(model: ir.Model) -> None:
    """Change, in place, the axes of reductions of tensors that may be empty."""
    for number, node in enumerate(list(model.graph)):
        shape = node.inputs[0].shape if node.inputs and node.inputs[0] else None
        if shape is not None and shape.rank() == 0 and _has_axes(node):
            node.replace_input_with(1, None)  # all there are
        if shape is None or all(type(size) is int and size > 0 for size in shape):
            continue
        if node.op_type in ("ArgMax", "ArgMin"):
            axis = node.attributes.get_int("axis", 0)
            node.attributes["axis"] = ir.AttrInt64("axis", axis % max(shape.rank(), 1))
        elif node.op_type.startswith("Reduce") and len(node.inputs) > 1:
            _count(model.graph, node, shape.rank(), Nodes(f"axes_{number}"))


def _has_axes(node: ir.Node) -> bool:
    is_given = node.op_type.startswith("Reduce") and len(node.inputs) > 1
    return is_given and not node.attributes.get_int("noop_with_empty_axes", 0)


def _count(graph: ir.Graph, node: ir.Node, rank: int, nodes: Nodes) -> None:
    axes = node.inputs[1]
    named = None if axes is None else ir.convenience.get_const_tensor(axes)
    if named is not None and (named.numpy() < 0).any():
        counted = nodes.constant(np.where(named.numpy() < 0, named.numpy() + rank, named.numpy()))
        graph.insert_before(node, nodes.made)
        node.replace_input_with(1, counted)
