"""Sub-DNNs as nodes of a larger graph."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import onnx

from dycl.backends.onnx_graphs.splitting import renamed_nodes, subgraphs
from dycl.capture import CapturedSubDnn
from dycl.one_onnx.graphs import Value
from dycl.one_onnx.paths import Scope
from dycl.one_onnx.types import element_of
from dycl.one_onnx.weights import Weights, content_of_proto
from hcfg.graph import NodeId


@dataclass(frozen=True, slots=True)
class Exported:
    """A sub-DNN and the ONNX graph of its structure, whose weights are inputs."""

    subdnn: CapturedSubDnn
    skeleton: onnx.ModelProto
    more: tuple[str, ...] = ()
    """What values are called that the graph gives after the sub-DNN's own: rows of one number."""


@dataclass(slots=True)
class SubDnns:
    """Writes sub-DNNs where they are called."""

    exported: Mapping[NodeId, Exported]
    weights: Weights
    imports: dict[str, int] = field(default_factory=dict)
    """Operator sets that what was written needs."""

    def write(self, node_id: NodeId, scope: Scope) -> None:
        """Write a sub-DNN's nodes; its outputs become values of the scope."""
        subdnn, skeleton = self.exported[node_id].subdnn, self.exported[node_id].skeleton
        for needed in skeleton.opset_import:
            self.imports[needed.domain] = needed.version
        graph, writer = skeleton.graph, scope.writer
        slots = [value.name for value in graph.input]
        values = [scope.values[port.name] for port in subdnn.inputs]
        names = {slot: value.name for slot, value in zip(slots, values, strict=False)}
        readers = _readers(graph.node)
        for slot, weight in zip(graph.input[len(values) :], subdnn.weights, strict=True):
            if slot.name in readers:
                element = slot.type.tensor_type.elem_type
                place = self.weights.tensor(weight.tensor, element, writer, readers[slot.name])
                names[slot.name] = place.name
        for tensor in graph.initializer:
            place = self.weights.place(
                content_of_proto(tensor),
                tensor.data_type,
                tuple(tensor.dims),
                writer,
                readers.get(tensor.name, ()),
            )
            names[tensor.name] = place.name
        nodes = renamed_nodes(graph.node, names, writer.numbers, "value.")
        writer.nodes += nodes
        writer.made.update(name for node in nodes for name in node.output)
        own, more = graph.output[: len(subdnn.outputs)], graph.output[len(subdnn.outputs) :]
        for output, port in zip(own, subdnn.outputs, strict=True):
            shape = tuple(size if isinstance(size, int) else None for size in port.shape)
            scope.values[port.name] = Value(
                name=names[output.name], element=element_of(port.dtype), shape=shape
            )
        for name, output in zip(self.exported[node_id].more, more, strict=True):
            element = output.type.tensor_type.elem_type
            scope.values[name] = Value(name=names[output.name], element=element, shape=(1,))


def _readers(nodes: Sequence[onnx.NodeProto]) -> dict[str, set[str]]:
    """Return the operators that read each value."""
    found: dict[str, set[str]] = {}
    for node in all_nodes(nodes):
        for name in node.input:
            found.setdefault(name, set()).add(node.op_type)
    return found


def all_nodes(nodes: Sequence[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield nodes, and those of the graphs inside of them."""
    for node in nodes:
        yield node
        for body in subgraphs(node):
            yield from all_nodes(body.node)
