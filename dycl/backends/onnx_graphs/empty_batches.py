"""Recurrent layers over batches whose size is known only at run time: there may be none in it.

ONNX Runtime's own LSTM, GRU and RNN end the whole process then. So they get a batch of one at the
least, and what they give for it is left out afterwards.
"""

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import KINDS, Nodes


def fill_empty_batches(model: ir.Model) -> None:
    """Change, in place, each LSTM, GRU and RNN whose batch may be empty."""
    for number, node in enumerate(list(model.graph)):
        if node.op_type in KINDS and node.domain == "" and _may_be_empty(node.inputs[0]):
            _fill(model.graph, node, Nodes(f"filled_{number}"))


def _may_be_empty(x: ir.Value | None) -> bool:
    assert x is not None  # no layer without an input
    size = None if x.shape is None else x.shape[1]
    return not (isinstance(size, int) and size > 0)


def _fill(graph: ir.Graph, node: ir.Node, nodes: Nodes) -> None:
    x = node.inputs[0]
    assert x is not None
    one, none = nodes.constant(np.array([1], np.int64)), nodes.constant(np.array([0], np.int64))
    size = nodes.add("Shape", x, start=1, end=2)
    missing = nodes.add("Max", nodes.add("Sub", one, size), none)
    pads = nodes.add("Concat", none, none, none, none, missing, none, axis=0)
    for place in (0, 5, 6):  # inputs and states, with the batch in the middle
        if place < len(node.inputs) and (value := node.inputs[place]) is not None:
            padded = nodes.add("Pad", value, pads)
            padded.type = value.type
            node.replace_input_with(place, padded)
    graph.insert_before(node, nodes.made)
    after = nodes.inner("kept")
    for place, output in enumerate(node.outputs):
        if output.uses() or output.is_graph_output():
            _cut(graph, output, size, 2 if place == 0 else 1, after)
    graph.insert_after(node, after.made)


def _cut(graph: ir.Graph, output: ir.Value, size: ir.Value, axis: int, nodes: Nodes) -> None:
    """Have what uses a result use the part of it that belongs to the batch."""
    uses = list(output.uses())
    start, along = (nodes.constant(np.array([number], np.int64)) for number in (0, axis))
    kept = nodes.add("Slice", output, start, size, along)
    kept.type, kept.shape, output.shape = output.type, output.shape, None
    for user, index in uses:
        user.replace_input_with(index, kept)
    for position, value in enumerate(graph.outputs):
        if value is output:
            graph.outputs[position] = kept
