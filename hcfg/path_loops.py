"""How the loops of a function may be walked: iteration by iteration, or with a test at the end."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hcfg.flow import loops, predecessors
from hcfg.graph import Branch, Hcfg, HostBlock, LoopHead, NodeId, SubDnn, successors
from hcfg.statements import has_effect
from rewriter.program import HostStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """A loop that tests at its end: a test before it, and one behind each iteration."""

    test: NodeId
    body: NodeId
    """Where the test leads to for one more iteration."""


Ways: TypeAlias = tuple[frozenset[NodeId], Mapping[NodeId, Rotation]]
"""Heads of loops whose iterations are walked one by one, and loops that test at their end."""


def ways(graph: Hcfg, part: Sequence[NodeId]) -> Iterator[Ways]:
    """Return which loops to walk in which way: what saves most, and may need most nodes, first."""
    found = {head: nodes for head, nodes in loops(graph).items() if head in part}
    counted = frozenset(head for head, nodes in found.items() if _asks_a_counter(graph, nodes))
    rotations = {head: _rotation(graph, head, nodes) for head, nodes in found.items()}
    rotated = {head: each for head, each in rotations.items() if each is not None}
    if counted:
        yield counted, {head: each for head, each in rotated.items() if head not in counted}
    if rotated:
        yield frozenset(), rotated
    yield frozenset(), {}


def _asks_a_counter(graph: Hcfg, nodes: frozenset[NodeId]) -> bool:
    """Return whether a loop compares variables with numbers, as to choose a layer by a counter."""
    return any(
        _compares_with_number(expression)
        for node_id in nodes
        for expression in _expressions(graph, node_id)
    )


def _expressions(graph: Hcfg, node_id: NodeId) -> Iterator[ast.expr]:
    node = graph.nodes[node_id]
    if isinstance(node, Branch):
        yield node.condition
    elif isinstance(node, HostBlock):
        for statement in node.statements:
            if isinstance(statement, HostStatement):
                yield statement.expression


def _compares_with_number(expression: ast.expr) -> bool:
    for node in ast.walk(expression):
        match node:
            case ast.Compare(left=ast.Name(), ops=[ast.Eq()], comparators=[ast.Constant()]):
                return True
            case _:
                pass
    return False


def _rotation(graph: Hcfg, head: NodeId, nodes: frozenset[NodeId]) -> Rotation | None:
    """Return how a loop that tests first can test last; None where nothing is gained by that.

    Something is where tensor code follows the loop: it may run with that of the last iteration.
    """
    sources = predecessors(graph)
    first = graph.nodes[head]
    assert isinstance(first, LoopHead)
    current = first.then
    while isinstance(node := graph.nodes[current], HostBlock) and _is_repeatable(node):
        if len(sources[current]) > 1:
            return None
        current = node.then
    test = graph.nodes[current]
    if not isinstance(test, Branch) or len(sources[current]) > 1:
        return None
    inside = [target for target in successors(test) if target in nodes]
    outside = [target for target in successors(test) if target not in nodes]
    if len(inside) != 1 or len(outside) != 1 or inside[0] == head:
        return None
    after = outside[0]
    while isinstance(node := graph.nodes[after], HostBlock):
        after = node.then
    is_gain = isinstance(graph.nodes[after], SubDnn)
    return Rotation(test=current, body=inside[0]) if is_gain else None


def _is_repeatable(node: HostBlock) -> bool:
    """Return whether host code is no more than what a test asks: no calls, no effects."""
    return not any(map(has_effect, node.statements))
