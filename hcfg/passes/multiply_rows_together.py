"""Loop fission for products: all rows that a loop multiplies by a matrix, before the loop."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from torch import Tensor
from torch.nn.functional import linear

from hcfg.edit import fresh_id, ordered, with_targets
from hcfg.flow import loops
from hcfg.graph import Branch, Hcfg, HostBlock, LoopHead, Node, NodeId, Raise, SubDnn, successors
from hcfg.pure_code import PureCode
from hcfg.report import Report
from hcfg.row_products import RowProduct, Selection, row_product, selection
from hcfg.statements import all_writes, exposed_reads, slice_for, works_in_place
from rewriter.printing.substitution import renamed
from rewriter.program import (
    Dimension,
    HostStatement,
    KnownReference,
    ScalarSpec,
    TensorSpec,
    TensorStatement,
    Variable,
)

_LEAST = 1 << 20
"""Bytes of a matrix from which a round mostly waits for it."""


@dataclass(frozen=True, slots=True)
class MultiplyRowsTogether:
    """Multiply all rows of a tensor by a matrix before the loop that takes one in each round.

    rewrite:
        while t < x.shape[0]:
            h, c = subdnn_0(x, t, h, c)         # row = x[t]; h, c = self.cell(row, (h, c))
          ->
        product = subdnn_1(x)                   # linear(x, cell.weight_ih, cell.bias_ih)
        while t < x.shape[0]:
            h, c = subdnn_0(product, t, h, c)   # given = product[t]; h, c = the rest of the cell

    The matrix is then read once, not once for each row. Only where there are as many rounds as
    rows, and each has the product: nothing is multiplied that would not have been.
    """

    name: ClassVar[str] = "multiply-rows-together"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with such products before their loops."""
        for head, loop in loops(graph).items():
            rounds = _rounds(graph, loop)
            for node_id in _every_round(graph, head, loop) if rounds is not None else ():
                graph = self._moved(graph, report, head, loop, node_id, rounds)
        return graph

    def _moved(
        self,
        graph: Hcfg,
        report: Report,
        head: NodeId,
        loop: frozenset[NodeId],
        node_id: NodeId,
        rounds: Dimension | None,
    ) -> Hcfg:
        """Return the graph without such products in one sub-DNN of a loop."""
        code = PureCode.of(graph, report.recordings)
        for found in _found(graph, loop, node_id, code):
            source = graph.variables[found.selection.source].spec
            assert isinstance(source, TensorSpec)
            if source.shape[found.selection.dim] != rounds:
                continue
            changed = _split(graph, found, head, loop, node_id)
            made = [changed.nodes[n] for n in changed.nodes if n not in graph.nodes or n == node_id]
            known = PureCode.of(changed, report.recordings)
            if all(known.is_compilable(n, n.outputs) for n in made if isinstance(n, SubDnn)):
                report.note(self.name, head, f"{found.product.row} before the loop, all of them")
                graph = changed
        return graph


def _rounds(graph: Hcfg, loop: frozenset[NodeId]) -> Dimension | None:
    """Return how often a loop turns at most, by the only test that ends it."""
    ends = [
        graph.nodes[node_id]
        for node_id in loop
        for target in successors(graph.nodes[node_id])
        if target not in loop and not isinstance(graph.nodes[target], Raise)
    ]
    test = ends[0] if len(ends) == 1 else None
    match _condition(test, graph, loop) if isinstance(test, Branch) else None:
        case ast.Compare(left=ast.Name(), ops=[ast.Lt()], comparators=[ast.Constant(bound)]):
            return bound if type(bound) is int else None
        case ast.Compare(left=ast.Name(), ops=[ast.Lt()], comparators=[ast.Name(id=bound)]):
            spec = graph.variables[bound].spec if bound in graph.variables else None
            return spec.size if isinstance(spec, ScalarSpec) else None
        case _:  # no count
            return None


def _condition(test: Branch, graph: Hcfg, loop: frozenset[NodeId]) -> ast.expr:
    """Return what a branch tests, which may have a name."""
    blocks = (node for n in loop if isinstance(node := graph.nodes[n], HostBlock))
    assigned = [
        statement.expression
        for block in blocks
        for statement in block.statements
        if isinstance(statement, HostStatement)
        and isinstance(test.condition, ast.Name)
        and statement.target == test.condition.id
    ]
    return assigned[0] if len(assigned) == 1 else test.condition


