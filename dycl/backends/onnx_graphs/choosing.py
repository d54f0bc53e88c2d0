"""Choices between two tensors: ONNX Runtime's ``Where`` makes 0.0 of -0.0 in its first operand.

The second one it keeps. So a constant without -0.0 goes first; of two others, each is chosen
against minus infinity, and the larger of both results is the one that was chosen:

    Where(c, x, y) = Max(Where(not c, -inf, x), Where(c, -inf, y))
"""

from collections.abc import Sequence

import numpy as np
from onnxscript import ir

_FLOATS = (ir.DataType.FLOAT, ir.DataType.DOUBLE)

_NEVER_NEGATIVE = {"Abs", "Exp", "Sigmoid", "Softmax"}


def keep_negative_zeros(model: ir.Model) -> None:
    """Change, in place, each choice of floating-point numbers whose first operand may be -0.0."""
    for number, node in enumerate(list(model.graph.all_nodes())):
        if node.op_type == "Where" and node.domain == "" and _kind(node) in _FLOATS:
            made = _instead(node)
            if made:
                _replace(node, made, f"choice_{number}")


def _kind(node: ir.Node) -> ir.DataType | None:
    values = (*node.outputs, *node.inputs[1:])
    return next((value.dtype for value in values if value is not None and value.dtype), None)


def _instead(node: ir.Node) -> list[ir.Node]:
    """Return the nodes that choose as PyTorch does; none where the node does."""
    test, chosen, other = node.inputs
    assert test is not None and chosen is not None and other is not None
    maker = test.producer()
    if not _is_harmless(chosen):
        return _swapped(test, chosen, other) if _is_harmless(other) else _larger(node)
    if maker is not None and maker.op_type == "Not":
        # the optimizer would take out the Not, and swap the operands
        assert maker.inputs[0] is not None
        return _swapped(maker.inputs[0], other, chosen)
    return []


def _is_harmless(value: ir.Value) -> bool:
    """Return whether a tensor certainly has no -0.0."""
    constant = ir.convenience.get_const_tensor(value)
    if constant is not None:
        content = constant.numpy()
        return not bool(np.any((content == 0) & np.signbit(content)))
    producer = value.producer()
    return producer is not None and producer.op_type in _NEVER_NEGATIVE


def _swapped(test: ir.Value, chosen: ir.Value, other: ir.Value) -> list[ir.Node]:
    false, opposite = _opposite(test)
    return [false, opposite, ir.node("Where", [opposite.outputs[0], other, chosen])]


def _larger(node: ir.Node) -> list[ir.Node]:
    test, chosen, other = node.inputs
    kind = _kind(node)
    assert test is not None and kind is not None
    least = ir.node("Constant", [], {"value": ir.tensor(np.array(-np.inf, kind.numpy()))})
    false, opposite = _opposite(test)
    one = ir.node("Where", [opposite.outputs[0], least.outputs[0], chosen])
    two = ir.node("Where", [test, least.outputs[0], other])
    return [least, false, opposite, one, two, ir.node("Max", [one.outputs[0], two.outputs[0]])]


def _opposite(test: ir.Value) -> tuple[ir.Node, ir.Node]:
    """Return nodes for ``not test``; the runtime's optimizer would undo a ``Not``."""
    false = ir.node("Constant", [], {"value": ir.tensor(np.array(False))})
    return false, ir.node("Equal", [test, false.outputs[0]])


def _replace(node: ir.Node, made: Sequence[ir.Node], name: str) -> None:
    assert node.graph is not None
    for number, inner in enumerate(made):
        inner.outputs[0].name = f"{name}_{number}"
    old, new = node.outputs[0], made[-1].outputs[0]
    new.type, new.shape = old.type, old.shape
    node.graph.insert_before(node, made)
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    node.graph.remove(node)
