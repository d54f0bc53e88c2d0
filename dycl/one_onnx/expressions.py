"""Expressions over numbers of the host as ONNX scalars: int64, double and bool of rank 0.

Only what gives the same for every value: ``numbers.py`` refuses the rest.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from onnx import TensorProto

from dycl.one_onnx.extremes import extreme_of, write_extreme
from dycl.one_onnx.graphs import GraphWriter, Value
from dycl.one_onnx.number import Kind, Number
from dycl.one_onnx.numbers import Numbers, item_of, size_of
from dycl.one_onnx.refusing import Inexpressible
from rewriter.program import KnownReference

ELEMENTS: Mapping[Kind, int] = {
    int: TensorProto.INT64,
    float: TensorProto.DOUBLE,
    bool: TensorProto.BOOL,
}
_DTYPES: Mapping[Kind, type[np.generic]] = {int: np.int64, float: np.float64, bool: np.bool_}
_ARITHMETIC: Mapping[type[ast.operator], str] = {
    ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div",
    ast.BitAnd: "And", ast.BitOr: "Or", ast.BitXor: "Xor",
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "Less", ast.LtE: "LessOrEqual", ast.Gt: "Greater", ast.GtE: "GreaterOrEqual",
    ast.Eq: "Equal", ast.NotEq: "Equal",
}  # fmt: skip


@dataclass(slots=True)
class Expressions:
    """Writes expressions into a graph. What they have no node for raises ``Inexpressible``."""

    numbers: Numbers
    knowns: Mapping[str, KnownReference]
    value_of: Callable[[str], Value]
    """The value of a run-time variable here."""
    writer: GraphWriter

    def write(self, expression: ast.expr) -> tuple[Value, Number]:
        """Return the value of an expression as a scalar of its type."""
        number = self.numbers.of(expression)
        if not number.fits:
            shown = self.numbers.shown(expression)
            raise Inexpressible(f"an integer that may need more than 64 bits (`{shown}`)")
        return self._write(expression, number), number

    def write_as(self, expression: ast.expr, kind: Kind) -> Value:
        """Return the value of an expression, converted as Python converts it in an operation."""
        value, number = self.write(expression)
        return self._converted(value, number.kind, kind)

    def truth(self, expression: ast.expr) -> Value:
        """Return whether an expression is true."""
        value, number = self.write(expression)
        return self._truth(value, number.kind)

    def _truth(self, value: Value, kind: Kind) -> Value:
        if kind is bool:
            return value
        zero = self.writer.constant(0, _DTYPES[kind])
        return self._not(self._add("Equal", bool, value, zero))

    def _write(self, expression: ast.expr, number: Number) -> Value:
        match expression:
            case ast.Constant(value=value):
                return self._constant(value, number.kind)
            case ast.Name(id=name) if name in self.knowns:
                return self._constant(self.knowns[name].value, number.kind)
            case ast.Name(id=name):
                return self.value_of(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._not(self.truth(operand))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._add("Neg", number.kind, self.write_as(operand, number.kind))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.write_as(operand, number.kind)
            case ast.BinOp():
                return self._arithmetic(expression, number)
            case ast.Compare():
                return self._comparisons(expression)
            case ast.BoolOp() | ast.IfExp():
                return self._choice(expression, number)
            case _:
                return self._reading(expression, number)

    def _arithmetic(self, expression: ast.BinOp, number: Number) -> Value:
        left, right = (self.write_as(e, number.kind) for e in (expression.left, expression.right))
        match expression.op:
            case ast.Mod():
                return self._add("Mod", int, left, right)  # of the divisor's sign, as Python's
            case ast.FloorDiv():
                rest = self._add("Mod", int, left, right)
                return self._add("Div", int, self._add("Sub", int, left, rest), right)
            case operator:
                return self._add(_ARITHMETIC[type(operator)], number.kind, left, right)

    def _comparisons(self, expression: ast.Compare) -> Value:
        sides = pairwise([expression.left, *expression.comparators])
        found: Value | None = None
        for operator, (left, right) in zip(expression.ops, sides, strict=True):
            one = self._comparison(operator, left, right)
            found = one if found is None else self._add("And", bool, found, one)
        assert found is not None
        return found

    def _comparison(self, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> Value:
        if type(operator) not in _COMPARISONS:
            raise Inexpressible(f"`{type(operator).__name__.lower()}` between numbers")
        sides = [self.numbers.of(left), self.numbers.of(right)]
        kind: Kind = float if any(side.kind is float for side in sides) else int
        if kind is float and not all(side.is_exact_double for side in sides):
            raise Inexpressible("a comparison of a float with an integer that may be beyond 2**53")
        operands = [self.write_as(side, kind) for side in (left, right)]
        found = self._add(_COMPARISONS[type(operator)], bool, *operands)
        return self._not(found) if isinstance(operator, ast.NotEq) else found

    def _choice(self, expression: ast.BoolOp | ast.IfExp, number: Number) -> Value:
        if isinstance(expression, ast.IfExp):
            one = self.write_as(expression.body, number.kind)
            other = self.write_as(expression.orelse, number.kind)
            return self._where(self.truth(expression.test), one, other, number.kind)
        values = [self.write_as(part, number.kind) for part in expression.values]
        found = values[-1]
        for value in reversed(values[:-1]):
            test = self._truth(value, number.kind)
            one, other = (found, value) if isinstance(expression.op, ast.And) else (value, found)
            found = self._where(test, one, other, number.kind)
        return found

    def _where(self, test: Value, one: Value, other: Value, kind: Kind) -> Value:
        if kind is bool:
            chosen = self._add("And", bool, test, one)
            return self._add("Or", bool, chosen, self._add("And", bool, self._not(test), other))
        if kind is int:
            return self._add("Where", kind, test, one, other)
        # ONNX Runtime's Where makes 0.0 of -0.0
        element, size = ELEMENTS[kind], self.writer.constant([1], np.int64)
        rows = [
            self.writer.add("Reshape", value, size, element=element, shape=(1,))
            for value in (other, one)
        ]
        both = self.writer.add("Concat", *rows, element=element, shape=(2,), axis=0)
        return self._add("Gather", kind, both, self._cast(test, int))

    def _reading(self, expression: ast.expr, number: Number) -> Value:
        variables = self.numbers.variables
        if (name := item_of(expression, variables)) is not None:
            return self._item(self.value_of(name), number.kind)
        if (place := size_of(expression, variables)) is not None:
            name, dim = place
            tensor = self.value_of(name)
            size = self.writer.add(
                "Shape", tensor, element=TensorProto.INT64, shape=(1,), start=dim, end=dim + 1
            )
            return self._add("Squeeze", int, size)
        if (extreme := extreme_of(expression, variables, self.knowns)) is not None:
            tensors = [self.value_of(name) for name in extreme.tensors]
            return write_extreme(extreme.largest, tensors, self.writer)
        called = self.numbers.called(expression)
        assert called is not None  # or there would be no number
        return self._call(*called, number)

    def _item(self, tensor: Value, kind: Kind) -> Value:
        if tensor.shape != ():
            shape = self.writer.constant(np.zeros(0), np.int64)
            tensor = self.writer.add("Reshape", tensor, shape, element=tensor.element)
        return self._cast(tensor, kind)

    def _call(self, function: str, arguments: list[ast.expr], number: Number) -> Value:
        match function:
            case "bool":
                return self.truth(arguments[0])
            case "abs":
                return self._add("Abs", number.kind, self.write_as(arguments[0], number.kind))
            case "min" | "max":
                operator = "Less" if function == "min" else "Greater"
                found, *others = [self.write_as(each, number.kind) for each in arguments]
                for other in others:  # a later one only where it is smaller: NaN is not
                    found = self._pick(operator, other, found, number.kind)
                return found
            case _:
                return self.write_as(arguments[0], number.kind)

    def _pick(self, operator: str, other: Value, found: Value, kind: Kind) -> Value:
        if kind is bool:
            other, found = (self._cast(value, int) for value in (other, found))
        better = self._add(operator, bool, other, found)
        picked = self._where(better, other, found, int if kind is bool else kind)
        return self._cast(picked, kind)

    def _constant(self, value: object, kind: Kind) -> Value:
        return self.writer.constant(value, _DTYPES[kind])

    def _converted(self, value: Value, kind: Kind, wanted: Kind) -> Value:
        return value if kind is wanted else self._cast(value, wanted)

    def _cast(self, value: Value, kind: Kind) -> Value:
        element = ELEMENTS[kind]
        if value.element == element:
            return value
        return self.writer.add("Cast", value, element=element, to=element)

    def _not(self, value: Value) -> Value:
        return self._add("Not", bool, value)

    def _add(self, operator: str, kind: Kind, *inputs: Value) -> Value:
        return self.writer.add(operator, *inputs, element=ELEMENTS[kind])
