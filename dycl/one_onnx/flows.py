"""How the paths of a graph part and meet: what has to be inside of an ``If`` or a ``Loop``."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import networkx

from hcfg.flow import back_edges, owners, predecessors, run_order
from hcfg.graph import Hcfg, NodeId, successors


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The nodes that run again and again, and where one goes on after them."""

    head: NodeId
    nodes: frozenset[NodeId]
    exits: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Questions about the edges of a graph."""

    graph: Hcfg
    number: Mapping[NodeId, int]
    """Positions in run order."""
    before: Mapping[NodeId, tuple[NodeId, ...]]
    loops: Mapping[NodeId, Loop]
    """By their heads."""
    owner: Mapping[NodeId, str | None]
    """The function that a node belongs to, None for the program."""

    @staticmethod
    def of(graph: Hcfg) -> "Flows":
        """Look at a graph."""
        number = {node_id: i for i, node_id in enumerate(run_order(graph))}
        before = predecessors(graph)
        tails: dict[NodeId, list[NodeId]] = {}
        for source, target in back_edges(graph):
            tails.setdefault(target, []).append(source)
        loops = {head: _loop(head, ends, graph, before, number) for head, ends in tails.items()}
        return Flows(graph, number, before, loops, owners(graph))

    def in_order(self, nodes: Iterable[NodeId]) -> tuple[NodeId, ...]:
        """Return nodes in run order, each once; ends of functions come last."""
        last = len(self.number)
        return tuple(sorted(dict.fromkeys(nodes), key=lambda n: self.number.get(n, last)))

    def meeting_points(
        self, first: NodeId, second: NodeId, stops: frozenset[NodeId]
    ) -> frozenset[NodeId]:
        """Return where paths from one node come together with those from the other.

        Looks no further than ``stops``, which are no meeting points.
        """
        one, other = self._reached(first, stops), self._reached(second, stops)
        common = one & other
        apart = (one | other) - common
        return frozenset(
            node
            for node in common
            if node in (first, second) or any(source in apart for source in self.before[node])
        )

    def _reached(self, start: NodeId, stops: frozenset[NodeId]) -> set[NodeId]:
        if start in stops:
            return set()
        found, pending = {start}, [start]
        while pending:
            for target in successors(self.graph.nodes[pending.pop()]):
                if target not in found and target not in stops:
                    found.add(target)
                    pending.append(target)
        return found


def _loop(
    head: NodeId,
    tails: Iterable[NodeId],
    graph: Hcfg,
    before: Mapping[NodeId, tuple[NodeId, ...]],
    number: Mapping[NodeId, int],
) -> Loop:
    backwards = networkx.DiGraph(
        (node_id, source) for node_id, sources in before.items() if node_id != head
        for source in sources
    )  # fmt: skip
    nodes = {head}
    for tail in tails:
        nodes |= {tail} if tail == head else {tail, *networkx.descendants(backwards, tail)}
    targets = {t for n in nodes for t in successors(graph.nodes[n])} - nodes
    exits = tuple(sorted(targets, key=lambda node: number[node]))
    return Loop(head=head, nodes=frozenset(nodes), exits=exits)
