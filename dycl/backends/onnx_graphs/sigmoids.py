"""Sigmoids whose smallest or largest values matter: ONNX Runtime's are exactly 0 below -18.

For most of what is computed with a sigmoid, 0 is as good as 1e-9; not for its logarithm, or
for what is divided by it. Where the values may get there, the sigmoid is written out. Sums and
products of matrices on the way make such small numbers small errors again.

So it is where scores are put in order or compared, or leave the sub-DNN for that: the runtime's
are a bit below 1 from 17 on, where PyTorch's are 1, and equal best scores would change places.
A comparison with a constant well between 0 and 1 does not see that: it keeps the kernel.
"""

import numpy as np
from onnxscript import ir

_TELLING = {"Log", "Reciprocal", "Pow", "Sqrt"}
_SWAMPING = {"Conv", "ConvTranspose", "Gemm", "MatMul", "ReduceMean", "ReduceSum"}
_MOVING = {
    *("Cast", "Compress", "Concat", "Expand", "Flatten", "Gather", "GatherElements", "GatherND"),
    *(
        "Identity",
        "Reshape",
        "Slice",
        "Split",
        "Squeeze",
        "Tile",
        "Transpose",
        "Unsqueeze",
        "Where",
    ),
}
_DECIDING = {
    *("ArgMax", "ArgMin", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "TopK"),
}
_COMPARING = {"Greater", "GreaterOrEqual", "Less", "LessOrEqual"}
_MIDDLE = (0.01, 0.99)


def write_out_sigmoids(model: ir.Model) -> None:
    """Change, in place, each sigmoid that is an output, or may reach what orders or measures it."""
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "Sigmoid" and node.domain == "" and _matters(node.outputs[0]):
            _change(model.graph, node, f"sigmoid_{number}")


def _matters(value: ir.Value) -> bool:
    pending, seen = [(value, True)], {value}
    while pending:
        current, is_whole = pending.pop()
        if is_whole and current.is_graph_output():
            return True
        for user, place in current.uses():
            if _tells(user, place) or (is_whole and _decides(user, place)):
                return True
            if user.op_type not in _SWAMPING:
                fresh = [output for output in user.outputs if output not in seen]
                seen.update(fresh)
                pending += [(output, is_whole and user.op_type in _MOVING) for output in fresh]
    return False


def _tells(user: ir.Node, place: int) -> bool:
    return user.op_type in _TELLING or (user.op_type == "Div" and place == 1)


def _decides(user: ir.Node, place: int) -> bool:
    if user.op_type not in _COMPARING:
        return user.op_type in _DECIDING
    against = user.inputs[1 - place]
    bound = None if against is None else ir.convenience.get_const_tensor(against)
    if bound is None:
        return True
    low, high = _MIDDLE
    values = bound.numpy()
    return not bool(np.all((values > low) & (values < high)))


def _change(graph: ir.Graph, node: ir.Node, name: str) -> None:
    old = node.outputs[0]
    assert old.dtype is not None
    one = ir.node("Constant", [], {"value": ir.tensor(np.array(1, old.dtype.numpy()))})
    negative = ir.node("Neg", [node.inputs[0]])
    power = ir.node("Exp", [negative.outputs[0]])
    total = ir.node("Add", [power.outputs[0], one.outputs[0]])
    result = ir.node("Reciprocal", [total.outputs[0]])
    made = [one, negative, power, total, result]
    for number, inner in enumerate(made):
        inner.outputs[0].name = f"{name}_{number}"
    new = result.outputs[0]
    new.type, new.shape = old.type, old.shape
    graph.insert_before(node, made)
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    graph.remove(node)
