"""Double precision beside 0 and 1: ONNX Runtime takes ``x * (1 + 1e-12)`` for ``x``.

It leaves out additions of 0 and multiplications by 1, and looks at a number of double precision
as one of single. Factors beside a product of matrices it makes part of that, in single precision. A
constant with a dimension more than the other operand is not looked at.
"""

import math

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes

_NEUTRAL = {"Add": (0, (0, 1)), "Sub": (0, (1,)), "Mul": (1, (0, 1)), "Div": (1, (1,))}
"""The number that changes nothing, and where it may stand."""


def keep_near_neutral(model: ir.Model) -> None:
    """Change, in place, operations with a constant that is nearly neutral."""
    for number, node in enumerate(list(model.graph)):
        neutral, places = _NEUTRAL.get(node.op_type, (0, ()))
        for place in places if node.outputs[0].dtype == ir.DataType.DOUBLE else ():
            constant = _number(node.inputs[place])
            if constant is not None and _is_lost(node, constant, neutral):
                _widen(model.graph, node, place, constant, Nodes(f"neutral_{number}"))


_SCALING = ("Mul", "Div")
_PRODUCTS = ("MatMul", "Transpose")
"""Products, and what stands between them and their factors."""


def _is_lost(node: ir.Node, constant: float, neutral: int) -> bool:
    if constant != neutral == np.float32(constant):
        return True
    makers = [value.producer() for value in node.inputs if value is not None]
    beside = [*makers, *(use.node for use in node.outputs[0].uses())]
    is_beside = any(each is not None and each.op_type in _PRODUCTS for each in beside)
    return (
        node.op_type in _SCALING and is_beside and not math.log2(abs(constant) or 1.0).is_integer()
    )


def _number(value: ir.Value | None) -> float | None:
    """Return the only element of a constant, None for anything else."""
    content = None if value is None else ir.convenience.get_const_tensor(value)
    return None if content is None or content.size != 1 else float(content.numpy().item())


def _widen(graph: ir.Graph, node: ir.Node, place: int, constant: float, nodes: Nodes) -> None:
    old = node.outputs[0]
    assert old.shape is not None
    wide = nodes.constant(np.full([1] * (old.shape.rank() + 1), constant))
    operands = list(node.inputs)
    operands[place] = wide
    given = [operand for operand in operands if operand is not None]
    result = nodes.add("Squeeze", nodes.add(node.op_type, *given), nodes.constant(np.array([0])))
    result.type, result.shape = old.type, old.shape
    graph.insert_before(node, nodes.made)
    old.replace_all_uses_with(result, replace_graph_outputs=True)
    graph.remove(node)
