"""Code for batches of sub-DNNs, made once for all that are equal up to weights."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, fx

from hcfg.batched_code import OfBatch, is_code_of, of_batch
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recordings import Recordings


@dataclass(slots=True, kw_only=True)
class BatchedCodes:
    """What was made of sub-DNNs, each once."""

    _done: dict[object, OfBatch | None] = field(default_factory=dict)
    _structures: dict[str, tuple[OfBatch, Sequence[Tensor]]] = field(default_factory=dict)
    """Code of a structure, and the weights that it was made with."""

    def of(self, node_id: NodeId, graph: Hcfg, recordings: Recordings) -> OfBatch | None:
        """Return a sub-DNN of a graph for batches, None where there is none."""
        node = graph.nodes[node_id]
        assert isinstance(node, SubDnn)
        key = node.statements, node.inputs, node.outputs  # expressions compare by identity
        if key not in self._done:
            self._done[key] = self._made(node_id, node, graph, recordings)
        return self._done[key]

    def _made(
        self, node_id: NodeId, node: SubDnn, graph: Hcfg, recordings: Recordings
    ) -> OfBatch | None:
        recording = recordings.of(node_id, node, graph)
        structure, weights = recording.structure, recording.weights
        if recording.opaque:
            return of_batch(node, graph)
        if structure in self._structures:
            made = _with_weights(*self._structures[structure], weights)
            if made is not None and is_code_of(made, node, graph):
                return made
        made = of_batch(node, graph)
        if made is not None:
            self._structures.setdefault(structure, (made, weights))
        return made


def _with_weights(
    made: OfBatch, before: Sequence[Tensor], after: Sequence[Tensor]
) -> OfBatch | None:
    """Return code for batches with other weights; None where it has tensors that are none."""
    places = {_memory(weight): place for place, weight in enumerate(before)}
    graph = made.trace.graph
    names = [str(node.target) for node in graph.nodes if node.op == "get_attr"]
    tensors = {name: getattr(made.trace, name) for name in names}
    if len(places) < len(before) or not all(_memory(each) in places for each in tensors.values()):
        return None
    other = fx.Graph()
    other.output(other.graph_copy(graph, {}))
    changed: dict[str, Any] = {name: after[places[_memory(each)]] for name, each in tensors.items()}
    return OfBatch(fx.GraphModule(changed, other))


def _memory(tensor: Tensor) -> tuple[object, ...]:
    """Return what tells the content of a tensor from others."""
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype
