"""Run a graph with PyTorch: what a graph means.

Tests compare this before and after a pass, and with the original model. Sub-DNNs get copies
of their inputs, as they do in a compiled host: what one changes in place, no other sees.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import torch

from hcfg.arguments import bind_arguments
from hcfg.execution import Forward, compile_forward
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    LoopHead,
    NodeId,
    Raise,
    Return,
    SubDnn,
)
from hcfg.names import names_in
from rewriter.diagnostics import DyclBug
from rewriter.printing.expression_text import plain_text
from rewriter.program import CallStatement, Copy, HostStatement, Pattern, TensorFromHost


def interpret(graph: Hcfg, *arguments: object, **keywords: object) -> object:
    """Call the program that ``graph`` stands for. Raises what the program raises."""
    return Interpreter(graph=graph).call(arguments, keywords)


@dataclass(slots=True, kw_only=True)
class Interpreter:
    """Runs a graph; sub-DNNs are made functions once, at their first call."""

    graph: Hcfg
    max_nodes: int = 1_000_000
    """A call that runs more nodes than this is taken for an endless loop."""
    observe: Callable[[NodeId, NodeId, Mapping[str, object]], None] | None = None
    """Called after each node with the one that runs next and the values of all variables."""
    forwards: dict[NodeId, Forward] = field(default_factory=dict)
    _path: list[NodeId] = field(default_factory=list)
    _left: int = 0

    def call(
        self,
        arguments: Sequence[object],
        keywords: Mapping[str, object] | None = None,
        path: list[NodeId] | None = None,
    ) -> object:
        """Run one call and return its result; append the nodes that run to ``path``."""
        values = bind_arguments(self.graph.parameters, arguments, keywords or {})
        self._path = [] if path is None else path
        self._left = self.max_nodes
        with torch.no_grad():
            return self._run(self.graph.entry, values)

    def _run(self, current: NodeId, values: dict[str, object]) -> object:
        """Run the program, or one function, from its entry."""
        while self._left:
            self._left -= 1
            self._path.append(current)
            node = self.graph.nodes[current]
            match node:
                case Return():
                    return self._evaluate(node.value, values)
                case Raise():
                    raise cast(BaseException, self._evaluate(node.exception, values))
                case Entry() | SubDnn() | HostBlock() | Branch() | LoopHead():
                    after = self._step(current, node, values)
                    if self.observe is not None:
                        self.observe(current, after, values)
                    current = after
        raise DyclBug(f"{self.graph.name}: no end after {self.max_nodes} nodes")

    def _step(
        self,
        node_id: NodeId,
        node: Entry | SubDnn | HostBlock | Branch | LoopHead,
        values: dict[str, object],
    ) -> NodeId:
        """Run a node and return the next one."""
        match node:
            case Entry() | LoopHead():
                return node.then
            case SubDnn():
                self._run_subdnn(node_id, node, values)
                return node.then
            case HostBlock():
                for statement in node.statements:
                    self._run_host(statement, values)
                return node.then
            case Branch():
                return node.if_true if self._evaluate(node.condition, values) else node.if_false

    def _run_subdnn(self, node_id: NodeId, node: SubDnn, values: dict[str, object]) -> None:
        if node_id not in self.forwards:
            self.forwards[node_id] = compile_forward(node_id, node, self.graph)
        inputs = [_own(values[name]) for name in node.inputs]
        outputs = self.forwards[node_id](*inputs)
        values.update(zip(node.outputs, outputs, strict=True))

    def _run_host(self, statement: HostCode, values: dict[str, object]) -> None:
        match statement:
            case HostStatement():
                value = self._evaluate(statement.expression, values)
                if statement.target is not None:
                    values[statement.target] = value
            case TensorFromHost():
                values[statement.target] = self._tensor(statement, values)
            case CallStatement():
                self._call_function(statement, values)
            case Copy():
                sources = [self._evaluate(source, values) for source in statement.sources]
                values.update(zip(statement.targets, sources, strict=True))

    def _tensor(self, statement: TensorFromHost, values: dict[str, object]) -> torch.Tensor:
        given: Any = self._evaluate(statement.expression, values)
        if statement.fits:
            return torch.full((2,), given, dtype=statement.dtype)[0]
        if statement.joined is None:
            return torch.tensor(given, dtype=statement.dtype)
        join = torch.stack if statement.joined.function == "stack" else torch.cat
        return join(given, statement.joined.dim)

    def _call_function(self, call: CallStatement, values: dict[str, object]) -> None:
        function = self.graph.functions[call.function]
        arguments = [self._evaluate(argument, values) for argument in call.arguments]
        result = self._run(function.entry, dict(zip(function.parameters, arguments, strict=True)))
        values.update(_bound(call.pattern, result))

    def _evaluate(self, expression: ast.expr, values: Mapping[str, object]) -> object:
        # One namespace, not globals and locals: comprehensions see globals only.
        namespace: dict[str, object] = {}
        for name in names_in(expression):
            if name in values:
                namespace[name] = values[name]
            elif name in self.graph.knowns:
                namespace[name] = self.graph.knowns[name].value
        code = compile(plain_text(expression), f"<{self.graph.name}>", "eval")
        return eval(code, namespace)


def _bound(pattern: Pattern, value: object) -> dict[str, object]:
    """Return what the variables of a pattern are bound to."""
    match pattern:
        case None:
            return {}
        case str():
            return {pattern: value}
        case tuple():
            parts = cast(tuple[object, ...], value)
            pairs = zip(pattern, parts, strict=True)
            return {name: part for one in pairs for name, part in _bound(*one).items()}


def _own(value: object) -> object:
    return value.clone() if isinstance(value, torch.Tensor) else value
