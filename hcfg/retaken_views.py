"""Views from before a decision are taken again where a sub-DNN writes into them, or beside them.

    row = x[1]                sub-DNN             row = x[1]                     sub-DNN
    ------ border: a decision ------        ->    ------ border: a decision ------
    row.add_(1)               writes no x         row = x.view(-1)[3:6].view(3)  sub-DNN
                                                  row.add_(1)                    writes x

The rewriter says with each statement that writes how (``TensorStatement.retakes``). Where sizes are
known only at run time it cannot: then the statement that took the view is run again.
"""

import ast
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from hcfg.edit import ordered
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recordings import Recordings
from hcfg.statements import exposed_reads, writes
from hcfg.verify import verify
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.program import TensorStatement
from rewriter.program_names import expression_names
from rewriter.specs import ScalarSpec

Makers = Mapping[str, TensorStatement]
"""By the name of a tensor: the statement that makes it."""


def retake_split_views(graph: Hcfg, recordings: Recordings) -> Hcfg:
    """Return the graph with views taken again in sub-DNNs that would write into them apart."""
    changed: dict[NodeId, SubDnn] = {}
    makers: Makers | None = None
    for node_id, node in graph.nodes.items():
        if isinstance(node, SubDnn) and _is_split(node_id, node, graph, recordings):
            again = _retaken(node, graph, makers := _makers(graph) if makers is None else makers)
            if not _is_split(node_id, again, graph, recordings):
                changed[node_id] = again
    if not changed:
        return graph
    graph = ordered(replace(graph, nodes={**graph.nodes, **changed}))
    verify(graph)  # once, as it looks at the whole graph
    return graph


def _is_split(node_id: NodeId, node: SubDnn, graph: Hcfg, recordings: Recordings) -> bool:
    """Return whether a sub-DNN is refused for a write through a view."""
    if not any(isinstance(s, TensorStatement) and s.updates for s in node.statements):
        return False
    try:
        recording = recordings.of(node_id, node, graph)
    except (CompileError, DyclBug):
        return False
    return any(diagnostic.code == "DYCL203" for diagnostic in recording.diagnostics)


def _retaken(node: SubDnn, graph: Hcfg, makers: Makers) -> SubDnn:
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
            shared = {old for _, old in statement.updates} & apart
            for name, maker in makers.items():
                if name in shared and name not in taken and _views(maker, shared, apart, graph):
                    taken[name] = maker
        apart -= {*writes(statement)}
    statements = (*taken.values(), *node.statements)
    return replace(node, statements=statements, inputs=exposed_reads(statements, graph.variables))


def _views(
    maker: TensorStatement, shared: AbstractSet[str], apart: AbstractSet[str], graph: Hcfg
) -> bool:
    """Return whether a statement may take a view of what is there, of the same memory.

    Numbers (``out[start : start + n]``) need not be there: no variable changes between the
    statement and where its tensor is used, unless the statement is run again.
    """
    names = {*expression_names(maker.expression)}
    tensors = {name for name in names if not _is_number(name, graph)}
    return tensors <= apart and not tensors.isdisjoint(shared)


def _is_number(name: str, graph: Hcfg) -> bool:
    variable = graph.variables.get(name)
    return variable is not None and isinstance(variable.spec, ScalarSpec)


def _makers(graph: Hcfg) -> Makers:
    """Return the statements that make one tensor each and write nothing, in their order."""
    found: dict[str, TensorStatement] = {}
    unclear: set[str] = set()
    for node in graph.nodes.values():
        for statement in getattr(node, "statements", ()):
            for name in writes(statement):
                if not _makes(statement, name) or _is_other(found.get(name), statement):
                    unclear.add(name)
                else:
                    found[name] = statement
    return {name: maker for name, maker in found.items() if name not in unclear}


def _makes(statement: object, name: str) -> bool:
    return (
        isinstance(statement, TensorStatement)
        and statement.pattern == name
        and not statement.updates
        and statement.stores_into is None
        and statement.draws is None
    )


def _is_other(first: TensorStatement | None, second: TensorStatement) -> bool:
    return first is not None and ast.dump(first.expression) != ast.dump(second.expression)
