"""Statements of the host between sub-DNNs, written as scalar nodes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from onnx import TensorProto

from dycl.one_onnx.expressions import Expressions
from dycl.one_onnx.graphs import Value
from dycl.one_onnx.number import Kind, Number
from dycl.one_onnx.numbers import Numbers
from dycl.one_onnx.paths import Scope
from dycl.one_onnx.refusing import Inexpressible
from dycl.one_onnx.types import element_of, type_of_variable
from dycl.one_onnx.weights import Weights
from hcfg.graph import Hcfg
from rewriter.program import Copy, HostStatement, TensorFromHost


@dataclass(frozen=True, slots=True)
class Statements:
    """Writes statements into a scope; raises ``Inexpressible`` for what ONNX cannot say."""

    graph: Hcfg
    numbers: Numbers
    weights: Weights

    def write(self, statement: HostStatement | TensorFromHost | Copy, scope: Scope) -> None:
        """Write a statement."""
        match statement:
            case HostStatement():
                self._assign(statement, scope)
            case TensorFromHost():
                scope.values[statement.target] = self._tensor(statement, scope)
            case Copy():
                pairs = zip(statement.targets, statement.sources, strict=True)
                values = [self._typed(target, source, scope) for target, source in pairs]
                scope.values.update(zip(statement.targets, values, strict=True))

    def test(self, condition: ast.expr, scope: Scope) -> Value:
        """Return whether a condition holds."""
        return self._expressions(scope).truth(condition)

    def value(self, expression: ast.expr, scope: Scope) -> Value:
        """Return a tensor or a number."""
        match expression:
            case ast.Name(id=name) if name in self.graph.variables:
                type_of_variable(self.graph.variables[name])
                return scope.values[name]
            case ast.Name(id=name) if name in self.graph.knowns:
                known = self.graph.knowns[name].value
                if isinstance(known, torch.Tensor):
                    return self.weights.tensor(known, element_of(known.dtype), scope.writer)
        return self._expressions(scope).write(expression)[0]

    def _assign(self, statement: HostStatement, scope: Scope) -> None:
        if statement.target is None:
            self._expressions(scope).write(statement.expression)
            return
        scope.values[statement.target] = self._typed(statement.target, statement.expression, scope)

    def _typed(self, target: str, expression: ast.expr, scope: Scope) -> Value:
        """Return what an assignment gives; it must be of the variable's type."""
        element, _ = type_of_variable(self.graph.variables[target])
        value = self.value(expression, scope)
        if value.element != element:
            hint = self.graph.variables[target].hint
            raise Inexpressible(f"`{hint}`, a number of one type or of another,")
        return value

    def _tensor(self, statement: TensorFromHost, scope: Scope) -> Value:
        if statement.joined is not None:
            raise Inexpressible("a list of tensors of run-time length")
        element, shape = type_of_variable(self.graph.variables[statement.target])
        leaves = list(_leaves(statement.expression))
        parts = [self._number(leaf, statement.dtype, scope) for leaf in leaves]
        writer = scope.writer
        if isinstance(statement.expression, ast.List | ast.Tuple):
            if not parts:
                raise Inexpressible("an empty tensor of numbers")
            sizes = _nest(statement.expression)
            one = writer.constant([1], np.int64)
            rows = [writer.add("Reshape", p, one, element=element, shape=(1,)) for p in parts]
            flat = writer.add("Concat", *rows, element=element, shape=(len(rows),), axis=0)
            target = writer.constant(sizes, np.int64)
            return writer.add("Reshape", flat, target, element=element, shape=tuple(sizes))
        assert shape is not None
        if statement.fits:
            return self._that_fits(parts[0], leaves[0], statement.dtype, scope)
        return parts[0]

    def _that_fits(self, element: Value, leaf: ast.expr, dtype: torch.dtype, scope: Scope) -> Value:
        """Return an element of a number; for one that is beyond all look where nothing is."""
        writer = scope.writer
        number = self._expressions(scope).write_as(leaf, float)
        size = writer.add("Abs", number, element=number.element)
        largest = writer.constant(torch.finfo(dtype).max, np.float64)
        beyond = writer.add("Greater", size, largest, element=TensorProto.BOOL)
        infinite = writer.add("IsInf", number, element=TensorProto.BOOL)
        wrong = writer.add("Xor", beyond, infinite, element=TensorProto.BOOL)
        place = writer.add("Cast", wrong, element=TensorProto.INT64, to=TensorProto.INT64)
        row = writer.constant([1], np.int64)
        places = writer.add("Reshape", place, row, element=place.element, shape=(1,))
        elements = writer.add("Reshape", element, row, element=element.element, shape=(1,))
        # Gather's error would be that of an index
        found = writer.add(
            "GatherElements", elements, places, element=element.element, shape=(1,), axis=0
        )
        none = writer.constant([], np.int64)
        return writer.add("Reshape", found, none, element=element.element)

    def _number(self, leaf: ast.expr, dtype: torch.dtype, scope: Scope) -> Value:
        expressions = self._expressions(scope)
        if dtype is torch.bool:
            return expressions.truth(leaf)
        value, number = expressions.write(leaf)
        _require_holds(dtype, number)
        kind: Kind = float if dtype.is_floating_point else int
        wide = value if number.kind is kind else expressions.write_as(leaf, kind)
        element = element_of(dtype)
        if wide.element == element:
            return wide
        return scope.writer.add("Cast", wide, element=element, to=element)

    def _expressions(self, scope: Scope) -> Expressions:
        return Expressions(self.numbers, self.graph.knowns, scope.values.__getitem__, scope.writer)


def _leaves(expression: ast.expr) -> Iterator[ast.expr]:
    """Yield the numbers of a nest of lists and tuples."""
    if isinstance(expression, ast.List | ast.Tuple):
        for item in expression.elts:
            yield from _leaves(item)
    else:
        yield expression


def _nest(expression: ast.expr) -> list[int]:
    """Return the shape of a nest; ``torch.tensor`` takes no other than rectangular ones."""
    if not isinstance(expression, ast.List | ast.Tuple):
        return []
    if not expression.elts:
        raise Inexpressible("an empty tensor of numbers")
    inner = [_nest(item) for item in expression.elts]
    if any(one != inner[0] for one in inner):
        raise Inexpressible("a nest of lists of different lengths")
    return [len(expression.elts), *inner[0]]


def _require_holds(dtype: torch.dtype, number: Number) -> None:
    """Refuse numbers that a tensor of this type does not hold: PyTorch raises, or cuts them off."""
    if dtype.is_floating_point:
        return
    if number.kind is float:
        raise Inexpressible("a float in a tensor of integers")
    limits = torch.iinfo(dtype)
    if number.low < limits.min or number.high > limits.max:
        raise Inexpressible(f"an integer that may not fit in {dtype}")
