"""Views from before a decision are taken again where a sub-DNN writes into them, or beside them.

    row = x[1]                sub-DNN             row = x[1]                     sub-DNN
    ------ border: a decision ------        ->    ------ border: a decision ------
    row.add_(1)               writes no x         row = x.view(-1)[3:6].view(3)  sub-DNN
                                                  row.add_(1)                    writes x

The rewriter says with each statement that writes how (``TensorStatement.retakes``). Where sizes are
known only at run time it cannot: then what took the view is run again, of the
memory that is written:

    keys = cache[0];  seen = torch.narrow(keys, 0, 0, n)     sub-DNN
    ------ border: a decision ------
    seen = torch.narrow(cache[0], 0, 0, n);  cache.add_(x)   sub-DNN
"""

import ast
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from hcfg.edit import ordered
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.names import names_in
from hcfg.recordings import Recordings
from hcfg.statements import exposed_reads, writes
from hcfg.verify import verify
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.printing.substitution import renamed, substitute
from rewriter.program import Statement, TensorStatement
from rewriter.program_names import expression_names
from rewriter.specs import ScalarSpec


@dataclass(frozen=True, slots=True)
class Makers:
    """How the tensors of a graph are made."""

    graph: Hcfg
    made: Mapping[str, ast.expr]
    """By the name of a tensor: the one expression that makes it, by what writes nothing."""
    changing: AbstractSet[str]
    """What several statements assign."""

    def tensors(self, expression: ast.expr) -> AbstractSet[str]:
        """Return the tensors that an expression reads, in order."""
        variables = self.graph.variables
        names = (name for name in names_in(expression) if name in variables)
        return dict.fromkeys(n for n in names if not _is_number(n, self.graph)).keys()

    def view(
        self, made: ast.expr, shared: AbstractSet[str], there: AbstractSet[str]
    ) -> ast.expr | None:
        """Return how to take a view of what is there, of the memory that ``shared`` is in.

        Numbers (``out[start : start + n]``) need not be there: no variable changes between the
        statement and where its tensor is used, unless the statement is run again. What is no
        variable (``torch`` in ``torch.narrow(out, 0, start, n)``) is the same everywhere.
        """
        instead: dict[str, ast.expr] = {}
        for name in self.tensors(made):
            inner = self.made.get(name)
            view = None if inner is None else self.view(inner, shared, there)
            if view is not None and self.changing.isdisjoint(self.tensors(view)):
                instead[name] = view
        left = self.tensors(made) - instead.keys()
        is_rooted = bool(instead) or not left.isdisjoint(shared)
        return substitute(made, instead) if is_rooted and left <= there else None

    def viewed(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Return what tensors are views of, through all views between."""
        found: set[str] = set()
        rest = [*names]
        while rest:
            made = self.made.get(rest.pop())
            new = self.tensors(made) - found if made is not None else ()
            found.update(new)
            rest += new
        return found


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
        if isinstance(statement, TensorStatement) and statement.updates:
            again = {n: e for n, e in statement.retakes if {n, *expression_names(e)} <= apart}
            for name, expression in (
                again | _made_again(statement, apart - again.keys(), apart, makers)
            ).items():
                if name not in taken:
                    taken[name] = TensorStatement(
                        pattern=name, expression=expression, origin=statement.origin
                    )
        apart -= {*writes(statement)}
    statements = (*taken.values(), *node.statements)
    return replace(node, statements=statements, inputs=exposed_reads(statements, graph.variables))


def _made_again(
    write: TensorStatement, asked: AbstractSet[str], apart: AbstractSet[str], makers: Makers
) -> dict[str, ast.expr]:
    """Return what made the views among ``asked`` of the memory that is written."""
    olds = {old for _, old in write.updates}
    views = {
        name: makers.view(makers.made[name], olds & apart, apart)
        for name in asked & (olds | makers.viewed(olds)) & makers.made.keys()
    }
    order = {name: place for place, name in enumerate(makers.made)}
    found = ((name, views[name]) for name in sorted(views, key=order.__getitem__))
    return {name: view for name, view in found if view is not None}


def _is_number(name: str, graph: Hcfg) -> bool:
    return isinstance(graph.variables[name].spec, ScalarSpec)


def _makers(graph: Hcfg) -> Makers:
    """Return how tensors are made, in their order.

    A view that lives through a write is one of what has been written with it.
    """
    statements = [s for node in graph.nodes.values() for s in getattr(node, "statements", ())]
    made: dict[str, ast.expr] = {}
    makers = Makers(graph, made, _changing(statements))
    for statement in statements:
        for name in writes(statement):
            if name not in makers.changing and isinstance(statement, TensorStatement):
                expression = _maker(statement, name, makers)
                if expression is not None:
                    made[name] = expression
    return makers


def _changing(statements: Iterable[Statement]) -> AbstractSet[str]:
    """Return what several statements assign, but for those that make it in one way."""
    first: dict[str, str] = {}
    changing: set[str] = set()
    for number, statement in enumerate(statements):
        for name in writes(statement):
            way = str(number)
            if isinstance(statement, TensorStatement) and _makes(statement, name):
                way = ast.dump(statement.expression)
            if first.setdefault(name, way) != way:
                changing.add(name)
    return changing


def _maker(statement: TensorStatement, name: str, makers: Makers) -> ast.expr | None:
    """Return the expression that makes a tensor, said of what is there after ``statement``.

    A write that tells what a view is of another tensor (``retakes``) changes one memory only, so
    what is made of one tensor that it changes, and changed by it, is a view.
    """
    if _makes(statement, name):
        return statement.expression
    after = {old: new for new, old in statement.updates}
    before = next((old for old, new in after.items() if new == name), "")
    if before not in makers.made or not statement.retakes:
        return None
    made = makers.view(makers.made[before], after.keys(), after.keys())
    return None if made is None else renamed(made, after)


def _makes(statement: TensorStatement, name: str) -> bool:
    return (
        statement.pattern == name
        and not statement.updates
        and statement.stores_into is None
        and statement.draws is None
    )
