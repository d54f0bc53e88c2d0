"""The last resort of structuring: every node is a numbered place."""

from collections.abc import Collection

from rewriter.printing.flow_graph import FlowGraph
from rewriter.printing.structured import Body, Enter, If, Node, Places, Straight


def by_number(graph: FlowGraph[Node], tests: Collection[Node]) -> "Body[Node]":
    """Return a graph as numbered places, for graphs that nest too deep for Python."""
    return (Places(bodies=tuple(_place(graph, node, tests) for node in graph.number)),)


def _place(graph: FlowGraph[Node], node: Node, tests: Collection[Node]) -> "Body[Node]":
    own: Body[Node] = () if node in tests else (Straight(node=node),)
    entered = [Enter(place=graph.number[after]) for after in graph.successors[node]]
    match entered:
        case [if_true, if_false]:
            return (*own, If(node=node, negated=False, then=(if_true,), orelse=(if_false,)))
        case _:
            return (*own, *entered)
