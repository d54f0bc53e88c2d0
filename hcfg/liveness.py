"""Which variables are still needed, at every node of a graph.

``live`` is plain liveness. ``needed`` is stronger: a variable that is read only to compute
values nobody needs (a loop counter that only counts itself) is not needed either.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hcfg.flow import predecessors, run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    entry_variables,
    expressions,
    successors,
    variables_in,
)
from hcfg.statements import all_writes, exposed_reads, may_raise, slice_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    """Variables whose values matter before and after each node."""

    before: Mapping[NodeId, frozenset[str]]
    after: Mapping[NodeId, frozenset[str]]


def node_reads(node: Node, graph: Hcfg) -> tuple[str, ...]:
    """Return the variables a node reads before it assigns them, in order."""
    match node:
        case SubDnn():
            return node.inputs
        case HostBlock():
            return exposed_reads(node.statements, graph.variables)
        case Entry() | LoopHead() | Branch() | Return() | Raise():
            names = (n for e in expressions(node) for n in variables_in(e, graph.variables))
            return tuple(dict.fromkeys(names))


def node_writes(node: Node, graph: Hcfg) -> tuple[str, ...]:
    """Return the variables a node assigns, as seen from outside of it."""
    match node:
        case Entry():
            return entry_variables(graph, node)
        case SubDnn():
            return node.outputs
        case HostBlock():
            return all_writes(node.statements)
        case LoopHead() | Branch() | Return() | Raise():
            return ()


def live_along(nodes: Sequence[Node], after: frozenset[str], graph: Hcfg) -> list[frozenset[str]]:
    """Return the variables that are live before each node of a straight line."""
    found: list[frozenset[str]] = []
    for node in reversed(nodes):
        after = (after - frozenset(node_writes(node, graph))) | frozenset(node_reads(node, graph))
        found.append(after)
    return found[::-1]


def live(graph: Hcfg) -> Liveness:
    """Return the variables that are read later, before and after each node."""
    nodes = {node_id: graph.nodes[node_id] for node_id in run_order(graph)}
    written = {n: frozenset(node_writes(node, graph)) for n, node in nodes.items()}
    read = {n: frozenset(node_reads(node, graph)) for n, node in nodes.items()}

    def before_node(node_id: NodeId, after: frozenset[str]) -> frozenset[str]:
        return (after - written[node_id]) | read[node_id]

    return _solve(graph, before_node)


def decides_error(node: SubDnn, graph: Hcfg) -> bool:
    """Return whether an exception follows that tensor code may be ahead of with another one."""
    following: Node = node
    while isinstance(following, SubDnn | HostBlock):
        following = graph.nodes[following.then]
    return isinstance(following, Raise) and any(map(may_raise, node.statements))


def needed(graph: Hcfg) -> Liveness:
    """Return the variables on which a result, a branch, an effect or an error depends."""

    def before_node(node_id: NodeId, after: frozenset[str]) -> frozenset[str]:
        match node := graph.nodes[node_id]:
            case SubDnn() if decides_error(node, graph):
                return (after - frozenset(node.outputs)) | frozenset(node.inputs)
            case SubDnn() | HostBlock():
                return slice_for(node.statements, after, graph.variables)[1]
            case Entry() | LoopHead() | Branch() | Return() | Raise():
                written = frozenset(node_writes(node, graph))
                return (after - written) | frozenset(node_reads(node, graph))

    return _solve(graph, before_node)


_Transfer: TypeAlias = Callable[[NodeId, frozenset[str]], frozenset[str]]


def _solve(graph: Hcfg, before_node: _Transfer) -> Liveness:
    """Return the least solution of the backward equations; loops iterate to a fixed point."""
    before: dict[NodeId, frozenset[str]] = dict.fromkeys(graph.nodes, frozenset())
    after: dict[NodeId, frozenset[str]] = dict.fromkeys(graph.nodes, frozenset())
    sources = predecessors(graph)
    pending = dict.fromkeys(run_order(graph))
    while pending:
        node_id, _ = pending.popitem()
        targets = successors(graph.nodes[node_id])
        after[node_id] = frozenset().union(*(before[target] for target in targets))
        result = before_node(node_id, after[node_id])
        if result != before[node_id]:
            before[node_id] = result
            pending.update(dict.fromkeys(sources[node_id]))
    return Liveness(before=before, after=after)
