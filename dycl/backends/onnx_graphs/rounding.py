"""Half precision that goes back to single is rounded on the way.

ONNX Runtime has few kernels in half precision on a CPU: it casts to single before the others and
back after them, and leaves out the pairs of casts that meet. A chain of operations would then be
computed in single throughout, and not overflow at 65504. Unsqueeze and Squeeze, which take half
precision as it is and copy nothing, keep the pairs apart.
"""

from typing import Any

import numpy as np
from onnxscript import ir

_HALVES = (ir.DataType.FLOAT16, ir.DataType.BFLOAT16)
_MOVING = frozenset(
    {"Concat", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "Reshape",
     "Slice", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"}
)  # fmt: skip
"""Operators whose result is of numbers that were rounded before."""
_MADE_FOR = "pkg.torch.onnx.fx_node"


def keep_rounding(model: ir.Model) -> None:
    """Change, in place, what an operation of PyTorch gives in half precision to others.

    Within one operation, of which several nodes may be made, PyTorch computes in single too.
    """
    for node in list(model.graph):
        if node.op_type in _MOVING:
            continue
        for value in node.outputs:
            users = [use for use in value.uses() if _is_other(node, use.node)]
            if value.dtype in _HALVES and users:
                _round(model.graph, node, value, users)


def _is_other(node: ir.Node, user: ir.Node) -> bool:
    made_for = node.metadata_props.get(_MADE_FOR)
    return made_for is None or made_for != user.metadata_props.get(_MADE_FOR)


def _round(graph: ir.Graph, node: ir.Node, value: ir.Value, users: list[Any]) -> None:
    axis = ir.node("Constant", [], {"value": ir.tensor(np.array([0], np.int64))})
    longer = ir.node("Unsqueeze", [value, axis.outputs[0]])
    same = ir.node("Squeeze", [longer.outputs[0], axis.outputs[0]])
    rounded = same.outputs[0]
    rounded.type, rounded.shape = value.type, value.shape
    graph.insert_after(node, [axis, longer, same])
    for use in users:
        use.node.replace_input_with(use.idx, rounded)
