"""Numbers that later decisions read, computed together with what they are computed from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from hcfg.edit import bypass
from hcfg.flow import dominates, immediate_dominators, loops, part_of
from hcfg.graph import Entry, Hcfg, Node, NodeId, SubDnn
from hcfg.liveness import node_writes
from hcfg.pure_code import PureCode
from hcfg.report import Report
from hcfg.statements import all_writes, exposed_reads, may_raise
from rewriter.program import TensorSpec


@dataclass(frozen=True, slots=True)
class AdvancePredicates:
    """Let the sub-DNN that computes a tensor also compute the numbers that others take from it.

    rewrite:
        policy = subdnn_0(x)                    policy, test, test_1 = subdnn_0(x)
        test = subdnn_1(policy)                 if test.item():
        if test.item():                             x = subdnn_2(x)
            x = subdnn_2(x)             ->      if test_1.item():
        test_1 = subdnn_3(policy)                   x = subdnn_4(x)
        if test_1.item():
            x = subdnn_4(x)

    A call costs more than such a number, so they are computed where the last of their operands
    comes about, whether they are needed on every path from there or not. What may raise, what is
    dear, and whatever else than single numbers stays. So does what a loop would compute in each
    round instead of once behind it.
    """

    name: ClassVar[str] = "advance-predicates"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with fewer sub-DNNs that only compute a number."""
        code = PureCode.of(graph, report.recordings)
        around = tuple(loops(graph).values())
        for entry in graph.entries:
            search = _Search(code=code, loops=around, parent=immediate_dominators(graph, entry))
            search.visit(part_of(graph, entry))
            changed = search.changed
            if not all(code.is_compilable(node, node.outputs) for node in changed.values()):
                continue
            for node_id, home in search.homes.items():
                report.note(self.name, node_id, f"is computed in {home}")
            if changed:
                nodes: dict[NodeId, Node] = {**graph.nodes, **changed}
                gone = {n: _then(nodes[n]) for n in search.homes}
                graph = bypass(replace(graph, nodes=nodes), gone)
        return graph


def _then(node: Node) -> NodeId:
    assert isinstance(node, SubDnn)
    return node.then


@dataclass(slots=True, kw_only=True)
class _Search:
    """A walk over sub-DNNs in the order in which they run."""

    code: PureCode
    loops: tuple[frozenset[NodeId], ...]
    parent: Mapping[NodeId, NodeId | None]
    """Immediate dominators."""
    changed: dict[NodeId, SubDnn] = field(default_factory=dict)
    """What computes more than it did."""
    homes: dict[NodeId, NodeId] = field(default_factory=dict)
    """For sub-DNNs that go, the one that does what they did."""

    def visit(self, part: tuple[NodeId, ...]) -> None:
        """Find what can go where."""
        graph = self.code.graph
        makers: dict[str, NodeId] = {}
        for node_id in part:
            node = graph.nodes[node_id]
            if isinstance(node, SubDnn):
                home = self._home(node_id, node, part, makers)
                if home is not None:
                    self._move(node_id, node, home)
                makers |= dict.fromkeys(node.outputs, home or node_id)
            elif isinstance(node, Entry):
                makers |= dict.fromkeys(node_writes(node, graph), node_id)

    def _home(
        self, node_id: NodeId, node: SubDnn, part: tuple[NodeId, ...], makers: Mapping[str, NodeId]
    ) -> NodeId | None:
        """Return the sub-DNN that can do what a node does, None where it had better stay."""
        if not self._is_small(node) or not makers.keys() >= {*node.inputs}:
            return None
        sources = {makers[name] for name in node.inputs}
        if not sources or not all(dominates(self.parent, s, node_id) for s in sources):
            return None
        last = max(
            sources, key=part.index
        )  # of those that dominate a node, each dominates the next
        stays_inside = all(node_id in loop for loop in self.loops if last in loop)
        is_subdnn = isinstance(self.code.graph.nodes[last], SubDnn)
        return last if is_subdnn and stays_inside else None

    def _is_small(self, node: SubDnn) -> bool:
        code = self.code
        return (
            all(
                code.is_pure(s)
                and code.has_fixed_operands(s)
                and code.has_known_sizes(s)
                and not may_raise(s)
                for s in node.statements
            )
            and all(map(self._is_number, node.outputs))
            and not any(map(code.is_costly, node.statements))
        )

    def _is_number(self, name: str) -> bool:
        spec = self.code.graph.variables[name].spec
        if not isinstance(spec, TensorSpec):
            return False
        sizes = [size for size in spec.shape if isinstance(size, int)]
        return len(sizes) == len(spec.shape) and math.prod(sizes) == 1

    def _move(self, node_id: NodeId, node: SubDnn, home: NodeId) -> None:
        old = self.changed.get(home, self.code.graph.nodes[home])
        assert isinstance(old, SubDnn)
        statements = (*old.statements, *node.statements)
        wanted = {*old.outputs, *node.outputs}
        self.homes[node_id] = home
        self.changed[home] = replace(
            old,
            statements=statements,
            inputs=exposed_reads(statements, self.code.graph.variables),
            outputs=tuple(name for name in all_writes(statements) if name in wanted),
        )
