"""Finds all reasons why nodes of a program cannot be in an ONNX file, before any is compiled."""

from dataclasses import dataclass

import networkx

from dycl.one_onnx.graphs import GraphWriter, Value
from dycl.one_onnx.paths import Scope
from dycl.one_onnx.refusing import Inexpressible, Problems
from dycl.one_onnx.results import TakingApart
from dycl.one_onnx.statements import Statements
from dycl.one_onnx.types import type_of_variable
from hcfg.flow import owners, run_order
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
from rewriter.program import CallStatement


def examine(graph: Hcfg, statements: Statements) -> dict[NodeId, Problems]:
    """Return for each node, in run order, what of it ONNX cannot say: it is written on trial."""
    recursive = _recursive(graph)
    found: dict[NodeId, Problems] = {}
    for node_id in run_order(graph):
        scope = Scope(writer=GraphWriter(), values=_AnyValues(graph))
        found[node_id] = Problems()
        examiner = _Examiner(graph, statements, found[node_id], scope, recursive)
        examiner.node(graph.nodes[node_id])
    return found


def _recursive(graph: Hcfg) -> frozenset[str]:
    """Return the functions that come back to themselves."""
    owner = owners(graph)
    calls: networkx.DiGraph[str] = networkx.DiGraph(
        (owner[node_id] or "", callee)
        for node_id in run_order(graph)
        for callee in called_functions(graph.nodes[node_id])
    )
    cycles = networkx.strongly_connected_components(calls)
    inside = {name for group in cycles if len(group) > 1 for name in group}
    inside |= {name for name in calls if calls.has_edge(name, name)}
    return frozenset(inside)


class _AnyValues(dict[str, Value]):
    """A value for every variable."""

    def __init__(self, graph: Hcfg) -> None:
        self._graph = graph

    def __missing__(self, name: str) -> Value:
        element, shape = type_of_variable(self._graph.variables[name])
        return Value(name=name, element=element, shape=shape)


@dataclass(slots=True)
class _Examiner:
    graph: Hcfg
    statements: Statements
    problems: Problems
    scope: Scope
    recursive: frozenset[str]

    def node(self, node: Node) -> None:
        """Examine a node."""
        match node:
            case HostBlock():
                for statement in node.statements:
                    self._try(statement)
            case Branch():
                try:
                    self.statements.test(node.condition, self.scope)
                except Inexpressible as reason:
                    self.problems.add(reason, node.origin)
            case Return():
                self._result(node)
            case Raise():
                shown = self.statements.numbers.shown(node.exception)
                self.problems.add(f"an exception (`{shown}`)", node.origin)
            case SubDnn():
                self._ports(node)
            case Entry() | LoopHead():
                pass

    def _ports(self, node: SubDnn) -> None:
        for name in (*node.inputs, *node.outputs):
            try:
                type_of_variable(self.graph.variables[name])
            except Inexpressible as reason:
                self.problems.add(reason, node.statements[0].origin)

    def _try(self, statement: HostCode) -> None:
        try:
            if isinstance(statement, CallStatement):
                self._call(statement)
            else:
                self.statements.write(statement, self.scope)
        except Inexpressible as reason:
            self.problems.add(reason, statement.origin)

    def _call(self, call: CallStatement) -> None:
        if call.function in self.recursive:
            raise Inexpressible(f"`{call.function}`, which calls itself,")
        for argument in call.arguments:
            self.statements.value(argument, self.scope)

    def _result(self, node: Return) -> None:
        taking = TakingApart(self.graph, self.statements.numbers, "result")
        try:
            for leaf in taking.take(node.value).leaves.values():
                self.statements.value(leaf, self.scope)
        except Inexpressible as reason:
            self.problems.add(reason, node.origin)
