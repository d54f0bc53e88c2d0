"""Sub-DNNs that PyTorch asks about sizes which they find out themselves: cut before the question.

    kept = x[x > 0]              sub-DNN                    kept = x[x > 0]        sub-DNN
    y = kept.logsumexp(0)        asks: is it empty?   ->    ------ border: the host knows u0 ------
                                                            y = kept.logsumexp(0)  sub-DNN

A trace knows nothing of a size that comes about in it. At a border it is a symbol like those of
arguments: what is recorded for larger sizes is tried at the smaller ones (``recording.py``).
"""

from collections.abc import Iterable
from dataclasses import replace

from hcfg.edit import fresh_id, ordered
from hcfg.graph import DnnStatement, Hcfg, NodeId, SubDnn
from hcfg.recording import DependsOnNumbers
from hcfg.recordings import Recordings
from hcfg.statements import all_writes, exposed_reads
from hcfg.verify import verify
from rewriter.diagnostics import CompileError, DyclBug


def cut_where_sizes_are_asked(graph: Hcfg, recordings: Recordings) -> Hcfg:
    """Return the graph with sub-DNNs cut until each can be recorded, as far as that helps."""
    whole = graph
    for node_id, node in whole.nodes.items():
        if isinstance(node, SubDnn):
            graph = _cut_apart(node_id, graph, recordings)
    if graph is not whole:
        verify(graph)  # once, as it looks at the whole graph
    return graph


def _cut_apart(node_id: NodeId, graph: Hcfg, recordings: Recordings) -> Hcfg:
    """Cut one sub-DNN, and what is left of it, until nothing is asked; else leave it whole."""
    whole, place = graph, _asks_at(node_id, graph, recordings)
    while place:
        graph, rest = _cut(node_id, place, graph)
        place = _asks_at(rest, graph, recordings)
        if not _is_faithful(node_id, graph, recordings):
            return whole
        node_id = rest
    if graph is whole or not _is_faithful(node_id, graph, recordings):
        return whole
    return graph


def _asks_at(node_id: NodeId, graph: Hcfg, recordings: Recordings) -> int | None:
    """Return the number of the statement that asks about a size, None where none does."""
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    try:
        recordings.of(node_id, node, graph)
    except DependsOnNumbers as error:
        return error.place
    except (CompileError, DyclBug):
        return None
    return None


def _is_faithful(node_id: NodeId, graph: Hcfg, recordings: Recordings) -> bool:
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    try:
        recording = recordings.of(node_id, node, graph)
    except (CompileError, DyclBug):
        return False
    return not recording.diagnostics and not recording.overwritten


def _cut(node_id: NodeId, place: int, graph: Hcfg) -> tuple[Hcfg, NodeId]:
    """Return the graph with a border before a statement of a sub-DNN, and what comes after it."""
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    first, second = node.statements[:place], node.statements[place:]
    later = _part(second, node.outputs, graph)
    needed = {*later.inputs, *node.outputs} - {*later.outputs}
    rest = fresh_id(graph.nodes, "subdnn")
    nodes = {
        **graph.nodes,
        node_id: replace(_part(first, needed, graph), then=rest),
        rest: replace(later, then=node.then),
    }
    return ordered(replace(graph, nodes=nodes)), rest


def _part(statements: tuple[DnnStatement, ...], needed: Iterable[str], graph: Hcfg) -> SubDnn:
    wanted = {*needed}
    return SubDnn(
        statements=statements,
        inputs=exposed_reads(statements, graph.variables),
        outputs=tuple(name for name in all_writes(statements) if name in wanted),
        then="",
    )
