"""The graph as networkx sees it: orders, dominators, loops."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import networkx

from hcfg.graph import Hcfg, NodeId, successors
from rewriter.diagnostics import DyclBug

Place = TypeVar("Place", bound=Hashable)


def run_order(graph: Hcfg) -> tuple[NodeId, ...]:
    """Return the reachable nodes in reverse postorder: but for back-edges, sources first.

    The nodes of the program itself come first, then those of each specialised function.
    """
    return tuple(node_id for entry in graph.entries for node_id in part_of(graph, entry))


def part_of(graph: Hcfg, entry: NodeId) -> tuple[NodeId, ...]:
    """Return the nodes of the program itself, or of one function, in reverse postorder."""
    return reverse_postorder(entry, lambda node_id: successors(graph.nodes[node_id]))


def owners(graph: Hcfg) -> dict[NodeId, str | None]:
    """Return for each node the specialised function that it belongs to, None for the program."""
    names = (None, *graph.functions)
    return {
        node_id: name
        for name, entry in zip(names, graph.entries, strict=True)
        for node_id in part_of(graph, entry)
    }


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
    return tuple(
        edge
        for entry in graph.entries
        for edge in closing_edges(entry, lambda n: successors(graph.nodes[n]), graph.name)
    )


def is_reducible(graph: Hcfg) -> bool:
    """Return whether each loop has one way in."""
    try:
        back_edges(graph)
    except DyclBug:
        return False
    return True


def closing_edges(
    entry: Place, targets_of: Callable[[Place], Sequence[Place]], name: str
) -> tuple[tuple[Place, Place], ...]:
    """Return the edges that lead back in reverse postorder, which are those that close loops.

    In a reducible graph such an edge leads to a node that dominates its source: the only way
    into the loop. Raise ``DyclBug`` where one does not.
    """
    order = reverse_postorder(entry, targets_of)
    position = {place: index for index, place in enumerate(order)}
    edges = [(source, target) for source in order for target in dict.fromkeys(targets_of(source))]
    closing = tuple((a, b) for a, b in edges if position[b] <= position[a])
    if closing:  # most graphs have no loop
        parent = _immediate_dominators(edges, entry)
        if not all(dominates(parent, target, source) for source, target in closing):
            raise DyclBug(f"{name}: a loop of the control-flow graph has more than one way in")
    return closing


def immediate_dominators(graph: Hcfg, entry: NodeId) -> dict[NodeId, NodeId | None]:
    """Return for each node that ``entry`` leads to the last one that always runs before it."""
    part = part_of(graph, entry)
    return _immediate_dominators(
        [(n, target) for n in part for target in successors(graph.nodes[n])], entry
    )


def _immediate_dominators(
    edges: Sequence[tuple[Place, Place]], entry: Place
) -> dict[Place, Place | None]:
    flow: networkx.DiGraph[Place] = networkx.DiGraph()
    flow.add_node(entry)
    flow.add_edges_from(edges)
    return dict(networkx.immediate_dominators(flow, entry))


def dominates(parent: Mapping[Place, Place | None], upper: Place, lower: Place) -> bool:
    """Return whether every path to ``lower`` passes ``upper``, by immediate dominators."""
    current: Place | None = lower
    while current is not None and current != upper:
        above = parent.get(current)
        current = above if above != current else None
    return current == upper


def loops(graph: Hcfg) -> dict[NodeId, frozenset[NodeId]]:
    """Return the nodes of each loop by its head, inner loops first.

    These are natural loops: what leads to the back-edges without passing the head.
    """
    ends: dict[NodeId, list[NodeId]] = {}
    for source, head in back_edges(graph):
        ends.setdefault(head, []).append(source)
    sources = predecessors(graph) if ends else {}
    heads = (node_id for node_id in reversed(run_order(graph)) if node_id in ends)
    return {head: _nodes_of_loop(head, ends[head], sources) for head in heads}


def _nodes_of_loop(
    head: NodeId, ends: Sequence[NodeId], sources: Mapping[NodeId, tuple[NodeId, ...]]
) -> frozenset[NodeId]:
    found, pending = {head}, list(ends)
    while pending:
        node_id = pending.pop()
        if node_id not in found:
            found.add(node_id)
            pending += sources[node_id]
    return frozenset(found)
