"""What structuring needs to know about a control-flow graph: dominators, loops, frontiers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Generic

import networkx as nx

from rewriter.diagnostics import DyclBug
from rewriter.printing.structured import Node


class FlowGraph(Generic[Node]):
    """A reducible control-flow graph and its tables. Nodes not reached are left out."""

    successors: Mapping[Node, tuple[Node, ...]]
    number: Mapping[Node, int]
    """Place in reverse postorder: forward edges lead to higher numbers."""
    parent: Mapping[Node, Node]
    """The immediate dominator; the entry has none."""
    children: Mapping[Node, tuple[Node, ...]]
    """The nodes that a node dominates immediately, by number."""
    forward_edges: Mapping[Node, int]
    """How many edges lead to a node, back edges not counted."""
    frontier: Mapping[Node, frozenset[Node]]
    """Where control goes when it leaves the nodes that a node dominates."""
    size: Mapping[Node, int]
    """How many nodes a node dominates, itself included."""
    loops: Mapping[Node, frozenset[Node]]
    """The nodes of the loop that starts at a head."""
    innermost: Mapping[Node, Node | None]
    """The head of the smallest loop around a node."""

    def __init__(self, successors: Mapping[Node, Sequence[Node]], entry: Node) -> None:
        """Compute the tables of what is reachable from the entry."""
        graph = _reachable(successors, entry)
        order = list(nx.dfs_postorder_nodes(graph, entry))[::-1]
        self.successors = {node: tuple(successors[node]) for node in order}
        self.number = {node: index for index, node in enumerate(order)}
        dominators = nx.immediate_dominators(graph, entry)
        self.parent = {node: dominators[node] for node in order[1:]}
        self.frontier = {
            node: frozenset(reached)
            for node, reached in nx.dominance_frontiers(graph, entry).items()
        }
        self._set_tree(order)
        self._set_loops(graph, order)

    def _set_tree(self, order: Sequence[Node]) -> None:
        children: dict[Node, list[Node]] = {node: [] for node in order}
        for node, parent in self.parent.items():
            children[parent].append(node)
        self.children = {node: tuple(below) for node, below in children.items()}
        size = dict.fromkeys(order, 1)
        for node in order[:0:-1]:
            size[self.parent[node]] += size[node]
        self.size = size

    def _set_loops(self, graph: "nx.DiGraph[Node]", order: Sequence[Node]) -> None:
        number = self.number
        back = [(node, head) for node, head in graph.edges if number[head] <= number[node]]
        loops: dict[Node, set[Node]] = {head: {head} for _, head in back}
        for node, head in back:
            pending = [node]
            while pending:
                member = pending.pop()
                if member in loops[head]:
                    continue
                if number[member] < number[head]:
                    # Control enters the loop beside its head.
                    raise DyclBug(f"the control-flow graph is not reducible at {head!r}")
                loops[head].add(member)
                pending.extend(graph.predecessors(member))
        self.loops = {head: frozenset(loops[head]) for head in order if head in loops}
        innermost: dict[Node, Node | None] = dict.fromkeys(order)
        for head, members in self.loops.items():
            # Outer heads come first in reverse postorder, so inner loops overwrite them.
            innermost.update(dict.fromkeys(members, head))
        self.innermost = innermost
        returning = frozenset(back)
        self.forward_edges = Counter(
            after
            for node, leaving in self.successors.items()
            for after in leaving
            if (node, after) not in returning
        )


def _reachable(successors: Mapping[Node, Sequence[Node]], entry: Node) -> "nx.DiGraph[Node]":
    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_node(entry)
    pending = [entry]
    while pending:
        node = pending.pop()
        # In reverse, so that reverse postorder visits the true arm first.
        for after in reversed(successors[node]):
            if after not in graph:
                pending.append(after)
            graph.add_edge(node, after)
    return graph
