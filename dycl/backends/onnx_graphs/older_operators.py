"""Graphs with averages, in the operators of version 18 where those of 20 say nothing else.

ONNX Runtime has two kernels for AveragePool: that of version 19 walks over each window element by
element, the older one has vector instructions and knows images in blocks. Their results are equal.
"""

from collections.abc import Iterator

import onnx

from dycl.backends.onnx_graphs.splitting import subgraphs

_OLDER, _KNOWN = 18, 20

_SAME = frozenset({
    "Cast", "CastLike", "Constant", "ConstantOfShape", "Equal", "Identity", "If", "IsInf", "IsNaN",
    "Loop", "ReduceMax", "ReduceMin", "Reshape", "Scan", "Shape", "Size",
})  # fmt: skip
"""Operators that came anew between the two, for more element types only."""


def with_fast_averages(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a graph in older operators, if it has averages and they say the same."""
    nodes = list(_nodes(model.graph))
    averages = [node for node in nodes if (node.op_type, node.domain) == ("AveragePool", "")]
    if not averages or not all(map(_says_the_same, nodes)):
        return model
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for entry in made.opset_import:
        if (entry.domain, entry.version) == ("", _KNOWN):
            entry.version = _OLDER
    return made if _has_known_types(made) else model


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for body in subgraphs(node):
            yield from _nodes(body)


def _says_the_same(node: onnx.NodeProto) -> bool:
    if node.domain or node.op_type in _SAME:
        return True
    attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    match node.op_type:
        case "AveragePool":  # how windows end beyond the image has changed
            return not attributes.get("ceil_mode") and "dilations" not in attributes
        case "Pad":
            return attributes.get("mode") != b"wrap"
        case _:
            since = onnx.defs.get_schema(node.op_type, _KNOWN, "").since_version
            return bool(since <= _OLDER)


def _has_known_types(model: onnx.ModelProto) -> bool:
    """Return whether the older operators take the elements that come to them."""
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except onnx.shape_inference.InferenceError:
        return False
    return True
