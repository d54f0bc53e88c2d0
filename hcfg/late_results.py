"""What host code does with results of tensor code: does it look at them, or only hand them on?

A result that is only handed on, to tensor code and to functions, may be computed later.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from hcfg.flow import part_of
from hcfg.graph import (
    Branch,
    Hcfg,
    HostBlock,
    HostCode,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    is_tensor,
)
from hcfg.names import names_in
from hcfg.statements import writes
from rewriter.program import CallStatement, Copy, HostStatement, TensorFromHost
from rewriter.program_names import pattern_names

_PURE = (
    ast.Name, ast.Constant, ast.Subscript, ast.Attribute, ast.List, ast.Tuple, ast.BinOp,
    ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Slice, ast.expr_context, ast.operator,
    ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
_PURE_CALLS: tuple[object, ...] = (len, int, float, bool, abs, min, max, range, isinstance)


def are_only_handed_on(graph: Hcfg, nodes: Sequence[NodeId]) -> bool:
    """Return whether nodes look at no result of the sub-DNNs among them, and change nothing.

    The nodes are whole functions, and all that they call.
    """
    late, own = _late(graph, nodes), _own_lists(graph, nodes)
    return all(_is_blind(graph.nodes[node_id], late, own, graph) for node_id in nodes)


def _late(graph: Hcfg, nodes: Sequence[NodeId]) -> Set[str]:
    """Return the variables that may hold a result that is not computed yet."""
    made_of = [
        pair
        for node_id in nodes
        if isinstance(block := graph.nodes[node_id], HostBlock)
        for statement in block.statements
        for pair in _made_of(graph, statement)
    ]
    late = {
        name
        for node_id in nodes
        if isinstance(node := graph.nodes[node_id], SubDnn)
        for name in node.outputs
    }
    while more := {target for target, sources in made_of if sources & late} - late:
        late |= more
    return late


def _made_of(graph: Hcfg, statement: HostCode) -> Iterator[tuple[str, Set[str]]]:
    """Yield variables, each with those whose values it may hold."""
    match statement:
        case Copy():
            for target, source in zip(statement.targets, statement.sources, strict=True):
                yield target, {*names_in(source)}
        case CallStatement():
            function = graph.functions[statement.function]
            for target, source in zip(function.parameters, statement.arguments, strict=True):
                yield target, {*names_in(source)}
            returned = _returned(graph, statement.function)
            yield from ((target, returned) for target in pattern_names(statement.pattern))
        case HostStatement() if (appended := _appended(statement)) is not None:
            yield appended[0], _use(appended[1], graph).carried
        case HostStatement(target=str(target)):
            yield target, _use(statement.expression, graph).carried
        case HostStatement() | TensorFromHost():
            pass


def _returned(graph: Hcfg, function: str) -> Set[str]:
    nodes = (graph.nodes[n] for n in part_of(graph, graph.functions[function].entry))
    return {name for node in nodes if isinstance(node, Return) for name in names_in(node.value)}


def _is_blind(node: Node, late: Set[str], own: Set[str], graph: Hcfg) -> bool:
    """Return whether a node only hands results on that are not computed yet."""
    match node:
        case HostBlock():
            return all(_hands_on(statement, late, own, graph) for statement in node.statements)
        case Branch():
            return late.isdisjoint(_use(node.condition, graph).all)
        case Raise():
            return late.isdisjoint(names_in(node.exception))
        case Return():
            return late.isdisjoint(_use(node.value, graph).looked_at)
        case _:
            return True


def _hands_on(statement: HostCode, late: Set[str], own: Set[str], graph: Hcfg) -> bool:
    match statement:
        case Copy():
            return True
        case CallStatement():
            return all(isinstance(each, ast.Name | ast.Constant) for each in statement.arguments)
        case TensorFromHost():
            return late.isdisjoint(names_in(statement.expression))
        case HostStatement() if (appended := _appended(statement)) is not None:
            return appended[0] in own and late.isdisjoint(_use(appended[1], graph).looked_at)
        case HostStatement():
            use = _use(statement.expression, graph)
            harmless = not statement.effect or _changes_nothing(statement.expression, graph)
            return harmless and late.isdisjoint(use.looked_at)


def _appended(statement: HostStatement) -> tuple[str, ast.expr] | None:
    """Return the list and the value of ``items.append(value)``."""
    match statement.expression:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value], keywords=[]
        ) if statement.target is None:
            return name, value
        case _:
            return None


def _own_lists(graph: Hcfg, nodes: Sequence[NodeId]) -> Set[str]:
    """Return the variables that hold nothing but lists made here."""
    own: set[str] = set()
    others = {name for each in graph.functions.values() for name in each.parameters}
    for node_id in nodes:
        node = graph.nodes[node_id]
        for statement in node.statements if isinstance(node, HostBlock) else ():
            is_list = isinstance(statement, HostStatement) and isinstance(
                statement.expression, ast.List
            )
            (own if is_list else others).update(writes(statement))
    return own - others


@dataclass(frozen=True, slots=True)
class _Use:
    """What an expression does with variables."""

    looked_at: frozenset[str] = frozenset()
    carried: frozenset[str] = frozenset()
    """Their values, or parts of them, are in its value."""

    @property
    def all(self) -> frozenset[str]:
        return self.looked_at | self.carried


def _use(expression: ast.expr, graph: Hcfg) -> _Use:
    match expression:
        case ast.Name(id=name):
            return _Use(carried=frozenset({name} & graph.variables.keys()))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            uses = [_use(part, graph) for part in parts]
            return _Use(_union(use.looked_at for use in uses), _union(use.carried for use in uses))
        case ast.Subscript(value=value, slice=index) if not _is_array(value, graph):
            use = _use(value, graph)
            return _Use(use.looked_at | _use(index, graph).all, use.carried)
        case ast.Call(func=function, args=[ast.Name() as items]) if _builtin(
            function, graph
        ) is len and not _is_array(items, graph):
            return _Use()  # how many there are, not what they are
        case _:
            parts = [
                each for each in ast.iter_child_nodes(expression) if isinstance(each, ast.expr)
            ]
            return _Use(_union(_use(part, graph).all for part in parts))


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _is_array(value: ast.expr, graph: Hcfg) -> bool:
    return isinstance(value, ast.Name) and is_tensor(value.id, graph.variables)


def _changes_nothing(expression: ast.expr, graph: Hcfg) -> bool:
    """Return whether an expression with an effect has none but that it may raise."""
    return all(
        any(_builtin(node.func, graph) is each for each in _PURE_CALLS)
        if isinstance(node, ast.Call)
        else isinstance(node, _PURE)
        for node in ast.walk(expression)
    )


def _builtin(function: ast.expr, graph: Hcfg) -> object:
    """Return the function of Python's that a name stands for, None for others."""
    if not isinstance(function, ast.Name) or function.id in graph.variables:
        return None
    if function.id in graph.knowns:
        return graph.knowns[function.id].value
    return getattr(builtins, function.id, None)
