"""Products of stacks of matrices, one of them larger, that may be empty.

ONNX Runtime does not stretch one matrix over a stack of none, and where rows have no elements it
forgets to stretch. So such a MatMul becomes ``If(an operand is empty, zeros, MatMul)``.
"""

from collections.abc import Mapping
from itertools import zip_longest

from onnxscript import ir

from dycl.backends.onnx_graphs.empty_sums import guard, may_be_empty
from dycl.backends.onnx_graphs.steps import Nodes


def guard_products(model: ir.Model, least: Mapping[str, int]) -> None:
    """Change, in place, each MatMul that stretches an operand where there may be nothing.

    ``least`` is the least number that each symbol of the graph's sizes may stand for.
    """
    for number, node in enumerate(list(model.graph)):
        if node.op_type != "MatMul" or node.domain != "" or not _stretches(*node.inputs):
            continue
        left, right = (value for value in node.inputs if value is not None)
        empty = [value for value in (left, right) if may_be_empty(value, least)]
        if empty:
            is_vector = left.shape is not None and len(left.shape) == 1
            equation = "j,...jk->...k" if is_vector else "...ij,...jk->...ik"
            guard(model.graph, node, equation, empty, Nodes(f"stretched_{number}"))


def _stretches(left: ir.Value | None, right: ir.Value | None) -> bool:
    """Return whether one of two stacks is, or may be, repeated to the other's size."""
    if left is None or right is None or left.shape is None or right.shape is None:
        return False
    stacks = (list(left.shape)[:-2], list(right.shape)[:-2])
    # one matrix on the right is multiplied rightly
    return bool(stacks[1]) and any(
        one != other for one, other in zip_longest(*map(reversed, stacks), fillvalue=1)
    )
