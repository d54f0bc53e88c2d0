"""Leaves it to the loader to tell negative indices from others, where there is one index.

PyTorch raises where an index of an embedding is negative, ``Gather`` counts back from the end. Two
operators move such an index out of range: two calls of a kernel. For a single index that
comes into the graph the loader asks the host instead, and gives a number that is out of range in
its place: whatever the graph raises, it raises at the same operator.

    x0 -> Less(x0, 0) -> Where(it, rows, x0) -> Gather        becomes        x0 -> Gather
"""

from collections import defaultdict
from collections.abc import Iterator

import onnx

from dycl.backends.onnx_graphs.splitting import Part, reads, split

_VIEWS = ("Reshape", "Squeeze", "Unsqueeze", "Identity")


def without_told_places(
    model: onnx.ModelProto, inputs: int
) -> tuple[onnx.ModelProto, tuple[int, ...]]:
    """Return a graph without what the loader does, and the numbers of inputs it does it for.

    The graph's first ``inputs`` are those of the sub-DNN; weights come after.
    """
    graph = _Graph(model.graph)
    found = {
        number: guards
        for number, value in enumerate(model.graph.input[:inputs])
        if _is_one_index(value) and (guards := graph.guards(value.name))
    }
    if not found:
        return model, ()
    made = onnx.ModelProto()
    made.CopyFrom(model)
    indices = {guard.output[0]: guard.input[2] for guards in found.values() for guard in guards}
    for node in made.graph.node:
        node.input[:] = [indices.get(name, name) for name in node.input]
    whole = Part(
        inputs=tuple(range(len(made.graph.input))),
        outputs=tuple(range(len(made.graph.output))),
        input_names=tuple(value.name for value in made.graph.input),
    )
    return split(made, whole), tuple(found)


def _is_one_index(value: onnx.ValueInfoProto) -> bool:
    kind = value.type.tensor_type
    return kind.elem_type == onnx.TensorProto.INT64 and all(
        size.dim_value == 1 for size in kind.shape.dim
    )


class _Graph:
    """Who reads each value."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.constants = {each.name: each for each in graph.initializer}
        self.producers = {name: node for node in graph.node for name in node.output}
        self.outputs = {value.name for value in graph.output}
        self.readers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in graph.node:
            for name in reads(node):
                self.readers[name].append(node)

    def guards(self, name: str) -> list[onnx.NodeProto]:
        """Return the ``Where`` nodes behind which alone an input is read, if that is so."""
        guards: list[onnx.NodeProto] = []
        for value in (views := list(self._views(name))):
            for reader in self.readers[value]:
                is_view = reader.op_type in _VIEWS and reader.input[0] == value
                if self._is_guard(reader, value):
                    guards.append(reader)
                elif not (is_view or self._is_test(reader, value)):
                    return []
        return [] if self.outputs.intersection(views) else guards

    def _views(self, name: str) -> Iterator[str]:
        yield name
        for reader in self.readers[name]:
            if reader.op_type in _VIEWS and reader.input[0] == name:
                yield from self._views(reader.output[0])

    def _is_test(self, node: onnx.NodeProto, name: str) -> bool:
        """Return whether a node only tells guards of this value where it is negative."""
        if node.op_type != "Less" or node.input[0] != name or not self._is_zero(node.input[1]):
            return False
        result = node.output[0]
        guarding = all(
            reader.op_type == "Where" and list(reader.input[::2]) == [result, name]
            for reader in self.readers[result]
        )
        return guarding and result not in self.outputs

    def _is_guard(self, node: onnx.NodeProto, name: str) -> bool:
        """Return whether a node gives indices to lookups, with negative ones out of range."""
        test = self.producers.get(node.input[0]) if node.op_type == "Where" else None
        if test is None or node.input[2] != name or not self._is_test(test, name):
            return False
        result = node.output[0]
        looking_up = all(
            reader.op_type == "Gather" and reader.input[1] == result and reader.input[0] != result
            for reader in self.readers[result]
        )
        return looking_up and result not in self.outputs

    def _is_zero(self, name: str) -> bool:
        content = self.constants.get(name)
        return content is not None and not onnx.numpy_helper.to_array(content).any()
