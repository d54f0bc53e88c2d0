"""Make a new graph from an old one: replace, drop and merge nodes.

Ids of nodes that stay are kept, so that stages can be compared; new nodes get the next free
number of their kind.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

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


def replace_subdnn(
    graph: Hcfg,
    node_id: NodeId,
    new: SubDnn | None,
    before: Sequence[HostCode] = (),
    after: Sequence[HostCode] = (),
) -> Hcfg:
    """Put ``new`` and host code around it in the place of a sub-DNN."""
    old = graph.nodes[node_id]
    assert isinstance(old, SubDnn)
    nodes = dict(graph.nodes)
    del nodes[node_id]
    then = old.then
    if after:
        name = fresh_id(nodes, "host")
        nodes[name] = HostBlock(statements=tuple(after), then=then)
        then = name
    if new is not None:
        nodes[node_id] = replace(new, then=then)
        then = node_id
    if before:
        name = fresh_id(nodes, "host")
        nodes[name] = HostBlock(statements=tuple(before), then=then)
        then = name
    added = {n for n in nodes if n not in graph.nodes} | {node_id}
    moved = {
        n: node if n in added else with_targets(node, lambda t: then if t == node_id else t)
        for n, node in nodes.items()
    }
    return ordered(replace(graph, nodes=moved))


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
