"""Loop-invariant code motion: what every round computes anew and alike is computed once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from hcfg.constants import Constants
from hcfg.edit import bypass, fresh_id, with_targets
from hcfg.flow import loops, predecessors
from hcfg.graph import (
    Branch,
    DnnStatement,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    NodeId,
    SubDnn,
    successors,
)
from hcfg.pure_code import PureCode
from hcfg.report import Report
from hcfg.statements import all_writes, exposed_reads, may_raise, reads, slice_for, writes


@dataclass(frozen=True, slots=True)
class HoistInvariants:
    """Move costly tensor code whose operands no round changes to before the loop.

    rewrite:
        while True:
            h, stop = subdnn_0(memory, h)       # keys = self.project(memory); ...
            if stop.item() > 0: break
          ->
        keys = subdnn_1(memory)
        while True:
            h, stop = subdnn_0(keys, h)
            if stop.item() > 0: break

    Only from sub-DNNs that run in the first round for certain: nothing runs that would not have,
    and a loop without rounds computes nothing more than before.
    """

    name: ClassVar[str] = "hoist-invariants"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with what loops need every round computed before them."""
        facts = _Facts(graph, report)
        # Inner loops first: what leaves one may leave the loop around it.
        for head, loop in loops(graph).items():
            graph = self._hoist(facts, head, loop, report)
            if graph is not facts.graph:
                facts = _Facts(graph, report)
        return graph

    def _hoist(
        self, facts: "_Facts", head: NodeId, loop: frozenset[NodeId], report: Report
    ) -> Hcfg:
        graph = facts.graph
        certain = tuple(_certain(facts, head, loop))
        if not certain:
            return graph
        code = facts.code
        invariant = _invariant(graph, certain, loop, code)
        costly = [s for s in invariant if code.is_costly(s)]
        if not costly:
            return graph
        wanted = all_writes(costly)
        statements, _ = slice_for(invariant, wanted, graph.variables)
        inputs = exposed_reads(statements, graph.variables)
        hoisted = SubDnn(statements=statements, inputs=inputs, outputs=wanted, then=head)
        left = {n: _without(graph.nodes[n], costly, graph) for n in certain}
        changed = [node for node in (hoisted, *left.values()) if node is not None]
        if not inputs or not all(code.is_compilable(node, wanted) for node in changed):
            return graph
        name = fresh_id(graph.nodes, "subdnn")
        report.note(self.name, head, f"{', '.join(wanted)} before the loop, in {name}")
        nodes: dict[NodeId, Node] = {name: hoisted}
        for node_id, node in graph.nodes.items():
            outside = node_id not in loop
            nodes[node_id] = _redirected(node, head, name) if outside else node
        nodes |= {n: node for n, node in left.items() if node is not None}
        gone = {n: successors(graph.nodes[n])[0] for n, node in left.items() if node is None}
        return bypass(replace(graph, nodes=nodes), gone)


@dataclass(frozen=True)
class _Facts:
    """What is asked about a graph for each of its loops, found once."""

    graph: Hcfg
    report: Report

    @cached_property
    def constants(self) -> Constants:
        return Constants(self.graph)

    @cached_property
    def predecessors(self) -> dict[NodeId, tuple[NodeId, ...]]:
        return predecessors(self.graph)

    @cached_property
    def code(self) -> PureCode:
        return PureCode.of(self.graph, self.report.recordings)


def _redirected(node: Node, old: NodeId, new: NodeId) -> Node:
    return with_targets(node, lambda target: new if target == old else target)


def _certain(facts: _Facts, head: NodeId, loop: frozenset[NodeId]) -> Iterator[NodeId]:
    """Yield the sub-DNNs that the first round runs for certain, in their order."""
    graph, constants = facts.graph, facts.constants
    values = constants.after_all(n for n in facts.predecessors[head] if n not in loop)
    seen = {head}
    node: Node = graph.nodes[head]
    while isinstance(node, LoopHead | SubDnn | HostBlock | Branch):
        if isinstance(node, Branch):
            outcome = constants.outcome(node, values)
            if outcome is None:
                return
            target = node.if_true if outcome else node.if_false
        else:
            target = node.then
        if target not in loop or target in seen:
            return
        values = constants.after(node, values)
        seen.add(target)
        node = graph.nodes[target]
        if isinstance(node, SubDnn):
            yield target


def _invariant(
    graph: Hcfg, certain: Sequence[NodeId], loop: frozenset[NodeId], code: PureCode
) -> list[DnnStatement]:
    """Return the statements of certain sub-DNNs that give the same in every round."""
    changing = {
        name
        for n in loop
        if isinstance(node := graph.nodes[n], SubDnn | HostBlock)
        for name in all_writes(node.statements)
    }
    found: list[DnnStatement] = []
    for node_id in certain:
        node = graph.nodes[node_id]
        for statement in node.statements if isinstance(node, SubDnn) else ():
            fixed = changing.isdisjoint(reads(statement, graph.variables))
            # What may raise must not do so before the effects that come before it.
            if fixed and code.is_pure(statement) and not may_raise(statement):
                found.append(statement)
                changing.difference_update(writes(statement))
    return found


def _without(node: Node, costly: Sequence[DnnStatement], graph: Hcfg) -> SubDnn | None:
    """Return a sub-DNN without some statements, and without what only those needed."""
    assert isinstance(node, SubDnn)
    gone = {id(statement) for statement in costly}
    kept = [statement for statement in node.statements if id(statement) not in gone]
    statements, _ = slice_for(kept, node.outputs, graph.variables)
    written = all_writes(statements)
    outputs = tuple(name for name in written if name in node.outputs)
    inputs = exposed_reads(statements, graph.variables)
    return replace(node, statements=statements, inputs=inputs, outputs=outputs) if outputs else None
