"""A graph while its straight lines are taken apart and put together again."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hcfg.edit import ordered, with_merged_host_blocks, with_targets
from hcfg.flow import predecessors
from hcfg.graph import Hcfg, HostBlock, Node, NodeId, SubDnn, kind_of, successors
from hcfg.lines import Work


@dataclass(slots=True)
class Splicing:
    """Nodes, and who leads to them, up to date after every change."""

    graph: Hcfg
    """As it was at first."""
    nodes: dict[NodeId, Node] = field(init=False)
    _sources: dict[NodeId, dict[NodeId, None]] = field(init=False)
    _counts: Counter[str] = field(init=False, default_factory=Counter)

    def __post_init__(self) -> None:
        """Take the graph's nodes and edges."""
        self.nodes = dict(self.graph.nodes)
        self._sources = {n: dict.fromkeys(s) for n, s in predecessors(self.graph).items()}
        for node_id in self.nodes:
            kind, _, number = node_id.partition("_")
            if number.isdecimal():
                self._counts[kind] = max(self._counts[kind], int(number) + 1)

    def result(self) -> Hcfg:
        """Return the graph as it is now."""
        return with_merged_host_blocks(ordered(replace(self.graph, nodes=self.nodes)))

    def sources(self, node_id: NodeId) -> tuple[NodeId, ...]:
        """Return the nodes that lead to a node."""
        return tuple(self._sources[node_id])

    def work(self, node_id: NodeId) -> Work | None:
        """Return a node that may stand in a straight line, None for any other."""
        node = self.nodes[node_id]
        return node if isinstance(node, SubDnn | HostBlock) else None

    def works(self, line: Sequence[NodeId]) -> tuple[Work, ...]:
        """Return the nodes of a straight line."""
        return tuple(node for n in line if (node := self.work(n)) is not None)

    def line_up_to(self, last: NodeId) -> tuple[NodeId, ...]:
        """Return the straight line that ends with a node, back to where another edge arrives."""
        line: list[NodeId] = []
        current: NodeId | None = last
        while current is not None and self.work(current) is not None:
            line.append(current)
            before = self.sources(current)
            alone = len(before) == 1 and len(successors(self.nodes[before[0]])) == 1
            current = before[0] if alone else None
        return tuple(reversed(line))

    def line_until_subdnn(self, first: NodeId) -> tuple[NodeId, ...]:
        """Return a straight line up to its first sub-DNN; nothing where it has none.

        Only at its first node another edge may arrive.
        """
        line: list[NodeId] = []
        current = first
        while (node := self.work(current)) is not None:
            if line and len(self.sources(current)) > 1:
                break
            line.append(current)
            if isinstance(node, SubDnn):
                return tuple(line)
            current = node.then
        return ()

    def redirect(self, source: NodeId, old: NodeId, new: NodeId) -> None:
        """Let the edges from ``source`` to ``old`` lead to ``new``."""
        self._set(source, with_targets(self.nodes[source], lambda t: new if t == old else t))

    def replace_line(
        self, old: Sequence[NodeId], new: Sequence[Work], then: NodeId
    ) -> tuple[NodeId, ...]:
        """Put nodes in the place of a straight line; return what they are called.

        They get its ids, as far as these last. Without any, edges lead on to what follows.
        """
        before = [source for source in self.sources(old[0]) if source not in old]
        entering = {source: self.nodes[source] for source in before}
        for node_id in old:
            self._forget_edges(node_id)
        ids = self._insert(new, then, free=old)
        first = ids[0] if ids else then
        for source, node in entering.items():
            self._set(source, with_targets(node, lambda t: first if t == old[0] else t))
        for node_id in old:
            if node_id not in ids:
                del self.nodes[node_id], self._sources[node_id]
        return tuple(ids)

    def append(
        self, nodes: Sequence[Work], source: NodeId, old: NodeId, then: NodeId
    ) -> tuple[NodeId, ...]:
        """Put copies on the edge from ``source`` to ``old``; return what they are called."""
        ids = self._insert(nodes, then, free=())
        self.redirect(source, old, ids[0])
        return tuple(ids)

    def drop(self, node_id: NodeId) -> None:
        """Take out a node to which no edge leads."""
        self._forget_edges(node_id)
        del self.nodes[node_id], self._sources[node_id]

    def _insert(self, nodes: Sequence[Work], then: NodeId, free: Iterable[NodeId]) -> list[NodeId]:
        ids: list[NodeId] = []
        left = list(free)
        for node in nodes:
            kind = kind_of(node)
            own = next((n for n in left if n.startswith(f"{kind}_")), None)
            if own is None:
                own = f"{kind}_{self._counts[kind]}"
                self._counts[kind] += 1
            else:
                left.remove(own)
            ids.append(own)
        for node_id, node, target in zip(ids, nodes, [*ids[1:], then][: len(ids)], strict=True):
            self._sources.setdefault(node_id, {})
            self._set(node_id, replace(node, then=target))
        return ids

    def _set(self, node_id: NodeId, node: Node) -> None:
        self._forget_edges(node_id)
        self.nodes[node_id] = node
        for target in successors(node):
            self._sources.setdefault(target, {})[node_id] = None

    def _forget_edges(self, node_id: NodeId) -> None:
        if node_id in self.nodes:
            for target in successors(self.nodes[node_id]):
                self._sources.get(target, {}).pop(node_id, None)
