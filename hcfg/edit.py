"""Make a new graph from an old one: replace, drop and merge nodes.

Ids of nodes that stay are kept, so that stages can be compared; new nodes get the next free
number of their kind.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hcfg.flow import back_edges, part_of, predecessors, run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    called_functions,
)
from hcfg.statements import all_writes, exposed_reads, slice_for


def fresh_id(names: Iterable[str], kind: str) -> str:
    """Return the next free name of a kind: ``host_4`` after ``host_3``."""
    used = [int(i.partition("_")[2]) for i in names if i.startswith(f"{kind}_")]
    return f"{kind}_{max(used, default=-1) + 1}"


def with_targets(node: Node, new_target: Callable[[NodeId], NodeId]) -> Node:
    """Return a node whose edges lead elsewhere."""
    match node:
        case Entry() | SubDnn() | HostBlock() | LoopHead():
            then = new_target(node.then)
            return node if then == node.then else replace(node, then=then)
        case Branch():
            if_true, if_false = new_target(node.if_true), new_target(node.if_false)
            if (if_true, if_false) == (node.if_true, node.if_false):
                return node
            return replace(node, if_true=if_true, if_false=if_false)
        case Return() | Raise():
            return node


def narrowed(node: SubDnn, outputs: Iterable[str], graph: Hcfg) -> SubDnn | None:
    """Return a sub-DNN with fewer outputs and only the statements those need; None if none."""
    kept = set(outputs)
    statements, _ = slice_for(node.statements, kept, graph.variables)
    if not statements:
        return None
    return replace(
        node,
        statements=statements,
        inputs=exposed_reads(statements, graph.variables),
        outputs=tuple(name for name in all_writes(statements) if name in kept),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """What comes in the place of a sub-DNN: what is left of it, and host code around that."""

    new: SubDnn | None
    before: Sequence[HostCode] = ()
    after: Sequence[HostCode] = ()


def replace_subdnns(graph: Hcfg, replacements: Mapping[NodeId, Replacement]) -> Hcfg:
    """Put others in the place of sub-DNNs: all at once, as each look at a graph takes time."""
    if not replacements:
        return graph
    nodes = dict(graph.nodes)
    instead: dict[NodeId, NodeId] = {}
    inner: set[NodeId] = set()  # nodes that lead to one that is put in with them
    for node_id, each in replacements.items():
        old = nodes.pop(node_id)
        assert isinstance(old, SubDnn)
        then, added = old.then, _chain(node_id, each, nodes)
        inner |= {name for name, _ in added[1:]}
        for name, node in added:
            nodes[name] = replace(node, then=then)
            then = name
        if then != node_id:
            instead[node_id] = then

    def final(target: NodeId) -> NodeId:
        while target in instead:
            target = instead[target]
        return target

    moved = {n: node if n in inner else with_targets(node, final) for n, node in nodes.items()}
    return ordered(replace(graph, nodes=moved))


def _chain(
    node_id: NodeId, each: Replacement, names: Iterable[str]
) -> list[tuple[NodeId, HostBlock | SubDnn]]:
    """Return what comes in the place of a sub-DNN, the last of it first."""
    number = int(fresh_id(names, "host").partition("_")[2])
    added: list[tuple[NodeId, HostBlock | SubDnn]] = []
    if each.after:
        added.append((f"host_{number}", HostBlock(statements=tuple(each.after), then="")))
        number += 1
    if each.new is not None:
        added.append((node_id, each.new))
    if each.before:
        added.append((f"host_{number}", HostBlock(statements=tuple(each.before), then="")))
    return added


def bypass(graph: Hcfg, dropped: Mapping[NodeId, NodeId]) -> Hcfg:
    """Drop nodes; edges to one lead to where ``dropped`` says instead."""

    def final(target: NodeId) -> NodeId:
        while target in dropped:
            target = dropped[target]
        return target

    nodes = {n: with_targets(x, final) for n, x in graph.nodes.items() if n not in dropped}
    return ordered(replace(graph, nodes=nodes))


def without_idle_subdnns(graph: Hcfg) -> Hcfg:
    """Drop the sub-DNNs whose results nobody reads: a compiler takes none without outputs."""
    idle = {
        n: node.then
        for n, node in graph.nodes.items()
        if isinstance(node, SubDnn) and not node.outputs
    }
    return bypass(graph, idle) if idle else graph


def ordered(graph: Hcfg) -> Hcfg:
    """Return the graph with its reachable nodes only, in the order in which they may run."""
    return replace(graph, nodes={n: graph.nodes[n] for n in run_order(graph)})


def without_uncalled_functions(graph: Hcfg) -> Hcfg:
    """Drop the specialised functions that nothing reachable from the entry calls."""
    called: dict[str, None] = {}
    pending = [graph.entry]
    while pending:
        for node_id in part_of(graph, pending.pop()):
            for name in called_functions(graph.nodes[node_id]):
                if name not in called:
                    called[name] = None
                    pending.append(graph.functions[name].entry)
    kept = {name: each for name, each in graph.functions.items() if name in called}
    return graph if len(kept) == len(graph.functions) else ordered(replace(graph, functions=kept))


def without_idle_loop_heads(graph: Hcfg) -> Hcfg:
    """Drop the loop heads to which no back-edge leads any more."""
    heads = {head for _, head in back_edges(graph)}
    idle = {
        n: node.then
        for n, node in graph.nodes.items()
        if isinstance(node, LoopHead) and n not in heads
    }
    return bypass(graph, idle) if idle else graph


def with_merged_host_blocks(graph: Hcfg) -> Hcfg:
    """Join host blocks that always run one after the other."""
    sources = predecessors(graph)
    nodes = dict(graph.nodes)
    for node_id in graph.nodes:
        node = nodes.get(node_id)
        while isinstance(node, HostBlock):
            follower = nodes[node.then]
            if not isinstance(follower, HostBlock) or len(sources[node.then]) > 1:
                break
            del nodes[node.then]
            statements = (*node.statements, *follower.statements)
            node = HostBlock(statements=statements, then=follower.then)
            nodes[node_id] = node
    return graph if len(nodes) == len(graph.nodes) else replace(graph, nodes=nodes)
