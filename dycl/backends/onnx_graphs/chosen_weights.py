"""What is computed from chosen elements of a weight is computed from the weight before.

    Sqrt(Add(Gather(w, places), 1e-5))    ->    Gather(Sqrt(Add(w, 1e-5)), places)

The runtime folds what depends on weights and constants alone when it loads the graph, so that a
call only chooses. That is done for what is rounded in one way whichever kernel computes it, and
where the weight is small: what is folded takes memory of its own.
"""

from collections.abc import Collection
from math import prod

from onnxscript import ir

_ELEMENTWISE = {"Abs", "Add", "Div", "Mul", "Neg", "Reciprocal", "Sqrt", "Sub"}
"""Operators that round each element correctly, whatever stands beside it."""

_FLOATS = (ir.DataType.FLOAT, ir.DataType.DOUBLE)
"""Integers may raise where they are divided, also for elements that nobody chooses."""

_MOST_ELEMENTS = 4096


def compute_before_choosing(model: ir.Model, weights: Collection[ir.Value]) -> None:
    """Change, in place, such operators; ``weights`` are the inputs that no call gives."""
    fixed = {each for each in weights if _is_small(each)}
    for number, node in enumerate(list(model.graph)):
        chosen = _chosen(node, fixed) if _is_elementwise(node) else None
        if chosen is not None:
            fixed.add(_exchange(model.graph, node, chosen, f"before_choosing_{number}"))


def _is_small(weight: ir.Value) -> bool:
    sizes = [] if weight.shape is None else [*weight.shape]
    numbers = [size for size in sizes if isinstance(size, int)]
    is_known = weight.shape is not None and len(numbers) == len(sizes)
    return is_known and weight.dtype in _FLOATS and prod(numbers) <= _MOST_ELEMENTS


def _is_constant(value: ir.Value | None) -> bool:
    return value is not None and ir.convenience.get_const_tensor(value) is not None


def _is_elementwise(node: ir.Node) -> bool:
    return node.op_type in _ELEMENTWISE and node.domain == ""


def _chosen(node: ir.Node, fixed: Collection[ir.Value]) -> ir.Node | None:
    """Return what chooses from a weight, where a node computes with that and a number alone."""
    rest = [value for value in node.inputs if not _is_number(value)]
    maker = None if len(rest) != 1 or rest[0] is None else rest[0].producer()
    if maker is None or maker.op_type != "Gather":
        return None
    source, result = maker.inputs[0], maker.outputs[0]
    if source is None or not (source in fixed or (_is_constant(source) and _is_small(source))):
        return None
    return None if result.is_graph_output() or len(result.uses()) > 1 else maker


def _is_number(value: ir.Value | None) -> bool:
    """Return whether a value is a constant without dimensions, which gives none to others."""
    content = None if value is None else ir.convenience.get_const_tensor(value)
    return content is not None and len(content.shape) == 0


def _exchange(graph: ir.Graph, node: ir.Node, gather: ir.Node, name: str) -> ir.Value:
    """Let an operator read the weight, and the choice its result; return that."""
    weight, chosen, old = gather.inputs[0], gather.outputs[0], node.outputs[0]
    assert weight is not None
    operands = [weight if value is chosen else value for value in node.inputs]
    before = ir.node(node.op_type, operands, node.attributes)
    result = before.outputs[0]
    result.name, result.type, result.shape = name, weight.type, weight.shape
    graph.insert_before(gather, before)
    gather.replace_input_with(0, result)
    chosen.type, chosen.shape = old.type, old.shape
    old.replace_all_uses_with(chosen, replace_graph_outputs=True)
    graph.remove(node, safe=True)
    return result
