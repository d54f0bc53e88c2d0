"""The same elements in another shape, in as few operators as possible.

Squeezing, adding dimensions, slices of everything and the like cost a call of a kernel each, a
microsecond, which is much beside a gate of ten numbers. Where the shapes are known, a chain of them
is one reshape, or nothing.
"""

import numpy as np
from onnxscript import ir

_RESHAPING = {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}
_SAME_IF_SAME_SHAPE = {"Expand", "Identity"}


def join_views(model: ir.Model) -> None:
    """Change, in place, chains of operators that keep all elements in their order."""
    sources: dict[ir.Value, ir.Value] = {}
    for number, node in enumerate(list(model.graph)):
        if node.domain != "" or len(node.outputs) != 1 or not _is_view(node):
            continue
        x, result = node.inputs[0], node.outputs[0]
        assert x is not None
        source = sources.get(x, x)
        if _shape(source) == _shape(result):
            result.replace_all_uses_with(source, replace_graph_outputs=True)
            sources[result] = source
        elif source is not x:
            reshaped = _reshape(model.graph, node, source, f"view_{number}")
            sources[reshaped] = source
        else:
            sources[result] = source


def _is_view(node: ir.Node) -> bool:
    """Return whether a result is known to have the elements of the input, in its order."""
    x = node.inputs[0] if node.inputs else None
    before, after = _shape(x), _shape(node.outputs[0])
    if before is None or after is None:
        return False
    match node.op_type:
        case kind if kind in _RESHAPING:
            return True
        case kind if kind in _SAME_IF_SAME_SHAPE:
            return before == after
        case "Slice":
            return before == after and _goes_forward(node)
        case "Transpose":
            order = node.attributes["perm"].as_ints() if "perm" in node.attributes else ()
            moved = [axis for axis in order if before[axis] != 1]
            return bool(order) and moved == sorted(moved)
        case _:
            return False


def _goes_forward(node: ir.Node) -> bool:
    steps = node.inputs[4] if len(node.inputs) > 4 else None
    if steps is None:
        return True
    return steps.const_value is not None and bool((steps.const_value.numpy() > 0).all())


def _shape(value: ir.Value | None) -> tuple[int, ...] | None:
    """Return the shape of a value, None where a size is known only at run time."""
    if value is None or value.shape is None:
        return None
    sizes = tuple(size for size in value.shape if isinstance(size, int))
    return sizes if len(sizes) == len(value.shape) else None


def _reshape(graph: ir.Graph, node: ir.Node, source: ir.Value, name: str) -> ir.Value:
    """Put a reshape of ``source`` in the place of a node."""
    old = node.outputs[0]
    shape = ir.node("Constant", [], {"value": ir.tensor(np.array(_shape(old), np.int64))})
    made = ir.node("Reshape", [source, shape.outputs[0]], {"allowzero": 1})
    for part, inner in zip(("shape", "value"), (shape, made), strict=True):
        inner.outputs[0].name = f"{name}_{part}"
    new = made.outputs[0]
    new.type, new.shape = old.type, old.shape
    graph.insert_before(node, [shape, made])
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    return new
