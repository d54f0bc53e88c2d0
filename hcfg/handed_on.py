"""Which tensors of types without arrays the host only hands on, from sub-DNN to sub-DNN.

It hands on what it copies, passes to a function of the program, returns from one, or keeps from
one call to the next; of bfloat16 it may ask for sizes and numbers. Places that may hold the same
tensor are one group; a group in which the host does anything else, as an argument or result of the
program, is left out.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias

import networkx
import torch
from torch.utils._pytree import tree_leaves

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

WIDE = {torch.bfloat16: torch.float32}
"""The type that has all numbers of a type of which the host has no arrays."""


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
    """Return the places of such tensors that the host hands on, and does no more with."""
    search = _Search(graph=graph)
    search.run()
    groups = networkx.connected_components(search.joined)
    return frozenset(
        place
        for group in groups
        if not search.looks_into(group) and any(p in search.ports for p in group)
        for place in group
    )


def is_stood_for(name: str, graph: Hcfg) -> bool:
    """Return whether another tensor stands for a variable, or what is known, between sub-DNNs."""
    if name in graph.variables:
        spec = graph.variables[name].spec
        return isinstance(spec, TensorSpec) and _has_stand_in(spec.dtype)
    known = graph.knowns.get(name)
    value = None if known is None else known.value
    return isinstance(value, torch.Tensor) and _has_stand_in(value.dtype)


def is_short(name: str, graph: Hcfg) -> bool:
    """Return whether a variable is of a type that a wider one stands for."""
    spec = graph.variables[name].spec
    return isinstance(spec, TensorSpec) and spec.dtype in WIDE


def _has_stand_in(dtype: torch.dtype) -> bool:
    return dtype in REAL or dtype in WIDE


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


def with_stand_ins(content: object) -> object:
    """Return what is kept with tensors in memory of their own for those without arrays."""
    match content:
        case torch.Tensor() if content.dtype in WIDE:
            return content.detach().to(WIDE[content.dtype])
        case torch.Tensor() if content.dtype in REAL:
            return torch.view_as_real(content.detach().resolve_conj().resolve_neg()).clone()
        case list() | tuple() if type(content) in (list, tuple):
            return type(content)(map(with_stand_ins, content))
        case dict() if type(content) is dict:
            return {key: with_stand_ins(item) for key, item in content.items()}
        case _:
            return content


def _tensors(content: object) -> Iterator[torch.Tensor]:
    """Yield the tensors in what is kept, also those in containers of other kinds."""
    return (leaf for leaf in tree_leaves(content) if isinstance(leaf, torch.Tensor))


def _displayed(expression: ast.expr) -> Iterator[ast.expr]:
    """Yield what stands in a display, displays in it too; all of another expression."""
    match expression:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _displayed(part)
        case ast.Dict(keys=keys, values=parts) if all(isinstance(k, ast.Constant) for k in keys):
            for part in parts:
                yield from _displayed(part)
        case _:
            yield expression


@dataclass(slots=True, kw_only=True)
class _Search:
    """Goes through the host code and joins places that may hold one tensor."""

    graph: Hcfg
    joined: "networkx.Graph[Place]" = field(default_factory=networkx.Graph)
    looked_into: set[Place] = field(default_factory=set)
    all_kept_looked_into: bool = False
    ports: set[Place] = field(default_factory=set)

    def run(self) -> None:
        """Look at every node, and at what is kept before the first call."""
        graph = self.graph
        for name, content in (graph.state or {}).items():
            if any(_has_stand_in(tensor.dtype) for tensor in _tensors(with_stand_ins(content))):
                self._look_kept(Kept(name))
        of_function = owners(graph)
        self._look(parameter_variables(graph))
        for node_id, node in graph.nodes.items():
            self._visit(node, of_function[node_id])

    def looks_into(self, group: AbstractSet[Place]) -> bool:
        """Return whether the host looks into any place of a group."""
        if self.all_kept_looked_into and any(isinstance(place, Kept) for place in group):
            return True
        return not self.looked_into.isdisjoint(group)

    def _visit(self, node: Node, function: str | None) -> None:
        match node:
            case SubDnn():
                ports = [n for n in (*node.inputs, *node.outputs) if is_stood_for(n, self.graph)]
                self.joined.add_nodes_from(ports)
                self.ports.update(ports)
            case HostBlock():
                for statement in node.statements:
                    self._statement(statement)
            case Return():
                self._returned(node.value, function)
            case Branch(condition=expression) | Raise(exception=expression):
                self._look_at(expression)
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
                self._look_kept(place)  # a container, of whatever
        else:
            self._look_at(statement.expression)
            self._look(writes(statement))

    def _returned(self, expression: ast.expr, function: str | None) -> None:
        if function is None:
            self._look_at(expression)
        else:
            self._hand(Results(function), expression)

    def _hand(self, target: Place, source: ast.expr) -> None:
        """Note that a place gets what an expression is; all but displays look into tensors."""
        for part in _displayed(source):
            if isinstance(part, ast.Name) and not _is_state(part.id, self.graph):
                self._join(target, part.id)
            elif self._look_at(part):
                self.joined.add_node(target)
                self.looked_into.add(target)

    def _join(self, place: Place, name: str) -> None:
        if is_stood_for(name, self.graph):
            self.joined.add_edge(place, name)

    def _look(self, names: Iterable[str]) -> bool:
        """Note names that the host looks into; return whether there is any."""
        found = [name for name in names if is_stood_for(name, self.graph)]
        self.joined.add_nodes_from(found)
        self.looked_into.update(found)
        return bool(found)

    def _look_at(self, expression: ast.expr) -> bool:
        """Note what an expression reads as looked into; return whether it may be such a tensor."""
        kept = self._look_at_state(expression)
        return self._look(self._contents_read(expression)) or kept

    def _contents_read(self, expression: ast.AST) -> Iterator[str]:
        """Yield names that an expression reads, but for sizes and numbers: a wider one has them."""
        match expression:
            case (
                ast.Attribute(value=ast.Name(id=name), attr="shape" | "item" | "tolist")
                | ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])
            ) if name in self.graph.variables and is_short(name, self.graph):
                return
            case ast.Name(id=name):
                yield name
            case _:
                for part in ast.iter_child_nodes(expression):
                    yield from self._contents_read(part)

    def _look_at_state(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Subscript) and (place := kept_place(node, self.graph)):
            self._look_kept(place)
            return True
        if isinstance(node, ast.Name) and _is_state(node.id, self.graph):
            self.all_kept_looked_into = True
            return True
        return any([self._look_at_state(child) for child in ast.iter_child_nodes(node)])

    def _look_kept(self, place: Kept) -> None:
        self.joined.add_node(place)
        self.looked_into.add(place)
