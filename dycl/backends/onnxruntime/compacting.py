"""Leaves out of a graph what changes nothing: names of nodes, comments, attributes' defaults."""

from collections.abc import Collection, Mapping

import onnx

from dycl.backends.onnx_graphs.splitting import subgraphs
from dycl.backends.onnxruntime.optimising import NCHWC

_OF_WINDOWS = ("AveragePool", "Conv", "ConvTranspose", "LpPool", "MaxPool")
_IMPLIED = {"dilations": 1, "pads": 0, "strides": 1}
"""What these have in each direction by ONNX's words; the schemas do not know the directions."""


def compacted(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the same graph in fewer bytes."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    _compact(made.graph, {entry.domain: entry.version for entry in model.opset_import})
    return made


def _compact(graph: onnx.GraphProto, versions: Mapping[str, int]) -> None:
    graph.ClearField("doc_string")
    graph.ClearField("value_info")
    for node in graph.node:
        node.ClearField("name")
        node.ClearField("doc_string")
        for body in subgraphs(node):
            _compact(body, versions)
        defaults = _defaults(node, versions)
        for place in reversed(range(len(node.attribute))):
            attribute = node.attribute[place]
            attribute.ClearField("doc_string")
            if attribute in defaults or _is_implied(node, attribute):
                del node.attribute[place]


def _is_implied(node: onnx.NodeProto, attribute: onnx.AttributeProto) -> bool:
    """Return whether a window is as it is where nothing is said."""
    values = list(attribute.ints)
    return (
        node.op_type in _OF_WINDOWS
        and attribute.name in _IMPLIED
        and values == [_IMPLIED[attribute.name]] * len(values)
    )


def _defaults(node: onnx.NodeProto, versions: Mapping[str, int]) -> Collection[onnx.AttributeProto]:
    """Return the attributes that a node has where it does not say so.

    Operators on images in blocks are ONNX's operators in this respect.
    """
    domain = "" if node.domain == NCHWC else node.domain
    if not onnx.defs.has(node.op_type, versions[domain], domain):
        return ()
    schema = onnx.defs.get_schema(node.op_type, versions[domain], domain)
    return [each.default_value for each in schema.attributes.values()]
