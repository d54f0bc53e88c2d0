"""Complex tensors between sub-DNNs: pairs of real numbers there, in a dimension more.

No backend takes or gives complex tensors. So what crosses a border is what
``torch.view_as_real`` gives. Variables keep their names, and the host, which only hands such
tensors on, stays as it is. What host code looks into stays complex: capture refuses it.
Likewise tensors of bfloat16, of which numpy has no arrays, cross a border as float32, which has
all of their numbers.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import torch

from hcfg.edit import fresh_id
from hcfg.graph import DnnStatement, Hcfg, HostBlock, HostCode, Node, Return, SubDnn
from hcfg.handed_on import (
    REAL,
    WIDE,
    Kept,
    Place,
    handed_on,
    is_short,
    is_stood_for,
    kept_entries,
    with_stand_ins,
)
from hcfg.report import Report
from hcfg.statements import all_writes, exposed_reads, reads, writes
from rewriter.origin import Origin
from rewriter.printing.substitution import renamed
from rewriter.program import (
    CallStatement,
    Copy,
    HostStatement,
    KeptState,
    KnownReference,
    Pattern,
    TensorSpec,
    TensorStatement,
    Variable,
)


@dataclass(frozen=True, slots=True)
class PairComplexTensors:
    """Let pairs of real numbers cross the borders of sub-DNNs, where complex numbers did.

    rewrite:
        z = subdnn_0(x)                          # z is complex64[4]
        y = subdnn_1(z)
          ->
        z = subdnn_0(x)                          # z is float32[4, 2]: it ends with
        y = subdnn_1(z)                          #   z = torch.view_as_real(z_complex)
                                                 # this begins with
                                                 #   z_complex = torch.view_as_complex(z)
    """

    name: ClassVar[str] = "pair-complex-tensors"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with pairs for the complex tensors that the host only hands on."""
        if not any(is_stood_for(name, graph) for name in graph.variables):
            return graph
        places = handed_on(graph)
        if not places:
            return graph
        for node_id, node in graph.nodes.items():
            if isinstance(node, SubDnn):
                for name in dict.fromkeys((*node.inputs, *node.outputs)):
                    if name in places:
                        stand_in = "float32" if is_short(name, graph) else "pairs"
                        report.note(self.name, node_id, f"{name} is {stand_in}")
        return _Pairing(graph=graph, places=places).run()


