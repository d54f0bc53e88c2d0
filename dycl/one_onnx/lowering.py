"""Writes a graph's nodes as ONNX nodes, its branches as ``If`` and its loops as ``Loop``.

A straight line is written where it stands. At a branch, each arm is written up to where the
paths meet; the ``If`` gives the variables that are read from there on. Where paths end at
different places (one leaves a loop, one goes on), a value says where: ``paths.py``.
"""

from collections.abc import Mapping

import numpy as np
from onnx import TensorProto

from dycl.one_onnx.flows import Flows, Loop
from dycl.one_onnx.graphs import GraphWriter, Shape, Value
from dycl.one_onnx.inlining import SubDnns
from dycl.one_onnx.paths import Arm, Choosing, Ends, Joining, Scope, single
from dycl.one_onnx.result_patterns import pattern_places
from dycl.one_onnx.results import Results, types_by_name
from dycl.one_onnx.statements import Statements
from dycl.one_onnx.types import type_of_variable
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    NodeId,
    Raise,
    Return,
    SubDnn,
)
from hcfg.liveness import live, node_writes
from rewriter.diagnostics import DyclBug
from rewriter.program import CallStatement, Copy, HostStatement, TensorFromHost

_DEEPEST = 10
"""Graphs in graphs; readers of ONNX files give up at some thirty. Below, decisions are written
one after the other instead of one in the other."""


