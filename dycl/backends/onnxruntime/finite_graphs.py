"""A graph that is right for finite numbers, out of one that is right for all.

Where maximum pooling has an arm for NaN and infinities (``onnx_graphs/maximum_pooling.py``), the
fast graph pools in any case. It gives the sums of squares that tell whether it may have been wrong.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import onnx

from dycl.backends.onnx_graphs.splitting import reads

_WHOLE = "GlobalAveragePool"
_PLACES = ("kernel_shape", "strides", "pads", "dilations", "ceil_mode", "auto_pad")


def without_exact_arms(model: onnx.ModelProto) -> onnx.ModelProto | None:
    """Return the graph with plain pooling; None where it has other subgraphs, or other pooling."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    producer = {name: node for node in graph.node for name in node.output}
    for node in graph.node:
        if node.op_type == "MaxPool":
            return None
        if node.op_type == "If":
            plain = _plain_arm(graph, node, producer)
            if plain is None:
                return None
            output = node.output[0]
            node.CopyFrom(plain)
            node.output[:] = [output]
        elif any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
            return None
    _drop_unread(graph)
    return made


def pooled(model: onnx.ModelProto) -> frozenset[str]:
    """Return the values that MaxPools read."""
    return frozenset(node.input[0] for node in model.graph.node if node.op_type == "MaxPool")


def wholly_told(model: onnx.ModelProto) -> frozenset[str]:
    """Return the values of which the sums of squares tell whether all elements are finite.

    Windows of an average may leave some out.
    """
    pairs = _pools_and_averages(model.graph, ())
    return frozenset(
        pool.input[0] for pool, average in pairs if average is None or average.op_type == _WHOLE
    )


def with_sums_of_squares(model: onnx.ModelProto, finite: Collection[str] = ()) -> list[str]:
    """Give, in place, the sums of squares that tell whether what MaxPools read is finite.

    Return their names. Where an average is taken over the same windows, it is finite only if all in
    them is, and has fewer elements: its squares are summed. ``finite`` are values of which that is
    known.
    """
    graph = model.graph
    pairs = _pools_and_averages(graph, finite)
    told = dict.fromkeys(pool.input[0] if a is None else a.output[0] for pool, a in pairs)
    names = [f"s{number}" for number, _ in enumerate(told)]
    for value, name in zip(told, names, strict=True):
        graph.node.append(onnx.helper.make_node("ReduceSumSquare", [value], [name], keepdims=0))
        graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, []))
    return names


def _pools_and_averages(
    graph: onnx.GraphProto, finite: Collection[str]
) -> list[tuple[onnx.NodeProto, onnx.NodeProto | None]]:
    """Return each MaxPool with the average over what it takes the maximum of, if there is one."""
    pools = [n for n in graph.node if n.op_type == "MaxPool" and n.input[0] not in finite]
    averages = [node for node in graph.node if node.op_type in ("AveragePool", _WHOLE)]
    return [(pool, _average_of(pool, averages)) for pool in pools]


def _average_of(pool: onnx.NodeProto, averages: Sequence[onnx.NodeProto]) -> onnx.NodeProto | None:
    for node in averages:
        same = node.op_type == _WHOLE or _windows(node) == _windows(pool)
        if node.input[0] == pool.input[0] and same:
            return node
    return None


def _windows(pool: onnx.NodeProto) -> Mapping[str, object]:
    """Return what says where the windows of a pooling are, but for what is left to defaults."""
    attributes = {each.name: onnx.helper.get_attribute_value(each) for each in pool.attribute}
    named = {name: value for name, value in attributes.items() if name in _PLACES}
    return {name: value for name, value in named.items() if not _is_default(name, value)}


def _is_default(name: str, value: Any) -> bool:
    match name:
        case "pads":
            return not any(value)
        case "dilations":
            return all(number == 1 for number in value)
        case "ceil_mode":
            return not value
        case "auto_pad":
            return bool(value == b"NOTSET")
        case _:
            return False


def _plain_arm(
    graph: onnx.GraphProto, choice: onnx.NodeProto, producer: dict[str, onnx.NodeProto]
) -> onnx.NodeProto | None:
    """Return the pooling of the arm for finite numbers, None where it is another choice.

    That of double precision is another one: sums of squares are float32. So is one that gives
    places, which are those in images as PyTorch has them.
    """
    if len(choice.output) > 1:
        return None
    test = producer.get(choice.input[0])
    arms = {attribute.name: attribute.g for attribute in choice.attribute}
    nodes = arms["then_branch"].node
    if test is None or test.op_type != "Less" or len(nodes) != 1 or nodes[0].op_type != "MaxPool":
        return None
    squares = producer.get(test.input[0])
    if squares is None or squares.op_type != "ReduceSumSquare":
        return None
    if _constant_type(graph, test.input[1], producer) != onnx.TensorProto.FLOAT:
        return None
    return nodes[0] if squares.input[0] == nodes[0].input[0] else None


def _constant_type(
    graph: onnx.GraphProto, name: str, producer: dict[str, onnx.NodeProto]
) -> int | None:
    """Return the element type of a constant, None where it is computed."""
    maker = producer.get(name)
    if maker is not None:
        return next((each.t.data_type for each in maker.attribute if each.name == "value"), None)
    return next((each.data_type for each in graph.initializer if each.name == name), None)


def _drop_unread(graph: onnx.GraphProto) -> None:
    """Drop the nodes whose results nobody reads any more."""
    read = {value.name for value in graph.output}
    kept = []
    for node in reversed(graph.node):
        if read.intersection(node.output):
            kept.append(node)
            read.update(reads(node))
    del graph.node[:]
    graph.node.extend(reversed(kept))
    constants = [tensor for tensor in graph.initializer if tensor.name in read]
    del graph.initializer[:]
    graph.initializer.extend(constants)
