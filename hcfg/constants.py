"""Which host values are the same in every call, at each node: constants along feasible paths."""

import ast
import heapq
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from hcfg.flow import run_order
from hcfg.graph import Branch, Hcfg, HostBlock, Node, NodeId, successors
from hcfg.liveness import node_writes
from hcfg.statements import writes
from rewriter.program import Copy, HostStatement

Values = Mapping[str, object]
"""Variables that are known, with numbers or tensors."""

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


class _Unknown(Exception):
    """An expression has no value that is known now."""


@dataclass(slots=True)
class Constants:
    """What is known before each node that some call can reach."""

    graph: Hcfg
    before: dict[NodeId, dict[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Follow the edges that can be taken, until nothing changes."""
        order = run_order(self.graph)
        places = {node_id: place for place, node_id in enumerate(order)}
        self.before = {entry: {} for entry in self.graph.entries}
        pending = sorted(places[entry] for entry in self.graph.entries)
        while pending:  # what leads to a node before the node
            node_id = order[heapq.heappop(pending)]
            node = self.graph.nodes[node_id]
            after = self.after(node, self.before[node_id])
            for target in self._targets(node_id, node):
                if self._arrive(target, after) and places[target] not in pending:
                    heapq.heappush(pending, places[target])

    def decided(self, node_id: NodeId) -> bool | None:
        """Return which way a branch always goes, None where that is not known."""
        node = self.graph.nodes[node_id]
        if not isinstance(node, Branch) or node_id not in self.before:
            return None
        return self.outcome(node, self.before[node_id])

    def outcome(self, branch: Branch, values: Values) -> bool | None:
        """Return which way a branch goes with given values, None where that is not known."""
        try:
            return bool(self._number(branch.condition, values))
        except _Unknown:
            return None

    def after_all(self, sources: Iterable[NodeId]) -> Values:
        """Return what is known after each of some nodes."""
        known = [
            self.after(self.graph.nodes[n], self.before[n]) for n in sources if n in self.before
        ]
        return _common(known)

    def _targets(self, node_id: NodeId, node: Node) -> tuple[NodeId, ...]:
        outcome = self.decided(node_id)
        if not isinstance(node, Branch) or outcome is None:
            return successors(node)
        return (node.if_true if outcome else node.if_false,)

    def _arrive(self, target: NodeId, values: Values) -> bool:
        """Take note of a way to a node; return whether that changes what is known there."""
        known = self.before.get(target)
        if known is None:
            self.before[target] = dict(values)
            return True
        same = self.before[target] = _common([known, values])
        return len(same) < len(known)

    def after(self, node: Node, before: Values) -> Values:
        """Return what is known after a node, given what is known before it."""
        values = dict(before)
        if not isinstance(node, HostBlock):
            for name in node_writes(node, self.graph):
                values.pop(name, None)
            return values
        for statement in node.statements:
            found: dict[str, object] = {}
            match statement:
                case HostStatement(target=str() as target):
                    self._assign(target, statement.expression, values, found)
                case Copy():
                    for name, source in zip(statement.targets, statement.sources, strict=True):
                        self._assign(name, source, values, found)
                case _:  # calls, tensors of host numbers, effects
                    pass
            for name in writes(statement):
                values.pop(name, None)
            values.update(found)
        return values

    def _assign(
        self, target: str, source: ast.expr, values: Values, found: dict[str, object]
    ) -> None:
        try:
            found[target] = self._value(source, values)
        except _Unknown:
            return

    def _value(self, expression: ast.expr, values: Values) -> object:
        """Return an expression's value; raise ``_Unknown`` where it has none, or an exception."""
        match expression:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._named(name, values)
            case ast.Call(func=ast.Attribute(value=owner, attr="item"), args=[], keywords=[]):
                tensor = self._value(owner, values)
                if isinstance(tensor, torch.Tensor) and tensor.numel() == 1:
                    return tensor.item()
            case ast.UnaryOp(op=operation, operand=operand):
                return _applied(operation, self._number(operand, values))
            case ast.BinOp(left=left, op=operation, right=right):
                return _applied(operation, self._number(left, values), self._number(right, values))
            case ast.Compare(left=left, ops=[operation], comparators=[right]):
                return _applied(operation, self._number(left, values), self._number(right, values))
            case ast.BoolOp():
                return self._first_deciding(expression, values)
            case _:  # Python's other expressions: not needed here
                pass
        raise _Unknown

    def _first_deciding(self, expression: ast.BoolOp, values: Values) -> object:
        """Return the value of ``a and b`` or ``a or b``: the first that decides, else the last."""
        *others, last = expression.values
        for part in others:
            value = self._number(part, values)
            if bool(value) is isinstance(expression.op, ast.Or):
                return value
        return self._number(last, values)

    def _number(self, expression: ast.expr, values: Values) -> object:
        value = self._value(expression, values)
        if isinstance(value, int | float | None):
            return value
        raise _Unknown

    def _named(self, name: str, values: Values) -> object:
        if name in values:
            return values[name]
        if name in self.graph.variables or name not in self.graph.knowns:
            raise _Unknown
        value = self.graph.knowns[name].value
        if isinstance(value, bool | int | float | torch.Tensor):
            return value
        raise _Unknown


def _applied(operation: ast.AST, *operands: Any) -> object:
    function = _OPERATORS.get(type(operation))
    if function is None:
        raise _Unknown
    try:
        return function(*operands)
    except (ArithmeticError, TypeError) as error:
        raise _Unknown from error


def _common(tables: Sequence[Values]) -> dict[str, object]:
    """Return what all tables agree on."""
    if not tables:
        return {}
    first, *others = tables
    return {
        name: value
        for name, value in first.items()
        if all(name in other and _is_same(value, other[name]) for other in others)
    }


def _is_same(left: object, right: object) -> bool:
    """Return whether two values are one, bit for bit: -0.0 is not 0.0, True is not 1."""
    return left is right or (
        type(left) is type(right)
        and not isinstance(left, torch.Tensor)
        and repr(left) == repr(right)
    )
