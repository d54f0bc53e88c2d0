"""Views from before a decision are taken again where a sub-DNN writes into them, or beside them.

    row = x[1]                sub-DNN             row = x[1]                     sub-DNN
    ------ border: a decision ------        ->    ------ border: a decision ------
    row.add_(1)               writes no x         row = x.view(-1)[3:6].view(3)  sub-DNN
                                                  row.add_(1)                    writes x

The rewriter says with each statement that writes how (``TensorStatement.retakes``).
"""

from dataclasses import replace

from hcfg.edit import ordered
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recordings import Recordings
from hcfg.statements import exposed_reads, writes
from hcfg.verify import verify
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.program import TensorStatement
from rewriter.program_names import expression_names


def retake_split_views(graph: Hcfg, recordings: Recordings) -> Hcfg:
    """Return the graph with views taken again in sub-DNNs that would write into them apart."""
    changed: dict[NodeId, SubDnn] = {}
    for node_id, node in graph.nodes.items():
        if isinstance(node, SubDnn) and _is_split(node_id, node, graph, recordings):
            again = _retaken(node, graph)
            if not _is_split(node_id, again, graph, recordings):
                changed[node_id] = again
    if not changed:
        return graph
    graph = ordered(replace(graph, nodes={**graph.nodes, **changed}))
    verify(graph)  # once, as it looks at the whole graph
    return graph


def _is_split(node_id: NodeId, node: SubDnn, graph: Hcfg, recordings: Recordings) -> bool:
    """Return whether a sub-DNN is refused for a write through a view."""
    if not any(isinstance(s, TensorStatement) and s.retakes for s in node.statements):
        return False
    try:
        recording = recordings.of(node_id, node, graph)
    except (CompileError, DyclBug):
        return False
    return any(diagnostic.code == "DYCL203" for diagnostic in recording.diagnostics)


def _retaken(node: SubDnn, graph: Hcfg) -> SubDnn:
    """Return a sub-DNN that takes its inputs again that are views of others, before all else."""
    apart = {*node.inputs}
    taken: dict[str, TensorStatement] = {}
    for statement in node.statements:
        if isinstance(statement, TensorStatement):
            for name, expression in statement.retakes:
                if {name, *expression_names(expression)} <= apart and name not in taken:
                    taken[name] = TensorStatement(
                        pattern=name, expression=expression, origin=statement.origin
                    )
        apart -= {*writes(statement)}
    statements = (*taken.values(), *node.statements)
    return replace(node, statements=statements, inputs=exposed_reads(statements, graph.variables))
