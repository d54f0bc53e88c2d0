"""Places in images that are NaN, infinite or far outside: the runtime reads other elements there.

What is exact for these is one arm of an ``If`` that asks for the sum of squares of the grid first.

    sampled = If(sum of squares < 1e8, GridSample(x, grid), exact(x, grid))
"""

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes
from dycl.backends.onnx_graphs.transposing import body_of

_SUMMED = (ir.DataType.FLOAT, ir.DataType.DOUBLE)
_LARGE = 1e8
"""Where no place is farther than the root of this, single precision knows what is beside it."""
_OUTSIDE = 16.0
"""So far outside there is nothing of an image, however small it is."""


def guard_grids(model: ir.Model) -> None:
    """Change, in place, each GridSample; what reflects has some place for everything."""
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "GridSample" and node.domain == "":
            x, grid = node.inputs
            assert x is not None and grid is not None
            is_guarded = _padding(node) != "reflection" or "cubic" in _mode(node)
            if is_guarded and x.dtype == grid.dtype and grid.dtype in _SUMMED:
                _guard(model.graph, node, x, grid, Nodes(f"grid_{number}"))


def _guard(graph: ir.Graph, node: ir.Node, x: ir.Value, grid: ir.Value, nodes: Nodes) -> None:
    squares = nodes.add("ReduceSumSquare", grid, keepdims=0)
    is_near = nodes.add("Less", squares, _number(nodes, grid, _LARGE))
    plain, exact = nodes.inner("plain"), nodes.inner("exact")
    plain.add("GridSample", x, grid, **node.attributes)
    _sample(node, x, grid, exact)
    old = node.outputs[0]
    branches = {
        "then_branch": body_of("near", plain.made, node),
        "else_branch": body_of("exact", exact.made, node),
    }
    result = nodes.add("If", is_near, **branches)
    result.type, result.shape = old.type, old.shape
    graph.insert_before(node, nodes.made)
    old.replace_all_uses_with(result, replace_graph_outputs=True)
    graph.remove(node)


def _number(nodes: Nodes, like: ir.Value, value: float) -> ir.Value:
    assert like.dtype is not None
    return nodes.constant(np.array(value, like.dtype.numpy()))


def _padding(node: ir.Node) -> str:
    return node.attributes.get_string("padding_mode", "zeros") or ""


def _mode(node: ir.Node) -> str:
    return node.attributes.get_string("mode", "linear") or ""


def _sample(node: ir.Node, x: ir.Value, grid: ir.Value, nodes: Nodes) -> None:
    """Sample as PyTorch does, which knows no place for what is not finite but at a border."""
    places = grid
    if _padding(node) != "reflection":
        far, back = (_number(nodes, grid, value) for value in (_OUTSIDE, -_OUTSIDE))
        known = nodes.add("Where", nodes.add("IsNaN", grid), back, grid)
        places = nodes.add("Clip", known, back, far)
    sampled = nodes.add("GridSample", x, places, **node.attributes)
    if "cubic" not in _mode(node) and _padding(node) != "zeros":
        return
    is_finite = nodes.add("Less", nodes.add("Abs", grid), _number(nodes, grid, np.inf))
    last, one = nodes.constant(np.array([-1])), nodes.constant(np.array([1]))
    lowest = nodes.add("ReduceMin", nodes.add("CastLike", is_finite, grid), last, keepdims=0)
    is_known = nodes.add("Cast", nodes.add("Unsqueeze", lowest, one), to=ir.DataType.BOOL)
    is_nothing = _mode(node) == "nearest" or len(grid.shape or ()) > 4
    nodes.add("Where", is_known, sampled, _number(nodes, grid, 0.0 if is_nothing else np.nan))
