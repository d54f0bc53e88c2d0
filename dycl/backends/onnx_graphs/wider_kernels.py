"""Operators of narrow integers for which ONNX Runtime has no kernel: computed in wider ones.

Sums and products wrap around in wide integers as they do in narrow ones, once what is too much is
cut off; the others only move elements, or compare them.
"""

from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes

_INT8, _UINT8, _INT16 = ir.DataType.INT8, ir.DataType.UINT8, ir.DataType.INT16
_INT32, _INT64, _BOOL = ir.DataType.INT32, ir.DataType.INT64, ir.DataType.BOOL

_LACKING: dict[str, tuple[ir.DataType, frozenset[ir.DataType]]] = {
    "Where": (_INT32, frozenset({_BOOL, _INT8, _INT16})),
    "Max": (_INT32, frozenset({_INT8, _UINT8, _INT16})),
    "Min": (_INT32, frozenset({_INT8, _UINT8, _INT16})),
    "ReduceMax": (_INT32, frozenset({_BOOL, _INT16})),
    "ReduceMin": (_INT32, frozenset({_BOOL, _INT16})),
    "ArgMax": (_INT32, frozenset({_INT16})),
    "ArgMin": (_INT32, frozenset({_INT16})),
    "Pad": (_INT32, frozenset({_INT16})),
    "NonZero": (_INT32, frozenset({_INT8, _INT16})),
    "Neg": (_INT32, frozenset({_UINT8, _INT16})),
    "MatMul": (_INT32, frozenset({_INT8, _UINT8, _INT16})),
    "Einsum": (_INT32, frozenset({_INT8, _UINT8, _INT16})),
    "ReduceSum": (_INT64, frozenset({_INT8, _UINT8, _INT16})),
    "Trilu": (_INT64, frozenset({_INT8, _UINT8, _INT16, _INT32})),
    "Unique": (_INT64, frozenset({_UINT8, _INT16, _INT32, _BOOL})),
}
"""What each is computed in, and what it has no kernel for (seen in 1.31)."""
_GIVING_PLACES = ("ArgMax", "ArgMin", "NonZero")


def widen_kernels(model: ir.Model) -> None:
    """Convert, in place, what goes into such operators, and back what comes out of them."""
    for number, node in enumerate(list(model.graph.all_nodes())):
        if node.domain != "" or node.op_type not in _LACKING:
            continue
        wide, narrow = _LACKING[node.op_type]
        kind = _kind(node)
        if kind in narrow:
            _widen(node, kind, wide, f"wide_{number}")


def _kind(node: ir.Node) -> ir.DataType | None:
    values = (*node.inputs[-1 if node.op_type == "Where" else 0 :][:1], node.outputs[0])
    return next((value.dtype for value in values if value is not None and value.dtype), None)


def _widen(node: ir.Node, kind: ir.DataType, wide: ir.DataType, name: str) -> None:
    graph, before, after = node.graph, Nodes(f"{name}_in"), Nodes(f"{name}_out")
    assert graph is not None
    tests = 1 if node.op_type == "Where" else 0
    for place, value in enumerate(node.inputs):
        if value is not None and place >= tests and value.dtype in (kind, None):
            node.replace_input_with(place, _converted(value, wide, before))
    graph.insert_before(node, before.made)
    for output in node.outputs[:1] if node.op_type not in _GIVING_PLACES else ():
        back = _converted(output, kind, after)
        output.replace_all_uses_with(back, replace_graph_outputs=True)
        after.made[-1].replace_input_with(0, output)
        output.type = ir.TensorType(wide)
    graph.insert_after(node, after.made)


def _converted(value: ir.Value, kind: ir.DataType, nodes: Nodes) -> ir.Value:
    found = nodes.add("Cast", value, to=kind)
    found.type, found.shape = ir.TensorType(kind), value.shape
    return found
