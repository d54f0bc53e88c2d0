"""Which parts of a program become one artifact each, where the whole cannot.

A *region* is entered at one node, its head, and has a branch or a loop inside, with tensor code
before and after a decision. All of its nodes have the same meaning in ONNX; paths leave it to
nodes of the host.
"""

import ast
from collections.abc import Collection, Iterable, Iterator

import networkx

from dycl.one_onnx.lowerable import Lowerable
from dycl.one_onnx.region import Region, exits_of, region_of
from hcfg.flow import back_edges, loops, predecessors, run_order
from hcfg.graph import (
    Branch,
    Hcfg,
    HostBlock,
    LoopHead,
    NodeId,
    SubDnn,
    called_functions,
    successors,
)
from hcfg.liveness import Liveness, live
from rewriter.program import ScalarSpec

_MOST_EXITS = 8
"""What is returned at each exit goes through the decisions of all others: with many of them that
takes longer than calls of the sub-DNNs."""


def find_regions(possible: Lowerable) -> tuple[Region, ...]:
    """Return the largest regions of a graph: none can take in what follows it."""
    graph = possible.graph
    liveness = live(graph)
    parts = filter(None, (_ended_earlier(nodes, graph) for nodes in _intervals(possible)))
    regions = (_begun_later(nodes, graph, liveness) for nodes in parts if _decides(nodes, graph))
    return tuple(
        region
        for region in regions
        if _is_worth_it(region, graph) and _can_be_given(region.inputs, possible)
    )


def _intervals(possible: Lowerable) -> Iterator[list[NodeId]]:
    """Yield the lowerable nodes as maximal intervals: sets of nodes with one way in.

    A node belongs to the interval that all its predecessors belong to, else it begins one. Run
    order has them before it, but for the back-edges of loops, which stay inside: a loop is lowered
    whole, or its head stays on the host. Then what is in it is kept apart from what is not.
    """
    graph = possible.graph
    on_host = {
        head: nodes
        for head, nodes in loops(graph).items()
        if not possible.nodes.issuperset(nodes) or not exits_of(nodes, graph)
    }
    around = {
        node_id: {head for head, nodes in on_host.items() if node_id in nodes}
        for node_id in graph.nodes
    }
    closing = set(back_edges(graph))
    before = predecessors(graph)
    head_of: dict[NodeId, NodeId] = {}
    intervals: dict[NodeId, list[NodeId]] = {}
    for node_id in run_order(graph):
        if node_id not in possible.nodes or node_id in on_host:
            continue
        ways = (source for source in before[node_id] if (source, node_id) not in closing)
        heads = {head_of.get(source) for source in ways}
        head = heads.pop() if len(heads) == 1 else None
        joins = head is not None and around[head] == around[node_id]
        head_of[node_id] = head if joins and head is not None else node_id
        intervals.setdefault(head_of[node_id], []).append(node_id)
    yield from intervals.values()


def _ended_earlier(nodes: list[NodeId], graph: Hcfg) -> list[NodeId]:
    """Leave to the host what comes last, where paths then go on at no more nodes than before."""
    kept = dict.fromkeys(nodes)
    for node_id in reversed(nodes):
        if not isinstance(graph.nodes[node_id], Branch | HostBlock):
            continue
        if not any(target in kept for target in successors(graph.nodes[node_id])):
            others = {other: None for other in kept if other != node_id}
            if len(exits_of(others, graph)) <= len(exits_of(kept, graph)):
                kept = others
    return list(kept)


def _begun_later(nodes: list[NodeId], graph: Hcfg, liveness: Liveness) -> Region:
    """Leave to the host what comes first, where less then goes in and out.

    That is what a loop of the host counts and tests.
    """
    best = region_of(nodes, graph, liveness)
    for number, node_id in enumerate(nodes):
        node, rest = graph.nodes[node_id], nodes[number + 1 :]
        ways = [target for target in successors(node) if target in rest]
        if not isinstance(node, Branch | HostBlock) or not rest or ways != rest[:1]:
            break
        later = region_of(rest, graph, liveness)
        if later.width < best.width:
            best = later
    return best


def _decides(nodes: Collection[NodeId], graph: Hcfg) -> bool:
    """Return whether there are branches or loops among some nodes."""
    return any(isinstance(graph.nodes[n], Branch | LoopHead) for n in nodes)


def _is_worth_it(region: Region, graph: Hcfg) -> bool:
    """Return whether there is something to decide, and one call takes the place of several."""
    if len(region.exits) > _MOST_EXITS:
        return False
    has_result = len(region.exits) > 1 or any(region.slots.values())
    return has_result and _decides(region.nodes, graph) and _computes_twice(region, graph)


def _computes_twice(region: Region, graph: Hcfg) -> bool:
    """Return whether some way through a region comes to tensor code and then to such code again."""
    flow: networkx.DiGraph[NodeId] = networkx.DiGraph(
        (node_id, target)
        for node_id in region.nodes
        for target in successors(graph.nodes[node_id])
        if target in region.nodes
    )
    computing = {
        node_id
        for node_id in flow
        if isinstance(graph.nodes[node_id], SubDnn) or called_functions(graph.nodes[node_id])
    }
    return any(
        target in computing or not computing.isdisjoint(networkx.descendants(flow, target))
        for node_id in computing
        for target in flow.successors(node_id)
    )


def _can_be_given(names: Iterable[str], possible: Lowerable) -> bool:
    """Return whether ONNX has a type for the integers among some variables, whatever they hold."""
    variables = possible.graph.variables
    numbers = (n for n in names if isinstance(variables[n].spec, ScalarSpec))
    return all(possible.numbers.of(ast.Name(name, ast.Load())).fits for name in numbers)
