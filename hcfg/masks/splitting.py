"""A sub-DNN with layers that can be skipped, taken apart: what decides, two arms, what follows."""

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import torch

from hcfg.edit import fresh_id, ordered
from hcfg.graph import Branch, DnnStatement, Hcfg, Node, NodeId, SubDnn
from hcfg.known_tensors import as_known
from hcfg.masks.finding import Skippable
from hcfg.statements import all_writes, exposed_reads, works_in_place
from rewriter.program import TensorSpec, TensorStatement, Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A graph in which branches stand for a sub-DNN."""

    graph: Hcfg
    made: tuple[tuple[NodeId, frozenset[str]], ...]
    """The new sub-DNNs, and what is read after each."""
    tests: tuple[NodeId, ...]
    """The branches, in the order of the parts."""


def split(node_id: NodeId, parts: Sequence[Skippable], graph: Hcfg) -> Split:
    """Put branches in the place of a sub-DNN; its id stays with what runs first."""
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    splitting = _Splitting(node=node, graph=graph, nodes=dict(graph.nodes), after={*node.outputs})
    del splitting.nodes[node_id]
    ids = [splitting.reserve() for _ in parts]
    moved = frozenset[int]().union(*(part.moved for part in parts))
    ends = [-1, *(part.place for part in parts), len(node.statements)]
    between = [
        [node.statements[p] for p in range(start + 1, end) if p not in moved]
        for start, end in pairwise(ends)
    ]
    then = splitting.subdnn(between[-1], node.then)
    for number, part in reversed(tuple(enumerate(parts))):
        test = splitting.branch(part, ids[number], then)
        line = [*between[number], splitting.test(part, ids[number])]
        then = splitting.subdnn(line, test, node_id if number == 0 else None)
    return Split(
        graph=ordered(replace(splitting.graph, nodes=splitting.nodes)),
        made=tuple(splitting.made),
        tests=tuple(each.test for each in ids),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ids:
    """What the nodes for one part, and the variable that decides, are called."""

    runs: NodeId
    skips: NodeId
    test: NodeId
    variable: str


@dataclass(slots=True, kw_only=True)
class _Splitting:
    """Makes nodes from the end of a sub-DNN to its beginning."""

    node: SubDnn
    graph: Hcfg
    nodes: dict[NodeId, Node]
    after: set[str]
    """What is read after the nodes still to be made."""
    made: list[tuple[NodeId, frozenset[str]]] = field(default_factory=list)
    taken: set[NodeId] = field(default_factory=set)
    """Ids of nodes still to be made."""

    def reserve(self) -> _Ids:
        """Find names for one part."""
        variable = fresh_id((*self.graph.variables, *self.graph.knowns), "runs")
        spec = TensorSpec(dtype=torch.bool, shape=())
        new = Variable(name=variable, hint="runs", spec=spec)
        self.graph = replace(self.graph, variables={**self.graph.variables, variable: new})
        runs, skips, test = self._fresh("subdnn"), self._fresh("subdnn"), self._fresh("branch")
        return _Ids(runs=runs, skips=skips, test=test, variable=variable)

    def _fresh(self, kind: str) -> NodeId:
        node_id = fresh_id((*self.graph.nodes, *self.nodes, *self.taken), kind)
        self.taken.add(node_id)
        return node_id

    def subdnn(
        self, statements: Iterable[DnnStatement], then: NodeId, node_id: NodeId | None = None
    ) -> NodeId:
        """Add a sub-DNN before everything made so far; nothing where nobody needs it."""
        new = _subdnn(statements, self.after, self.graph, then)
        if not new.outputs:
            return then
        after = frozenset(self.after)
        self.after -= {*new.outputs}
        return self._add(node_id or self._fresh("subdnn"), new, after)

    def _add(self, node_id: NodeId, new: SubDnn, after: frozenset[str]) -> NodeId:
        self.nodes[node_id] = new
        self.made.append((node_id, after))
        self.after |= {*new.inputs}
        return node_id

    def branch(self, part: Skippable, ids: _Ids, then: NodeId) -> NodeId:
        """Add a decision and its arms before everything made so far."""
        statements = self.node.statements
        joining = [statements[position] for position in sorted(part.joining)]
        running = [statements[position] for position in sorted(part.moved)]
        skipping = [self._zeros(part, joining), *joining]
        after = frozenset(self.after)
        runs, skips = (_subdnn(arm, after, self.graph, then) for arm in (running, skipping))
        self.after -= {*runs.outputs}
        self._add(ids.runs, runs, after)
        self._add(ids.skips, skips, after)
        self.nodes[ids.test] = Branch(
            condition=_expression(f"{ids.variable}.item()"),
            if_true=ids.runs,
            if_false=ids.skips,
            origin=statements[part.place].origin,
        )
        self.after.add(ids.variable)
        return ids.test

    def _zeros(self, part: Skippable, joining: Sequence[DnnStatement]) -> TensorStatement:
        """Return what stands for the result of the layers where the mask is 0."""
        spec = self.graph.variables[part.result].spec
        assert isinstance(spec, TensorSpec)
        self.graph, zero = as_known(self.graph, torch.zeros((), dtype=spec.dtype))
        own = ".clone()" if any(map(works_in_place, joining)) else ""
        expression = _expression(f"{zero}.expand({', '.join(map(str, spec.shape))}){own}")
        origin = self.node.statements[part.place].origin
        return TensorStatement(pattern=part.result, expression=expression, origin=origin)

    def test(self, part: Skippable, ids: _Ids) -> TensorStatement:
        """Return the statement that finds out whether the layers must run."""
        # A sum is never less than its largest term, and NaN is in no order.
        large = (f" | ~({read}.abs().sum() <= {limit!r})" for read, limit in part.limits)
        return TensorStatement(
            pattern=ids.variable,
            expression=_expression(f"({part.mask} != 0).any(){''.join(large)}"),
            origin=self.node.statements[part.place].origin,
        )


def _subdnn(
    statements: Iterable[DnnStatement], after: Collection[str], graph: Hcfg, then: NodeId
) -> SubDnn:
    line = tuple(statements)
    return SubDnn(
        statements=line,
        inputs=exposed_reads(line, graph.variables),
        outputs=tuple(name for name in all_writes(line) if name in after),
        then=then,
    )


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
