"""Reuse of what an earlier sub-DNN has computed already."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from hcfg.edit import ordered
from hcfg.flow import immediate_dominators, part_of
from hcfg.graph import DnnStatement, Hcfg, Node, NodeId, SubDnn
from hcfg.pure_code import PureCode
from hcfg.report import Report
from hcfg.statements import all_writes, exposed_reads, slice_for, writes
from rewriter.program import Copy, TensorStatement

_Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ReuseResults:
    """Let a sub-DNN take costly results that a sub-DNN before it has computed.

    rewrite:
        h = subdnn_0(memory)        # keys = self.project(memory); ...
        h = subdnn_1(memory, h)     # keys = self.project(memory); ...: the next step
          ->
        h, keys = subdnn_0(memory)
        h = subdnn_1(keys, h)

    Two statements compute the same when their expressions are equal, operands included, and
    operands and results have no other assignment. The earlier one must have run whenever the
    later one runs: its node dominates the other's.
    """

    name: ClassVar[str] = "reuse-results"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph in which costly results are computed once."""
        for entry in graph.entries:
            graph = self._in_part(graph, entry, report)
        return graph

    def _in_part(self, graph: Hcfg, entry: NodeId, report: Report) -> Hcfg:
        part = part_of(graph, entry)
        if sum(isinstance(graph.nodes[n], SubDnn) for n in part) < 2:
            return graph
        search = _Search(code=PureCode.of(graph, report.recordings))
        search.visit(entry, _dominated(graph, entry))
        nodes = dict(graph.nodes)
        for node_id, found in search.found.items():
            changed = _changed(node_id, found, nodes, graph)
            kept = {name for _, given in found.values() for name in given}
            if changed and all(search.code.is_compilable(x, kept) for x in changed.values()):
                nodes |= changed
                for source, given in found.values():
                    report.note(self.name, node_id, f"takes {', '.join(given)} from {source}")
        return graph if nodes == graph.nodes else ordered(replace(graph, nodes=nodes))


def _changed(
    node_id: NodeId, found: "_Found", nodes: Mapping[NodeId, Node], graph: Hcfg
) -> dict[NodeId, SubDnn]:
    """Return the node that takes results, and the nodes that give them; nothing if in vain."""
    node = nodes[node_id]
    assert isinstance(node, SubDnn)
    taking = _taking(node, found, graph)
    changed = {} if taking is None else {node_id: taking}
    for source, given in found.values() if changed else ():
        giver = changed.get(source, nodes[source])
        assert isinstance(giver, SubDnn)
        if not {*given} <= {*all_writes(giver.statements)}:
            return {}
        changed[source] = _giving(giver, given)
    return changed


_Found: TypeAlias = dict[TensorStatement, tuple[NodeId, tuple[str, ...]]]
"""For statements that need not run: which node has their results, under which names."""


@dataclass(slots=True, kw_only=True)
class _Search:
    """A walk from dominators to what they dominate, with the results that are there."""

    code: PureCode
    found: dict[NodeId, _Found] = field(default_factory=dict)
    _same: dict[str, str] = field(default_factory=dict)
    """For a variable, the earlier one with the same value."""

    def visit(self, entry: NodeId, dominated: dict[NodeId, list[NodeId]]) -> None:
        """Walk without recursion: programs are deep."""
        known: dict[_Key, tuple[NodeId, tuple[str, ...]]] = {}
        stack: list[tuple[NodeId, list[_Key]] | NodeId] = [entry]
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):  # leave a node: its results are out of sight
                for key in item[1]:
                    del known[key]
                continue
            added: list[_Key] = []
            for key, statement in self._keys(item):
                if key in known:
                    self._note(item, statement, *known[key])
                else:
                    known[key] = (item, writes(statement))
                    added.append(key)
            stack.append((item, added))
            stack += dominated.get(item, [])

    def _keys(self, node_id: NodeId) -> Iterator[tuple[_Key, TensorStatement]]:
        node = self.code.graph.nodes[node_id]
        for statement in node.statements if isinstance(node, SubDnn) else ():
            if self.code.is_pure(statement) and self.code.has_fixed_operands(statement):
                yield (self._text(statement.expression), _shape(statement)), statement

    def _text(self, expression: ast.expr) -> str:
        text = ast.dump(expression)
        for node in ast.walk(expression):
            if isinstance(node, ast.Name) and node.id in self._same:
                text = text.replace(f"Name(id={node.id!r}", f"Name(id={self._same[node.id]!r}")
        return text

    def _note(
        self, node_id: NodeId, statement: TensorStatement, source: NodeId, given: tuple[str, ...]
    ) -> None:
        self._same.update(zip(writes(statement), given, strict=True))
        if source != node_id and self.code.is_costly(statement):
            self.found.setdefault(node_id, {})[statement] = (source, given)


def _shape(statement: TensorStatement) -> str:
    """Return how results are taken apart, without their names."""
    text = repr(statement.pattern)
    for number, name in enumerate(writes(statement)):
        text = text.replace(repr(name), f"#{number}")
    return text


def _taking(node: SubDnn, found: _Found, graph: Hcfg) -> SubDnn | None:
    """Return a sub-DNN that copies given results where it computed them."""
    changed: list[DnnStatement] = []
    for statement in node.statements:
        if isinstance(statement, TensorStatement) and statement in found:
            names = found[statement][1]
            sources = tuple(ast.Name(id=name, ctx=ast.Load()) for name in names)
            changed.append(
                Copy(targets=writes(statement), sources=sources, origin=statement.origin)
            )
        else:
            changed.append(statement)
    statements, _ = slice_for(changed, node.outputs, graph.variables)
    inputs = exposed_reads(statements, graph.variables)
    return replace(node, statements=statements, inputs=inputs) if inputs else None


def _giving(node: SubDnn, names: tuple[str, ...]) -> SubDnn:
    wanted = {*node.outputs, *names}
    return replace(node, outputs=tuple(n for n in all_writes(node.statements) if n in wanted))


def _dominated(graph: Hcfg, entry: NodeId) -> dict[NodeId, list[NodeId]]:
    below: dict[NodeId, list[NodeId]] = {}
    for node_id, above in immediate_dominators(graph, entry).items():
        if above is not None and above != node_id:
            below.setdefault(above, []).append(node_id)
    return below
