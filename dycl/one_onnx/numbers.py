"""What numbers of the host are: their Python type, and how large integers can be."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch

from dycl.one_onnx.arithmetic import arithmetic, called, signed
from dycl.one_onnx.extremes import extreme_of
from dycl.one_onnx.number import FLOAT, LENGTH, TRUTH, Number, kind_of
from dycl.one_onnx.refusing import Inexpressible
from rewriter.printing.expression_text import plain_text
from rewriter.program import KnownReference, ScalarSpec, TensorSpec, Variable


@dataclass(frozen=True, slots=True)
class Numbers:
    """Says what expressions over numbers are, given the variables' bounds."""

    variables: Mapping[str, Variable]
    knowns: Mapping[str, KnownReference]
    bounds: Mapping[str, Number]
    """Of integers; a variable that is missing holds any number of its type."""

    def of(self, expression: ast.expr) -> Number:
        """Return what an expression gives; it may be an integer that does not fit."""
        match expression:
            case ast.Constant(value=value):
                return _of_object(value)
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.UnaryOp(op=ast.Not()):
                return TRUTH
            case ast.Compare(left=left, comparators=others):
                of_numpy = any(self.of(side).of_numpy for side in (left, *others))
                return replace(TRUTH, of_numpy=of_numpy)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as operator, operand=operand):
                return signed(operator, self.of(operand))
            case ast.BinOp(left=left, op=operator, right=right):
                sides = (self.of(left), self.of(right))
                of_numpy = any(side.of_numpy for side in sides)
                return replace(arithmetic(operator, *sides), of_numpy=of_numpy)
            case ast.BoolOp(values=parts):
                return self._one_of(parts)
            case ast.IfExp(body=body, orelse=other):
                return self._one_of([body, other])
            case _:
                return self._of_reading(expression)

    def _one_of(self, parts: list[ast.expr]) -> Number:
        first, *rest = [self.of(part) for part in parts]
        for other in rest:
            if other.kind is not first.kind:
                raise Inexpressible("a number that is of one type or of another")
            first = first.united(other)
        return first

    def _of_name(self, name: str) -> Number:
        if name in self.knowns:
            return _of_object(self.knowns[name].value)
        if name not in self.variables:
            raise Inexpressible(f"`{name}`")
        spec = self.variables[name].spec
        if isinstance(spec, TensorSpec):
            raise Inexpressible("a tensor in the place of a number")
        kind = kind_of(spec.type) if isinstance(spec, ScalarSpec) else None
        if kind is None or not isinstance(spec, ScalarSpec):
            raise Inexpressible(f"`{self.variables[name].hint}`, which is no number of one type,")
        number = self.bounds.get(name, TRUTH if kind is bool else Number(kind))
        return replace(number, of_numpy=spec.type is not kind)

    def _of_reading(self, expression: ast.expr) -> Number:
        """Return what reading a tensor, or calling a builtin, gives."""
        if (tensor := item_of(expression, self.variables)) is not None:
            return _of_element(tensor_spec(tensor, self.variables).dtype)
        if size_of(expression, self.variables) is not None:
            return LENGTH
        if (extreme := extreme_of(expression, self.variables, self.knowns)) is not None:
            return Number(int, 0, len(extreme.tensors) - 1, of_numpy=True)
        if (parts := self.called(expression)) is not None:
            function, arguments = parts
            return called(function, expression, [self.of(a) for a in arguments])
        raise Inexpressible(f"`{self.shown(expression)}`")

    def called(self, expression: ast.expr) -> tuple[str, list[ast.expr]] | None:
        """Return the name and the arguments of a call of one of Python's functions of numbers."""
        if not isinstance(expression, ast.Call) or expression.keywords:
            return None
        if not isinstance(expression.func, ast.Name):
            return None
        name = expression.func.id
        if name in self.knowns:
            value = self.knowns[name].value
            name = next((n for n, f in _FUNCTIONS.items() if f is value), "")
        elif name in self.variables:
            return None
        return (name, expression.args) if name in _FUNCTIONS else None

    def shown(self, expression: ast.expr) -> str:
        """Return an expression in the user's words."""
        names = {n: v.hint for n, v in self.variables.items()}
        names |= {n: k.path for n, k in self.knowns.items() if k.path is not None}
        copy = ast.parse(plain_text(expression), mode="eval").body
        for node in ast.walk(copy):
            if isinstance(node, ast.Name):
                node.id = names.get(node.id, node.id)
        return plain_text(copy)


_FUNCTIONS: Mapping[str, Callable[..., object]] = {
    "abs": abs, "bool": bool, "float": float, "int": int, "max": max, "min": min,
}  # fmt: skip


def tensor_spec(name: str, variables: Mapping[str, Variable]) -> TensorSpec:
    """Return what is known of a tensor."""
    spec = variables[name].spec
    assert isinstance(spec, TensorSpec)
    return spec


def item_of(expression: ast.expr, variables: Mapping[str, Variable]) -> str | None:
    """Return ``x`` for ``x.item()`` where ``x`` certainly has one element."""
    match expression:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="item"), args=[]):
            spec = variables[name].spec if name in variables else None
            if isinstance(spec, TensorSpec) and all(size == 1 for size in spec.shape):
                return name
    return None


def size_of(expression: ast.expr, variables: Mapping[str, Variable]) -> tuple[str, int] | None:
    """Return ``("x", 1)`` for ``x.shape[1]``."""
    match expression:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
            slice=ast.Constant(value=int() as dim),
        ):
            spec = variables[name].spec if name in variables else None
            if isinstance(spec, TensorSpec) and 0 <= dim < len(spec.shape):
                return name, dim
    return None


def _of_object(value: object) -> Number:
    if type(value) is bool:
        return Number(bool, int(value), int(value))
    if type(value) is int:
        return Number(int, value, value)
    if type(value) is float:
        return Number(float, may_be_zero=value == 0)
    raise Inexpressible(
        f"{'None' if value is None else f'an object of type {type(value).__name__}'}"
    )


def _of_element(dtype: torch.dtype) -> Number:
    if dtype is torch.bool:
        return TRUTH
    if dtype.is_floating_point:
        return FLOAT
    if dtype.is_complex:
        raise Inexpressible("a complex number")
    limits = torch.iinfo(dtype)
    return Number(int, int(limits.min), int(limits.max))
