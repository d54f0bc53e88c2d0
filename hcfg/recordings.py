"""A table of recordings beside the graph."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from hcfg.alike import Likeness, likeness, renamed, says_all
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recording import Recording, record


@dataclass(slots=True, kw_only=True)
class Recordings:
    """Recordings of sub-DNNs, one for all that are alike, however many passes ask for it."""

    _done: dict[object, Recording] = field(default_factory=dict)
    _alike: dict[Hashable, tuple[Likeness, Recording]] = field(default_factory=dict)

    def of(self, node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
        """Return the recording of a sub-DNN of ``graph``."""
        key = (node.statements, node.inputs, node.outputs)  # expressions compare by identity
        if key not in self._done:
            self._done[key] = self._found(node_id, node, graph)
        return self._done[key]

    def _found(self, node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
        like = likeness(node, graph)
        if like is None:
            return record(node_id, node, graph)
        if like.key in self._alike:
            made, recording = self._alike[like.key]
            return renamed(recording, made, like)
        recording = record(node_id, node, graph)
        if says_all(recording, like):
            self._alike[like.key] = (like, recording)
        return recording
