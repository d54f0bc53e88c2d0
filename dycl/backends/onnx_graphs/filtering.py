"""Convolutions whose filters' number is known only at run time, as products of matrices.

For runtimes that want to know it when they compile. Each place of the kernel is a product: its
weights, (filters, channels), by the part of the input that it meets, (batch, channels, places).
Without input channels PyTorch gives a result without channels.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes


def write_out_convolutions(model: ir.Model) -> None:
    """Change, in place, each Conv of one group whose weights have an unknown number or depth.

    Where the kernel or the images are of unknown size as well, it stays.
    """
    for number, node in enumerate(list(model.graph)):
        if node.op_type == "Conv" and node.domain == "" and _can_be_written_out(node):
            nodes = Nodes(f"filtered_{number}")
            result = _written_out(node, nodes)
            old = node.outputs[0]
            result.type, result.shape = old.type, old.shape
            model.graph.insert_before(node, nodes.made)
            old.replace_all_uses_with(result, replace_graph_outputs=True)
            model.graph.remove(node)


def _can_be_written_out(node: ir.Node) -> bool:
    x, weight = _shape(node.inputs[0]), _shape(node.inputs[1])
    if x is None or weight is None or _attribute(node, "group", 1) != 1:
        return False
    sizes_known = all(isinstance(size, int) for size in (*x[2:], *weight[2:]))
    return sizes_known and not all(isinstance(size, int) for size in weight[:2])


def _shape(value: ir.Value | None) -> Sequence[Any] | None:
    return None if value is None or value.shape is None else list(value.shape)


def _attribute(node: ir.Node, name: str, default: Any) -> Any:
    found = node.attributes.get(name)
    return default if found is None else found.value


def _written_out(node: ir.Node, nodes: Nodes) -> ir.Value:
    x, weight = node.inputs[0], node.inputs[1]
    assert x is not None and weight is not None
    sizes, kernel = _shape(x), _shape(weight)
    assert sizes is not None and kernel is not None
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    if not isinstance(kernel[1], int):
        number = _number_of_results(weight, nodes)
        weight = _first(weight, number, nodes)
        bias = None if bias is None else _first(bias, number, nodes)
    sizes, kernel = sizes[2:], kernel[2:]
    rank = len(kernel)
    strides = _attribute(node, "strides", [1] * rank)
    dilations = _attribute(node, "dilations", [1] * rank)
    pads = _attribute(node, "pads", [0] * 2 * rank)
    starts = [size + before for size, before in zip(sizes, pads[:rank], strict=True)]
    padded = [start + after for start, after in zip(starts, pads[rank:], strict=True)]
    spans = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    found = [(p - s) // t + 1 for p, s, t in zip(padded, spans, strides, strict=True)]

    if any(pads):
        around = [0, 0, *pads[:rank], 0, 0, *pads[rank:]]
        x = nodes.add("Pad", x, _numbers(nodes, around))
    along = _numbers(nodes, range(2, 2 + rank))
    result: ir.Value | None = None
    for place in itertools.product(*map(range, kernel)):
        begin = [k * d for k, d in zip(place, dilations, strict=True)]
        end = [b + (n - 1) * s + 1 for b, n, s in zip(begin, found, strides, strict=True)]
        met = nodes.add(
            "Slice",
            x,
            _numbers(nodes, begin),
            _numbers(nodes, end),
            along,
            _numbers(nodes, strides),
        )
        met = nodes.add("Reshape", met, _numbers(nodes, [0, 0, math.prod(found)]))
        filters = weight
        for k in reversed(place):
            filters = nodes.add("Gather", filters, nodes.constant(np.int64(k)), axis=-1)
        product = nodes.add("MatMul", filters, met)
        result = product if result is None else nodes.add("Add", result, product)
    assert result is not None
    if bias is not None:
        column = nodes.add("Unsqueeze", bias, _numbers(nodes, [1]))
        result = nodes.add("Add", result, column)
    return nodes.add("Reshape", result, _numbers(nodes, [0, 0, *found]))


def _number_of_results(weight: ir.Value, nodes: Nodes) -> ir.Value:
    filters, channels = (nodes.add("Shape", weight, start=n, end=n + 1) for n in (0, 1))
    return nodes.add("Mul", filters, nodes.add("Min", channels, _numbers(nodes, [1])))


def _first(value: ir.Value, number: ir.Value, nodes: Nodes) -> ir.Value:
    return nodes.add("Slice", value, _numbers(nodes, [0]), number, _numbers(nodes, [0]))


def _numbers(nodes: Nodes, values: Sequence[int]) -> ir.Value:
    return nodes.constant(np.array(list(values), np.int64))