@dataclass(slots=True, kw_only=True)
class _Pairing:
    """Makes the new graph."""

    graph: Hcfg
    places: frozenset[Place]
    inner: dict[str, str] = field(default_factory=dict)
    """What variables that are pairs outside of sub-DNNs are called, as complex ones, in them."""
    variables: dict[str, Variable] = field(default_factory=dict)
    knowns: dict[str, KnownReference] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    """Complex tensors known at compile time: the names of their pairs."""

    def run(self) -> Hcfg:
        """Return the graph with pairs."""
        graph = self.graph
        self.variables.update(graph.variables)
        self.knowns.update(graph.knowns)
        for name in graph.variables:
            if name in self.places:
                self._pair(name)
        for name, known in graph.knowns.items():
            if name in self.places and isinstance(known.value, torch.Tensor):
                self.constants[name] = self._know("constant", with_stand_ins(known.value))
        state = None if graph.state is None else self._state(graph.state)
        nodes = {node_id: self._node(node) for node_id, node in graph.nodes.items()}
        return replace(
            graph, nodes=nodes, variables=self.variables, knowns=self.knowns, state=state
        )

    def _pair(self, name: str) -> None:
        variable = self.graph.variables[name]
        spec = variable.spec
        assert isinstance(spec, TensorSpec)
        outer = (
            TensorSpec(dtype=WIDE[spec.dtype], shape=spec.shape)
            if spec.dtype in WIDE
            else TensorSpec(dtype=REAL[spec.dtype], shape=(*spec.shape, 2))
        )
        self.variables[name] = replace(variable, spec=outer)
        kind = "short" if spec.dtype in WIDE else "complex"
        inner = fresh_id((*self.variables, *self.knowns), f"{name}_{kind}")
        self.variables[inner] = replace(variable, name=inner)
        self.inner[name] = inner

    def _know(self, kind: str, value: object, function: str = "") -> str:
        name = fresh_id((*self.variables, *self.knowns), kind)
        self.knowns[name] = KnownReference(
            name=name,
            path=f"torch.{function}" if function else None,
            value=value,
            import_path=("torch", function) if function else None,
        )
        return name

    def _state(self, state: KeptState) -> KeptState:
        """Return what is kept, with pairs; references to it lead to the new one."""
        pairs = KeptState(
            (name, with_stand_ins(content) if Kept(name) in self.places else content)
            for name, content in state.items()
        )
        for name, known in self.graph.knowns.items():
            if isinstance(known.value, KeptState):
                self.knowns[name] = replace(known, value=pairs)
        return pairs

    def _node(self, node: Node) -> Node:
        match node:
            case SubDnn():
                return self._subdnn(node)
            case HostBlock():
                return replace(node, statements=tuple(map(self._host, node.statements)))
            case Return():
                return replace(node, value=renamed(node.value, self.constants))
            case _:  # they read no such tensor
                return node

    def _host(self, statement: HostCode) -> HostCode:
        match statement:
            case Copy() | CallStatement():
                return self._handing(statement)
            case HostStatement() if kept_entries(statement.expression, self.graph) is not None:
                return replace(statement, expression=renamed(statement.expression, self.constants))
            case _:
                return statement

    def _handing(self, statement: Copy | CallStatement) -> Copy | CallStatement:
        if isinstance(statement, CallStatement):
            arguments = tuple(renamed(each, self.constants) for each in statement.arguments)
            return replace(statement, arguments=arguments)
        sources = tuple(renamed(each, self.constants) for each in statement.sources)
        return replace(statement, sources=sources)

    def _subdnn(self, node: SubDnn) -> SubDnn:
        """Return a sub-DNN that takes and gives pairs."""
        statements = tuple(self._within(statement) for statement in node.statements)
        taken = [
            self._taken(name, _first_use(name, node, self.graph))
            for name in node.inputs
            if name in self.inner
        ]
        given = [
            self._given(name, _last_assignment(name, node))
            for name in node.outputs
            if name in self.inner
        ]
        all_of_them = (*taken, *statements, *given)
        return replace(
            node,
            statements=all_of_them,
            inputs=exposed_reads(all_of_them, self.variables),
            outputs=tuple(name for name in all_writes(all_of_them) if name in node.outputs),
        )

    def _taken(self, name: str, origin: Origin) -> TensorStatement:
        """Return the statement that makes of what crosses the border what stands within."""
        outer = ast.Name(name, ast.Load())
        value = (
            _method(outer, "bfloat16")
            if is_short(name, self.graph)
            else self._called("view_as_complex", outer)
        )
        return TensorStatement(pattern=self.inner[name], expression=value, origin=origin)

    def _given(self, name: str, origin: Origin) -> TensorStatement:
        inner: ast.expr = ast.Name(self.inner[name], ast.Load())
        if is_short(name, self.graph):
            value = _method(inner, "float")
        else:
            for step in ("resolve_conj", "resolve_neg", "view_as_real"):
                inner = self._called(step, inner)
            value = inner
        return TensorStatement(pattern=name, expression=value, origin=origin)

    def _called(self, function: str, argument: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(self._function(function), ast.Load()), [argument], [])

    def _function(self, name: str) -> str:
        """Return what a function of PyTorch is called in statements."""
        function = getattr(torch, name)
        for known in self.knowns.values():
            if known.value is function:
                return known.name
        return self._know("known", function, name)

    def _within(self, statement: DnnStatement) -> DnnStatement:
        """Return a statement of a sub-DNN over complex tensors."""
        names = self.inner
        match statement:
            case Copy():
                return replace(
                    statement,
                    targets=tuple(names.get(target, target) for target in statement.targets),
                    sources=tuple(renamed(source, names) for source in statement.sources),
                )
            case TensorStatement():
                stored = statement.stores_into
                return replace(
                    statement,
                    pattern=_renamed_pattern(statement.pattern, names),
                    expression=renamed(statement.expression, names),
                    stores_into=None if stored is None else renamed(stored, names),
                    updates=tuple(
                        (names.get(new, new), names.get(old, old)) for new, old in statement.updates
                    ),
                )


def _method(value: ast.expr, name: str) -> ast.expr:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


def _renamed_pattern(pattern: Pattern, names: Mapping[str, str]) -> Pattern:
    match pattern:
        case None:
            return None
        case str():
            return names.get(pattern, pattern)
        case tuple():
            return tuple(_renamed_pattern(part, names) for part in pattern)


def _first_use(name: str, node: SubDnn, graph: Hcfg) -> Origin:
    return next(s.origin for s in node.statements if name in reads(s, graph.variables))


def _last_assignment(name: str, node: SubDnn) -> Origin:
    return _last(s.origin for s in node.statements if name in writes(s))


def _last(origins: Iterable[Origin]) -> Origin:
    *_, last = origins
    return last
