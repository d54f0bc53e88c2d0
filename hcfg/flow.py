"""The graph as networkx sees it: orders, dominators, loops."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import networkx

from hcfg.graph import Hcfg, NodeId, successors
from rewriter.diagnostics import DyclBug

Place = TypeVar("Place", bound=Hashable)


def flow_graph(graph: Hcfg) -> "networkx.DiGraph[NodeId]":
    """Return the edges of ``graph``."""
    flow: networkx.DiGraph[NodeId] = networkx.DiGraph()
    flow.add_nodes_from(graph.nodes)
    for node_id, node in graph.nodes.items():
        flow.add_edges_from((node_id, target) for target in successors(node))
    return flow


def run_order(graph: Hcfg) -> tuple[NodeId, ...]:
    """Return the reachable nodes in reverse postorder: but for back-edges, sources first."""
    return reverse_postorder(graph.entry, lambda node_id: successors(graph.nodes[node_id]))


def reverse_postorder(
    entry: Place, targets_of: Callable[[Place], Sequence[Place]]
) -> tuple[Place, ...]:
    """Return what can be reached, sources before targets but for back-edges.

    What the first target leads to comes before what the others lead to: the true arm of a
    branch before the false one, the body of a loop before what follows it.
    """
    done: list[Place] = []
    seen = {entry}
    stack = [(entry, iter(tuple(reversed(targets_of(entry)))))]
    while stack:
        place, targets = stack[-1]
        target = next((t for t in targets if t not in seen), None)
        if target is None:
            done.append(place)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(tuple(reversed(targets_of(target))))))
    return tuple(reversed(done))


def predecessors(graph: Hcfg) -> dict[NodeId, tuple[NodeId, ...]]:
    """Return for each node the nodes that may run just before it."""
    before: dict[NodeId, list[NodeId]] = {node_id: [] for node_id in graph.nodes}
    for node_id, node in graph.nodes.items():
        for target in dict.fromkeys(successors(node)):
            before[target].append(node_id)
    return {node_id: tuple(sources) for node_id, sources in before.items()}


def back_edges(graph: Hcfg) -> tuple[tuple[NodeId, NodeId], ...]:
    """Return the edges that close loops. Raise ``DyclBug`` where the graph is not reducible."""
    return closing_edges(flow_graph(graph), graph.entry, graph.name)


def closing_edges(
    flow: "networkx.DiGraph[Place]", entry: Place, name: str
) -> tuple[tuple[Place, Place], ...]:
    """Return the edges of a rooted graph that lead to a node which dominates their source."""
    parent = dict(networkx.immediate_dominators(flow, entry))
    closing = [(a, b) for a, b in flow.edges if a in parent and _dominates(parent, b, a)]
    rest = flow.copy()
    rest.remove_edges_from(closing)
    if not networkx.is_directed_acyclic_graph(rest):
        raise DyclBug(f"{name}: a loop of the control-flow graph has more than one way in")
    return tuple(closing)


def _dominates(parent: Mapping[Place, Place], upper: Place, lower: Place) -> bool:
    """Return whether every path to ``lower`` passes ``upper``, by immediate dominators."""
    current: Place | None = lower
    seen: set[Place] = set()
    while current is not None and current not in seen:
        if current == upper:
            return True
        seen.add(current)
        current = parent.get(current)
    return False