def _every_round(graph: Hcfg, head: NodeId, loop: frozenset[NodeId]) -> Iterator[NodeId]:
    """Yield the sub-DNNs that are in each round, up to the first decision inside."""
    seen: set[NodeId] = set()
    node_id = head
    while node_id not in seen:
        seen.add(node_id)
        node = graph.nodes[node_id]
        if isinstance(node, SubDnn):
            yield node_id
        ways = [target for target in successors(node) if target in loop]
        if len(ways) != 1 or (isinstance(node, LoopHead) and node_id != head):
            return
        node_id = ways[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A product of a row, and the statements that choose the row."""

    multiplying: TensorStatement
    selection: Selection
    product: RowProduct


def _found(
    graph: Hcfg, loop: frozenset[NodeId], node_id: NodeId, code: PureCode
) -> Iterator[_Found]:
    changing = {
        name
        for n in loop
        if isinstance(node := graph.nodes[n], SubDnn | HostBlock)
        for name in all_writes(node.statements)
    }
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    known: dict[str, Selection] = {}
    for statement in node.statements:
        if not isinstance(statement, TensorStatement) or works_in_place(statement):
            continue
        product = row_product(statement, graph)
        if product is not None and product.row in known and product.bytes >= _LEAST:
            chosen = known[product.row]
            yield _Found(multiplying=statement, selection=chosen, product=product)
        found = selection(statement, graph, known)
        if found is None or not code.is_pure(statement) or not isinstance(statement.pattern, str):
            continue
        if found.source not in changing and found.source not in code.overwritten:
            known[statement.pattern] = found


def _split(
    graph: Hcfg, found: _Found, head: NodeId, loop: frozenset[NodeId], node_id: NodeId
) -> Hcfg:
    """Return the graph that makes one product before the loop."""
    source, product, old = found.selection.source, found.product, found.multiplying
    naming = _Naming(dict(graph.variables), dict(graph.knowns))
    every = naming.variable(source, product.weight)
    multiplied = naming.call(linear, _name(source), product.weight, product.bias)
    multiplying = TensorStatement(pattern=every, expression=multiplied, origin=old.origin)
    name = fresh_id(graph.nodes, "subdnn")
    nodes: dict[NodeId, Node] = {
        name: SubDnn(statements=(multiplying,), inputs=(source,), outputs=(every,), then=head)
    }
    for each, other in graph.nodes.items():
        is_before = each not in loop
        entering = with_targets(other, lambda target: name if target == head else target)
        nodes[each] = entering if is_before else other
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    instead = _instead(found, every, naming)
    lines = [s for each in node.statements for s in instead.get(id(each), [each])]
    statements, _ = slice_for(lines, node.outputs, naming.variables)
    inputs = exposed_reads(statements, naming.variables)
    nodes[node_id] = replace(node, statements=statements, inputs=inputs)
    return ordered(replace(graph, nodes=nodes, variables=naming.variables, knowns=naming.knowns))


def _instead(
    found: _Found, every: str, naming: "_Naming"
) -> Mapping[int, Sequence[TensorStatement]]:
    """Return statements that choose the product of a row, and go on with it, by whose place it is.

    The product is chosen where the row is: what says which one may be written to later.
    """
    product, old = found.product, found.multiplying
    names, made = {found.selection.source: every}, {}
    for each in found.selection.statements:
        assert isinstance(each.pattern, str)
        names[each.pattern] = naming.variable(each.pattern, product.weight)
        chosen = renamed(each.expression, names)
        selecting = replace(each, pattern=names[each.pattern], expression=chosen, does=None)
        made[id(each)] = [each, selecting]
    given = _name(names[product.row])
    if product.rest is None:  # not a view of all products, as the result of a layer is none
        result: ast.expr = ast.Call(ast.Attribute(given, "clone", ast.Load()), [], [])
    else:
        states = product.states, product.state_weight, product.state_bias
        result = naming.call(product.rest, given, *states)
    made[id(old)] = [replace(old, expression=result, does=None)]
    return made


@dataclass(slots=True)
class _Naming:
    """New variables and known objects beside those of a graph."""

    variables: dict[str, Variable]
    knowns: dict[str, KnownReference]

    def variable(self, like: str, weight: Tensor) -> str:
        """Return the name of a new tensor like another one, but for the last dimension."""
        spec = self.variables[like].spec
        assert isinstance(spec, TensorSpec)
        name = fresh_id((*self.variables, *self.knowns), "product")
        shape = (*spec.shape[:-1], weight.shape[0])
        self.variables[name] = Variable(name=name, hint="product", spec=replace(spec, shape=shape))
        return name

    def known(self, value: object) -> ast.expr:
        """Return the expression for an object."""
        if value is None:
            return ast.Constant(None)
        same = (name for name, known in self.knowns.items() if known.value is value)
        name = next(same, None) or fresh_id((*self.variables, *self.knowns), "known")
        function = getattr(value, "__name__", None)
        known = KnownReference(name=name, path=function, value=value)
        self.knowns.setdefault(name, known)
        return _name(name)

    def call(self, function: object, *arguments: ast.expr | Tensor | None) -> ast.expr:
        """Return the expression for a call."""
        given = [a if isinstance(a, ast.expr) else self.known(a) for a in arguments]
        return ast.Call(self.known(function), given, [])


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
