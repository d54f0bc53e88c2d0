"""Means of whole images as the operator that takes nothing else.

ONNX Runtime walks a window over images in order element by element, and sums whole ones with
vector instructions.
"""

from onnxscript import ir

_DEFAULT_PADDING = ("", "NOTSET", "VALID")


def average_whole_images(model: ir.Model) -> None:
    """Change, in place, each average pooling of single precision whose one window is the image."""
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "AveragePool" and node.domain == "" and _is_whole(node):
            made = ir.node("GlobalAveragePool", [node.inputs[0]])
            old, new = node.outputs[0], made.outputs[0]
            new.name, new.type, new.shape = f"whole_{number}", old.type, old.shape
            model.graph.insert_before(node, made)
            old.replace_all_uses_with(new, replace_graph_outputs=True)


def _is_whole(node: ir.Node) -> bool:
    x, attributes = node.inputs[0], node.attributes
    if x is None or x.shape is None or x.dtype != ir.DataType.FLOAT:
        return False
    padding = attributes["auto_pad"].as_string() if "auto_pad" in attributes else ""
    pads = attributes["pads"].as_ints() if "pads" in attributes else ()
    if padding not in _DEFAULT_PADDING or any(pads):
        return False
    return list(attributes["kernel_shape"].as_ints()) == list(x.shape[2:])
