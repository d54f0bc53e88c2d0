"""Maximum over windows: the runtime drops NaN, and takes the least number for -infinity.

What is exact for these, too, computes on each element several times. So it is one arm of an ``If``
that asks for the sum of squares first: that is finite only where all elements are.

    pooled = If(sum of squares of x < infinity, MaxPool(x), exact(x))
"""

from collections.abc import Callable, Sequence

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes

_PLACE = ir.DataType.INT64
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
    nodes = Nodes(name)
    olds = node.outputs if _gives_places(node) else node.outputs[:1]
    exactly = _exact_with_places if len(olds) > 1 else _exact
    if x.dtype in _SUMMED:
        results = _choice(node, x, exactly, nodes, olds)
    else:
        results = exactly(node, x, nodes)
    for old, result in zip(olds, results, strict=True):
        result.type, result.shape = old.type, old.shape
    graph.insert_before(node, nodes.made)
    for old, result in zip(olds, results, strict=True):
        old.replace_all_uses_with(result, replace_graph_outputs=True)
    graph.remove(node)


_Exact = Callable[[ir.Node, ir.Value, Nodes], Sequence[ir.Value]]


def _choice(
    node: ir.Node, x: ir.Value, exactly: _Exact, nodes: Nodes, olds: Sequence[ir.Value]
) -> Sequence[ir.Value]:
    """Add nodes that pool, exactly only where that makes a difference."""
    squares = nodes.add("ReduceSumSquare", x, keepdims=0)
    is_finite = nodes.add("Less", squares, _number(nodes, x, float("inf")))
    plain, exact = nodes.inner("plain"), nodes.inner("exact")
    found = plain.many("MaxPool", len(olds), x, **node.attributes)
    branches = {
        "then_branch": _arm("finite", plain, found, olds),
        "else_branch": _arm("exact", exact, exactly(node, x, exact), olds),
    }
    return nodes.many("If", len(olds), is_finite, **branches)


def _arm(
    name: str, nodes: Nodes, results: Sequence[ir.Value], olds: Sequence[ir.Value]
) -> ir.Graph:
    for result, old in zip(results, olds, strict=True):
        result.type = old.type
    return ir.Graph([], results, nodes=nodes.made, name=name)


def _exact(node: ir.Node, x: ir.Value, nodes: Nodes) -> Sequence[ir.Value]:
    """Add nodes that pool like PyTorch: ranks say what a window has besides numbers."""
    lowest, zero, one, two = (_number(nodes, x, value) for value in (float("-inf"), 0.0, 1.0, 2.0))
    largest = nodes.add("MaxPool", x, **node.attributes)
    ranks = nodes.add("Where", nodes.add("Equal", x, lowest), zero, one)
    ranks = nodes.add("Where", nodes.add("IsNaN", x), two, ranks)
    found = nodes.add("MaxPool", ranks, **node.attributes)
    nothing = _number(nodes, x, float("nan"))
    special = nodes.add("Where", nodes.add("Equal", found, two), nothing, lowest)
    return [nodes.add("Where", nodes.add("Equal", found, one), largest, special)]


def _exact_with_places(node: ir.Node, x: ir.Value, nodes: Nodes) -> Sequence[ir.Value]:
    """Add nodes that find, too, the place of the first largest element or of the last NaN."""
    wide = nodes.add("Cast", x, to=ir.DataType.DOUBLE)
    above = nodes.constant(np.nextafter(np.finfo(np.float64).min, 0.0))  # the runtime sees it
    numbers = nodes.add("Where", nodes.add("Less", wide, above), above, wide)
    _, first = nodes.many("MaxPool", 2, numbers, **node.attributes)
    count, start, step = nodes.add("Size", x), nodes.constant(0), nodes.constant(1)
    order = nodes.add("Reshape", nodes.add("Range", start, count, step), nodes.add("Shape", x))
    order = nodes.add("Cast", order, to=ir.DataType.DOUBLE)
    nowhere = nodes.constant(-1.0)
    places = nodes.add("Where", nodes.add("IsNaN", x), order, nowhere)
    last = nodes.add("Cast", nodes.add("MaxPool", places, **node.attributes), to=_PLACE)
    is_number = nodes.add("Less", last, start)
    return [*_exact(node, x, nodes), nodes.add("Where", is_number, first, last)]


def _number(nodes: Nodes, like: ir.Value, value: float) -> ir.Value:
    assert like.dtype is not None
    return nodes.constant(np.array(value, like.dtype.numpy()))
