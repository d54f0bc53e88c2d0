"""Dead outputs, sub-DNNs, branches, host code and known objects."""

import ast
from dataclasses import dataclass, replace
from typing import ClassVar

from hcfg.edit import (
    bypass,
    narrowed,
    with_merged_host_blocks,
    without_idle_loop_heads,
    without_uncalled_functions,
)
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    expressions,
)
from hcfg.liveness import decides_error, needed
from hcfg.names import names_in
from hcfg.report import Report
from hcfg.statements import slice_for
from rewriter.program import ScalarSpec
from rewriter.program_names import statement_expressions


@dataclass(frozen=True, slots=True)
class EliminateDeadCode:
    """Drop what no result, decision or effect depends on.

    rewrite:
        y, unused = subdnn_3(x)
        count = count + 1            # nobody reads it
        if p > 0.5: pass
          ->
        y = subdnn_3(x)

    Effects stay. A loop stays, even an idle one: it may run forever.
    """

    name: ClassVar[str] = "eliminate-dead-code"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph without dead code."""
        before = None
        while graph is not before:  # a dropped branch may have been the last reader of a value
            before = graph
            graph = self._fold_branches(self._sweep(graph, report), report)
        graph = without_uncalled_functions(graph)
        return _without_unused_knowns(with_merged_host_blocks(graph))

    def _sweep(self, graph: Hcfg, report: Report) -> Hcfg:
        after = needed(graph).after
        nodes = dict(graph.nodes)
        dropped: dict[NodeId, NodeId] = {}
        for node_id, node in graph.nodes.items():
            new = _swept(node, after[node_id], graph)
            if new is None:
                dropped[node_id] = node.then if isinstance(node, SubDnn | HostBlock) else ""
                report.note(self.name, node_id, "dropped")
            elif new is not node:
                nodes[node_id] = new
                report.note(self.name, node_id, "made smaller")
        changed = replace(graph, nodes=nodes) if nodes != graph.nodes else graph
        return bypass(changed, dropped) if dropped else changed

    def _fold_branches(self, graph: Hcfg, report: Report) -> Hcfg:
        dropped: dict[NodeId, NodeId] = {}
        for node_id, node in graph.nodes.items():
            if isinstance(node, Branch) and (target := _only_way(node, graph)) is not None:
                dropped[node_id] = target
                report.note(self.name, node_id, f"always goes to {target}")
        return without_idle_loop_heads(bypass(graph, dropped)) if dropped else graph


def _swept(node: Node, after: frozenset[str], graph: Hcfg) -> Node | None:
    """Return what of a node is needed: the node itself if all of it, None if nothing."""
    match node:
        case SubDnn():
            if decides_error(node, graph):
                return node
            new = narrowed(node, after.intersection(node.outputs), graph)
            is_same = new is not None and (
                new.statements == node.statements and new.outputs == node.outputs
            )
            return node if is_same else new
        case HostBlock():
            statements, _ = slice_for(node.statements, after, graph.variables)
            if statements == node.statements:
                return node
            return replace(node, statements=statements) if statements else None
        case Entry() | Branch() | LoopHead() | Return() | Raise():
            return node


def _only_way(branch: Branch, graph: Hcfg) -> NodeId | None:
    """Return where a branch always goes, None if it makes a difference."""
    if branch.if_true == branch.if_false and _cannot_fail(branch.condition, graph):
        return branch.if_true
    if isinstance(branch.condition, ast.Constant):
        return branch.if_true if branch.condition.value else branch.if_false
    return None


def _cannot_fail(condition: ast.expr, graph: Hcfg) -> bool:
    """Return whether evaluating a condition raises nothing, whatever the values."""
    match condition:
        case ast.Constant():
            return True
        case ast.Name(id=name) if name in graph.variables:
            return isinstance(graph.variables[name].spec, ScalarSpec)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _cannot_fail(operand, graph)
        case ast.BoolOp(values=values):
            return all(_cannot_fail(value, graph) for value in values)
        case ast.Compare(left=left, comparators=comparators):
            return all(_is_number(operand, graph) for operand in (left, *comparators))
        case _:  # Python's own expressions: whatever is not known to be harmless
            return False


def _is_number(operand: ast.expr, graph: Hcfg) -> bool:
    numbers = (bool, int, float)
    match operand:
        case ast.Constant(value=value):
            return isinstance(value, numbers)
        case ast.Name(id=name) if name in graph.variables:
            spec = graph.variables[name].spec
            return isinstance(spec, ScalarSpec) and spec.type in numbers
        case ast.Name(id=name) if name in graph.knowns:
            return isinstance(graph.knowns[name].value, numbers)
        case _:
            return False


def _without_unused_knowns(graph: Hcfg) -> Hcfg:
    used: set[str] = set()
    for node in graph.nodes.values():
        for expression in expressions(node):
            used.update(names_in(expression))
        if isinstance(node, SubDnn | HostBlock):
            for statement in node.statements:
                for expression in statement_expressions(statement):
                    used.update(names_in(expression))
    knowns = {name: known for name, known in graph.knowns.items() if name in used}
    return graph if len(knowns) == len(graph.knowns) else replace(graph, knowns=knowns)
