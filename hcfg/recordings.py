"""A table of recordings beside the graph."""

from dataclasses import dataclass, field

from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recording import Recording, record


@dataclass(slots=True, kw_only=True)
class Recordings:
    """Recordings of sub-DNNs, each made once however many passes ask for it."""

    _done: dict[object, Recording] = field(default_factory=dict)

    def of(self, node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
        """Return the recording of a sub-DNN of ``graph``."""
        key = (node.statements, node.inputs, node.outputs)  # expressions compare by identity
        if key not in self._done:
            self._done[key] = record(node_id, node, graph)
        return self._done[key]