class Lowering:
    """Writes one graph."""

    def __init__(
        self,
        graph: Hcfg,
        subdnns: SubDnns,
        statements: Statements,
        results: Mapping[str | None, Results],
    ) -> None:
        self._graph = graph
        self._subdnns = subdnns
        self._statements = statements
        self._results = results
        self._flows = Flows.of(graph)
        ends = {end_of(name): frozenset(each.names) for name, each in results.items()}
        self._live = {**live(graph).before, **ends}
        self._types = types_by_name(results)
        self._choosing = Choosing(self._number)
        self._joining = Joining(
            choosing=self._choosing,
            in_order=self._flows.in_order,
            live=self._live,
            type_of=self._type_of,
        )

    def write(self, inputs: Mapping[str, Value], writer: GraphWriter) -> list[Value]:
        """Write the program; return the values of its outputs."""
        scope = Scope(writer=writer, values=dict(inputs))
        self._call(None, self._graph.entry, scope)
        return [scope.values[name] for name in self._results[None].names]

    def _type_of(self, name: str) -> tuple[int, Shape]:
        if name in self._types:
            return self._types[name]
        return type_of_variable(self._graph.variables[name])

    def _number(self, node_id: NodeId) -> int:
        return self._flows.number.get(node_id, -1)

    def _call(self, function: str | None, entry: NodeId, scope: Scope) -> None:
        """Write the program, or one of its functions, up to its end."""
        end = end_of(function)
        ends = self._run(single(entry), frozenset({end}), scope)
        if ends.targets != (end,):
            raise DyclBug(f"{self._graph.name}: {function or 'the program'} has no end")

    def _run(
        self, ends: Ends, stops: frozenset[NodeId], scope: Scope, *, until_choice: bool = False
    ) -> Ends:
        """Write what comes next until all paths are at one of ``stops``.

        ``until_choice`` returns earlier: where paths part.
        """
        while pending := [target for target in ends.targets if target not in stops]:
            if len(ends.targets) == 1:
                ends = self._step(pending[0], stops, scope)
            elif until_choice:
                return ends
            else:
                ends = self._go_on(ends, self._flows.in_order(pending)[0], stops, scope)
        return ends

    def _step(self, node_id: NodeId, stops: frozenset[NodeId], scope: Scope) -> Ends:
        """Write one node, and what cannot be told apart from it."""
        match node := self._graph.nodes[node_id]:
            case Entry():
                return single(node.then)
            case SubDnn():
                self._subdnns.write(node_id, scope)
                return single(node.then)
            case HostBlock():
                self._block(node, scope)
                return single(node.then)
            case LoopHead():
                if node_id not in self._flows.loops:
                    return single(node.then)
                return self._loop(self._flows.loops[node_id], node, scope)
            case Branch():
                return self._branch(node, stops, scope)
            case Return():
                return self._return(node_id, node, scope)
            case Raise():
                raise DyclBug(f"{self._graph.name}: {node_id} was not refused")

    def _block(self, block: HostBlock, scope: Scope) -> None:
        for statement in block.statements:
            match statement:
                case CallStatement():
                    self._call_function(statement, scope)
                case HostStatement() | TensorFromHost() | Copy():
                    self._statements.write(statement, scope)

    def _call_function(self, call: CallStatement, scope: Scope) -> None:
        function = self._graph.functions[call.function]
        arguments = [self._statements.value(each, scope) for each in call.arguments]
        scope.values.update(zip(function.parameters, arguments, strict=True))
        self._call(call.function, function.entry, scope)
        results = self._results[call.function]
        values = dict(zip(results.places, results.names, strict=True))
        for target, place in pattern_places(call.pattern, results.apart.root):
            scope.values[target] = scope.values[values[place]]

    def _return(self, node_id: NodeId, node: Return, scope: Scope) -> Ends:
        function = self._flows.owner[node_id]
        results = self._results[function]
        for name, part in zip(results.names, results.parts(node.value), strict=True):
            if part is None:
                scope.values[name] = scope.writer.zeros(*self._type_of(name))
            else:
                scope.values[name] = self._statements.value(part, scope)
        return single(end_of(function))

    def _branch(self, node: Branch, stops: frozenset[NodeId], scope: Scope) -> Ends:
        test = self._statements.test(node.condition, scope)
        if node.if_true == node.if_false:
            return single(node.if_true)
        if scope.depth >= _DEEPEST:
            return Ends(targets=(node.if_true, node.if_false), choice=test)
        stops |= self._flows.meeting_points(node.if_true, node.if_false, stops)
        arms = []
        for target in (node.if_true, node.if_false):
            inner = scope.inner()
            arms.append(Arm(scope=inner, ends=self._run(single(target), stops, inner)))
        return self._joining.join(test, arms[0], arms[1], scope)

    def _go_on(self, ends: Ends, target: NodeId, stops: frozenset[NodeId], scope: Scope) -> Ends:
        """Write what comes at one of several targets: the first in the order of the graph."""
        test = self._choosing.arrives(ends, target, scope.writer)
        inner, other = scope.inner(), scope.inner()
        rest = self._choosing.without(ends, target, other.writer)
        stops |= frozenset(rest.targets)
        for each in rest.targets:
            stops |= self._flows.meeting_points(target, each, stops)
        flat = scope.depth >= _DEEPEST
        then = Arm(scope=inner, ends=self._run(single(target), stops, inner, until_choice=flat))
        return self._joining.join(test, then, Arm(scope=other, ends=rest), scope)

    def _loop(self, loop: Loop, head: LoopHead, scope: Scope) -> Ends:
        """Write a loop: the iterations run until one of them ends elsewhere than at the head."""
        read = frozenset().union(*(self._live[node] for node in (loop.head, *loop.exits)))
        nodes = (self._graph.nodes[node_id] for node_id in loop.nodes)
        written = {name for node in nodes for name in node_writes(node, self._graph)}
        carried = sorted(written & read)
        body = scope.inner()
        starts = [scope.value(name, self._type_of) for name in carried]
        inputs = [self._new(name, *self._type_of(name), body.writer) for name in carried]
        body.values.update(zip(carried, inputs, strict=True))
        stops = frozenset({loop.head, *loop.exits})
        ends = self._run(single(head.then), stops, body)
        again = self._choosing.arrives(ends, loop.head, body.writer)
        left = self._choosing.without(ends, loop.head, body.writer)
        if not left.targets:
            raise DyclBug(f"{self._graph.name}: {loop.head} never ends")
        outputs = [body.values[name] for name in carried]
        if left.choice is not None:
            carried = [*carried, _NEXT]
            kind = (left.choice.element, ())
            starts.append(scope.writer.zeros(*kind))
            inputs.append(self._new("next", *kind, body.writer))
            outputs.append(left.choice)
        results = self._write_loop(carried, starts, inputs, again, outputs, scope, body)
        choice = results.pop(_NEXT, None)
        scope.values.update(results)
        return Ends(targets=left.targets, choice=choice)

    def _new(self, hint: str, element: int, shape: Shape, writer: GraphWriter) -> Value:
        return Value(name=writer.name(hint), element=element, shape=shape)

    def _write_loop(
        self,
        carried: list[str],
        starts: list[Value],
        inputs: list[Value],
        again: Value,
        outputs: list[Value],
        scope: Scope,
        body: Scope,
    ) -> dict[str, Value]:
        writer = scope.writer
        trip = self._new("trip", TensorProto.INT64, (), writer)
        running = self._new("running", TensorProto.BOOL, (), writer)
        graph = body.writer.graph(
            "body",
            (trip, running, *inputs),
            (again, *outputs),
            ((), *(value.shape for value in inputs)),
        )
        results = {
            name: self._new(name, value.element, value.shape, writer)
            for name, value in zip(carried, inputs, strict=True)
        }
        true = writer.constant(True, np.bool_)
        writer.add_node("Loop", (None, true, *starts), tuple(results.values()), body=graph)
        return results


_NEXT = "where to go on"


def end_of(function: str | None) -> NodeId:
    """Return a name for the end of the program, or of a function, that no node has."""
    return f"the end of {function or 'the program'}"
