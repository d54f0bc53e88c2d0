"""What of a function matters to its tests, and which functions change nothing."""

from collections.abc import Iterable, Mapping, Sequence

from hcfg.flow import part_of, predecessors
from hcfg.graph import Branch, Hcfg, HostBlock, NodeId, called_functions, variables_in
from hcfg.statements import has_effect, reads, writes
from rewriter.program import CallStatement


def relevant_variables(graph: Hcfg, part: Sequence[NodeId]) -> Mapping[NodeId, frozenset[str]]:
    """Return for each node the variables that a test further on may be about."""
    made_of = _operands(graph, part)
    found = dict.fromkeys(part, frozenset[str]())
    sources = predecessors(graph)
    pending: list[NodeId] = []
    for node_id in part:
        node = graph.nodes[node_id]
        if isinstance(node, Branch):
            found[node_id] = _closure(variables_in(node.condition, graph.variables), made_of)
            pending.append(node_id)
    while pending:
        node_id = pending.pop()
        for source in sources[node_id]:
            together = found[source] | found[node_id]
            if together != found[source]:
                found[source] = together
                pending.append(source)
    return found


def _operands(graph: Hcfg, part: Sequence[NodeId]) -> Mapping[str, set[str]]:
    """Return for each variable of the host the variables that it may be made of."""
    found: dict[str, set[str]] = {}
    for node_id in part:
        node = graph.nodes[node_id]
        for statement in node.statements if isinstance(node, HostBlock) else ():
            for name in writes(statement):
                found.setdefault(name, set()).update(reads(statement, graph.variables))
    return found


def _closure(names: Iterable[str], made_of: Mapping[str, set[str]]) -> frozenset[str]:
    found = set(names)
    pending = list(found)
    while pending:
        more = made_of.get(pending.pop(), set()) - found
        found |= more
        pending += more
    return frozenset(found)


def pure_functions(graph: Hcfg) -> frozenset[str]:
    """Return the functions of the program that have no effect, nor call one that has."""
    parts = {name: part_of(graph, each.entry) for name, each in graph.functions.items()}
    called = {
        name: {callee for node_id in part for callee in called_functions(graph.nodes[node_id])}
        for name, part in parts.items()
    }
    impure = {name for name, part in parts.items() if _has_effect(graph, part)}
    while more := {name for name, callees in called.items() if callees & impure} - impure:
        impure |= more
    return frozenset(called) - impure


def _has_effect(graph: Hcfg, part: Sequence[NodeId]) -> bool:
    blocks = (node for node_id in part if isinstance(node := graph.nodes[node_id], HostBlock))
    return any(
        has_effect(statement) and not isinstance(statement, CallStatement)
        for block in blocks
        for statement in block.statements
    )
