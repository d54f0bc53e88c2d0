"""A table of recordings beside the graph."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from hcfg.alike import Likeness, likeness, renamed, says_all
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recording import Recording, record
from hcfg.told_sizes import Sizes, told_sizes, with_sizes
from rewriter.alike import DescribedModules


@dataclass(slots=True, kw_only=True)
class Recordings:
    """Recordings of sub-DNNs, one for all that are alike, however many passes ask for it."""

    _done: dict[object, Recording] = field(default_factory=dict)
    _tested: tuple[Hcfg, Mapping[NodeId, Sizes]] | None = None
    """The graph that was asked for last, with the sizes that its tests tell."""
    _alike: dict[Hashable, tuple[Likeness, Recording]] = field(default_factory=dict)
    _modules: DescribedModules = field(default_factory=DescribedModules)

    def of(self, node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
        """Return the recording of a sub-DNN of ``graph``."""
        if self._tested is None or self._tested[0] is not graph:
            self._tested = (graph, told_sizes(graph))
        sizes = self._tested[1].get(node_id, {})
        # expressions compare by identity
        key = (node.statements, node.inputs, node.outputs, frozenset(sizes.items()))
        if key not in self._done:
            self._done[key] = self._found(node_id, node, with_sizes(graph, sizes))
        return self._done[key]

    def _found(self, node_id: NodeId, node: SubDnn, graph: Hcfg) -> Recording:
        like = likeness(node, graph, self._modules)
        if like is None:
            return record(node_id, node, graph)
        if like.key in self._alike:
            made, recording = self._alike[like.key]
            found = renamed(recording, made, like)
            if found is not None:
                return found
        recording = record(node_id, node, graph)
        if says_all(recording, like):
            self._alike[like.key] = (like, recording)
        return recording
