"""Structuring: a reducible control-flow graph as nested ``if`` and ``while``.

No code is duplicated. An arm that never reaches what comes after the ``if`` makes a guard:
the other arm follows behind it, not in an ``else``.
"""

from collections.abc import Collection, Mapping, Sequence

from rewriter.printing.drafting import Drafting
from rewriter.printing.drafts import TooDeep
from rewriter.printing.flow_graph import FlowGraph
from rewriter.printing.jumps import Lowering
from rewriter.printing.places import by_number
from rewriter.printing.structured import Body, Node


def structure(
    successors: Mapping[Node, Sequence[Node]], entry: Node, tests: Collection[Node] = ()
) -> "Body[Node]":
    """Return the structured form of a graph.

    A node has no successor (it leaves the function), one, or two: (if true, if false).
    ``tests`` names the nodes that are nothing but a test; their straight line is not
    asked for, and a loop that starts with one becomes ``while test:``.
    A graph that nests deeper than Python can comes out as numbered places.
    """
    graph = FlowGraph(successors, entry)
    try:
        draft = Drafting(graph=graph, tests=tests).region(entry, None)
        return Lowering(successors=graph.successors, tests=tests).body(draft)
    except TooDeep:
        return by_number(graph, tests)
