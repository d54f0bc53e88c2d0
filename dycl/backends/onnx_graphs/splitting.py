"""Cuts one sub-DNN out of the ONNX graph of many, with names of its own.

What belongs to a part is what its outputs reach back to. Names are given anew in the order
in which the graph is read, so that the same sub-DNN gives the same bytes whatever it was
exported together with.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import onnx

IR_VERSION = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which inputs and outputs of the whole graph are one sub-DNN's."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    input_names: tuple[str, ...]


def split(model: onnx.ModelProto, part: Part) -> onnx.ModelProto:
    """Return the part as a model whose outputs are called ``y0``, ``y1``, ..."""
    whole = model.graph
    results = [whole.output[position].name for position in part.outputs]
    nodes = _reachable(whole, results)
    read = dict.fromkeys([name for node in nodes for name in reads(node)] + results)
    graph = onnx.GraphProto(name="subdnn")
    names: dict[str, str] = {}
    dimensions: dict[str, str] = {}
    for position, name in zip(part.inputs, part.input_names, strict=True):
        names[whole.input[position].name] = name
        graph.input.append(_renamed(whole.input[position], name, dimensions))
    constants = {tensor.name: tensor for tensor in whole.initializer}
    for name in (name for name in read if name in constants):
        names[name] = f"c{len(graph.initializer)}"
        graph.initializer.append(constants[name])
        graph.initializer[-1].name = names[name]
        graph.initializer[-1].doc_string = ""
    produced = {name for node in nodes for name in node.output}
    for number, name in reversed(list(enumerate(results))):
        if name in produced:  # of several outputs with one value, the first gets its name
            names[name] = f"y{number}"
    graph.node.extend(renamed_nodes(nodes, names, count()))
    for number, (position, name) in enumerate(zip(part.outputs, results, strict=True)):
        if names[name] != f"y{number}":
            graph.node.append(
                onnx.helper.make_node("Identity", [names[name]], [f"y{number}"], f"copy_{number}")
            )
        graph.output.append(_renamed(whole.output[position], f"y{number}", None))
    return onnx.helper.make_model(
        graph, opset_imports=_imports(model, nodes), ir_version=IR_VERSION, producer_name="dycl"
    )


def _reachable(graph: onnx.GraphProto, results: Iterable[str]) -> list[onnx.NodeProto]:
    producer = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    found: set[int] = set()
    pending = [producer[name] for name in results if name in producer]
    while pending:
        index = pending.pop()
        if index not in found:
            found.add(index)
            names = reads(graph.node[index])
            pending += [producer[name] for name in names if name in producer]
    return [graph.node[index] for index in sorted(found)]


def reads(node: onnx.NodeProto) -> Iterator[str]:
    """Yield what a node reads, the outer values that its subgraphs read included."""
    yield from (name for name in node.input if name)
    for body in subgraphs(node):
        yield from (name for inner in body.node for name in reads(inner))
        yield from (value.name for value in body.output)


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Yield the graphs inside of a node."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            yield from attribute.graphs


def renamed_nodes(
    nodes: Iterable[onnx.NodeProto], names: dict[str, str], numbers: Iterator[int], word: str = "t"
) -> list[onnx.NodeProto]:
    """Return copies of nodes in new names; ``names`` learns what they define.

    New names are ``word`` and a number.
    """
    renamed: list[onnx.NodeProto] = []
    for node in nodes:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.ClearField("metadata_props")  # the exporter's, with paths of this machine
        copy.doc_string = ""
        copy.attribute.sort(key=lambda attribute: attribute.name)
        copy.name = f"{node.op_type}_{next(numbers)}"
        copy.input[:] = [names[name] if name else "" for name in node.input]
        for name in node.output:
            if name:
                names.setdefault(name, f"{word}{next(numbers)}")
        copy.output[:] = [names[name] if name else "" for name in node.output]
        for body in subgraphs(copy):
            _rename_subgraph(body, dict(names), numbers, word)
        renamed.append(copy)
    return renamed


def _rename_subgraph(
    body: onnx.GraphProto, names: dict[str, str], numbers: Iterator[int], word: str
) -> None:
    body.ClearField("value_info")
    body.ClearField("metadata_props")
    for defined in (*body.input, *body.initializer):
        names[defined.name] = f"{word}{next(numbers)}"
        defined.name = names[defined.name]
    nodes = renamed_nodes(list(body.node), names, numbers, word)
    del body.node[:]
    body.node.extend(nodes)
    for value in body.output:
        value.name = names[value.name]


def _renamed(
    value: onnx.ValueInfoProto, name: str, dimensions: dict[str, str] | None
) -> onnx.ValueInfoProto:
    """Return a value in a new name; sizes that are names become ``d0``, ``d1``, ... of inputs."""
    renamed = onnx.ValueInfoProto(name=name, type=value.type)
    for size in renamed.type.tensor_type.shape.dim:
        if size.dim_param and dimensions is not None:
            size.dim_param = dimensions.setdefault(size.dim_param, f"d{len(dimensions)}")
        elif size.dim_param:  # what is known of an output, the runtime finds out itself
            size.ClearField("dim_param")
    return renamed


def _imports(
    model: onnx.ModelProto, nodes: Iterable[onnx.NodeProto]
) -> list[onnx.OperatorSetIdProto]:
    domains = {""} | {node.domain for node in nodes}
    return [entry for entry in model.opset_import if entry.domain in domains]
