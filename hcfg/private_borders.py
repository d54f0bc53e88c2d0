"""Which tensors only sub-DNNs look into, so that their layout in memory is the backends' affair.

Variables that a host copy connects hold the same tensor at times: they are one border. A border
is private where sub-DNNs alone make its tensors, and nothing but sub-DNNs and such copies reads
them. Arguments, results, kept state and whatever host code looks at are not.
"""

import ast
from collections.abc import Iterator

import networkx

from hcfg.graph import Hcfg, HostBlock, Node, SubDnn, is_tensor
from hcfg.liveness import node_reads, node_writes
from hcfg.statements import reads, writes
from rewriter.program import Copy


def private_borders(graph: Hcfg) -> tuple[tuple[str, ...], ...]:
    """Return the private borders: each a group of tensor variables, in the graph's order."""
    joined: networkx.Graph[str] = networkx.Graph()
    public: set[str] = set()
    for node in graph.nodes.values():
        public.update(_looked_into(node, graph))
        if isinstance(node, SubDnn):
            joined.add_nodes_from((*node.inputs, *node.outputs))
        if isinstance(node, HostBlock):
            joined.add_edges_from(_copied(node, graph))
    order = {name: place for place, name in enumerate(joined)}
    groups = [
        sorted(group, key=order.__getitem__) for group in networkx.connected_components(joined)
    ]
    return tuple(
        tuple(group)
        for group in sorted(groups, key=lambda group: order[group[0]])
        if not public.intersection(group) and all(is_tensor(n, graph.variables) for n in group)
    )


def _looked_into(node: Node, graph: Hcfg) -> Iterator[str]:
    """Yield the variables that something other than a sub-DNN or a copy reads or makes."""
    if isinstance(node, SubDnn):
        return
    if not isinstance(node, HostBlock):
        yield from node_reads(node, graph)
        yield from node_writes(node, graph)
        return
    for statement in node.statements:
        if not isinstance(statement, Copy):
            yield from reads(statement, graph.variables)
            yield from writes(statement)
            continue
        for target, source in zip(statement.targets, statement.sources, strict=True):
            if not (isinstance(source, ast.Name) and source.id in graph.variables):
                yield target  # a constant


def _copied(node: HostBlock, graph: Hcfg) -> Iterator[tuple[str, str]]:
    for statement in node.statements:
        if isinstance(statement, Copy):
            for target, source in zip(statement.targets, statement.sources, strict=True):
                if isinstance(source, ast.Name) and source.id in graph.variables:
                    yield source.id, target
