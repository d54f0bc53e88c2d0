"""Which complex tensors the host only hands on, from sub-DNN to sub-DNN.

It hands on what it copies, passes to a function of the program, returns from one, or keeps from
one call to the next. Places that may hold the same tensor are one group; a group in which
the host does anything else, as an argument or result of the program, is left out.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import networkx
import torch

from hcfg.flow import owners
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    Raise,
    Return,
    SubDnn,
    parameter_variables,
)
from hcfg.names import names_in
from hcfg.statements import reads, writes
from rewriter.program import (
    CallStatement,
    Copy,
    HostSpec,
    HostStatement,
    KeptState,
    Statement,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
)
from rewriter.program_names import pattern_names

REAL = {torch.complex64: torch.float32, torch.complex128: torch.float64}
"""The type of both parts of a complex number, for the types whose pairs are compiled."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A place for what is kept from one call to the next."""

    name: str


@dataclass(frozen=True, slots=True)
class Results:
    """A place for all tensors that a function of the program returns."""

    function: str


Place: TypeAlias = str | Kept | Results
"""A variable or known tensor by name, or another place."""


def handed_on(graph: Hcfg) -> frozenset[Place]:
    """Return the places of complex tensors that the host hands on, and does no more with."""
    search = _Search(graph=graph)
    search.run()
    groups = networkx.connected_components(search.joined)
    return frozenset(
        place
        for group in groups
        if not search.looked_into & group and any(p in search.ports for p in group)
        for place in group
    )


def is_complex(name: str, graph: Hcfg) -> bool:
    """Return whether a name is a complex tensor: a variable, or known at compile time."""
    if name in graph.variables:
        spec = graph.variables[name].spec
        return isinstance(spec, TensorSpec) and spec.dtype in REAL
    known = graph.knowns.get(name)
    return known is not None and isinstance(known.value, torch.Tensor) and _is_pair(known.value)


def _is_pair(tensor: torch.Tensor) -> bool:
    return tensor.dtype in REAL


def kept_place(expression: ast.expr, graph: Hcfg) -> Kept | None:
    """Return the place that ``_state["caches"][0]`` reads; None for other expressions."""
    keys: list[object] = []
    while isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Constant):
        keys.append(expression.slice.value)
        expression = expression.value
    is_state = isinstance(expression, ast.Name) and _is_state(expression.id, graph)
    return Kept(str(keys[-1])) if is_state and keys else None


def _is_state(name: str, graph: Hcfg) -> bool:
    return name in graph.knowns and isinstance(graph.knowns[name].value, KeptState)


def kept_entries(expression: ast.expr, graph: Hcfg) -> Mapping[Kept, ast.expr] | None:
    """Return what ``_state.update({...})`` keeps under which name; None for other expressions."""
    match expression:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=state), attr="update"),
            args=[ast.Dict(keys=keys, values=values)],
            keywords=[],
        ) if _is_state(state, graph):
            names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
            pairs = zip(names, values, strict=True)
            return {Kept(str(name)): value for name, value in pairs}
        case _:
            return None


def _displayed(expression: ast.expr) -> Iterator[ast.Name]:
    """Yield the names that stand in a display as they are."""
    match expression:
        case ast.Name():
            yield expression
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _displayed(part)
        case _:
            return


@dataclass(slots=True, kw_only=True)
class _Search:
    """Goes through the host code and joins places that may hold one tensor."""

    graph: Hcfg
    joined: "networkx.Graph[Place]" = field(default_factory=networkx.Graph)
    looked_into: set[Place] = field(default_factory=set)
    ports: set[Place] = field(default_factory=set)

    def run(self) -> None:
        """Look at every node."""
        graph = self.graph
        of_function = owners(graph)
        self._look(parameter_variables(graph))
        for node_id, node in graph.nodes.items():
            self._visit(node, of_function[node_id])

    def _visit(self, node: Node, function: str | None) -> None:
        match node:
            case SubDnn():
                ports = [n for n in (*node.inputs, *node.outputs) if is_complex(n, self.graph)]
                self.joined.add_nodes_from(ports)
                self.ports.update(ports)
            case HostBlock():
                for statement in node.statements:
                    self._statement(statement)
            case Return():
                self._returned(node.value, function)
            case Branch(condition=expression) | Raise(exception=expression):
                self._look(names_in(expression))
            case Entry() | LoopHead():
                pass

    def _statement(self, statement: Statement) -> None:
        graph = self.graph
        match statement:
            case Copy():
                for target, source in zip(statement.targets, statement.sources, strict=True):
                    self._hand(target, source)
            case CallStatement():
                parameters = graph.functions[statement.function].parameters
                for target, source in zip(parameters, statement.arguments, strict=True):
                    self._hand(target, source)
                for name in pattern_names(statement.pattern):
                    self._join(Results(statement.function), name)
            case HostStatement():
                self._host(statement)
            case TensorFromHost() | TensorStatement():
                self._look((*reads(statement, graph.variables), *writes(statement)))

    def _host(self, statement: HostStatement) -> None:
        place = kept_place(statement.expression, self.graph)
        entries = kept_entries(statement.expression, self.graph)
        target = statement.target
        if entries is not None and target is None:
            for kept, expression in entries.items():
                self._hand(kept, expression)
        elif place is not None and target is not None:
            self._join(place, target)
            if isinstance(self.graph.variables[target].spec, HostSpec):
                self.joined.add_node(place)
                self.looked_into.add(place)  # a container, of whatever
        else:
            self._look((*names_in(statement.expression), *writes(statement)))

    def _returned(self, expression: ast.expr, function: str | None) -> None:
        if function is None:
            self._look(names_in(expression))
        else:
            self._hand(Results(function), expression)

    def _hand(self, target: Place, source: ast.expr) -> None:
        """Note that a place gets what an expression is; all but displays look into tensors."""
        shown = {name.id for name in _displayed(source)}
        for name in shown:
            self._join(target, name)
        self._look(name for name in names_in(source) if name not in shown)

    def _join(self, place: Place, name: str) -> None:
        if is_complex(name, self.graph):
            self.joined.add_edge(place, name)

    def _look(self, names: Iterable[str]) -> None:
        found = [name for name in names if is_complex(name, self.graph)]
        self.joined.add_nodes_from(found)
        self.looked_into.update(found)
