"""The one spelling of an expression, with the values of variables put in."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType

from hcfg.plain_expressions import (
    ARITHMETIC,
    COMPARISONS,
    OPPOSITES,
    is_none,
    negated,
    parsed,
)
from rewriter.program import KnownReference, ScalarSpec, Variable


class Unstable(Exception):
    """An expression is not one of those that are looked at."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How expressions are written where some variables have known values."""

    variables: Mapping[str, Variable]
    knowns: Mapping[str, KnownReference]
    values: Mapping[str, str]

    def of(self, node: ast.expr) -> ast.expr:
        """Return an expression with what is known put in, and numbers computed."""
        match node:
            case ast.Constant(value=value) if type(value) in (int, bool, str, NoneType):
                return node
            case ast.Name(id=name):
                return parsed(self.values[name]) if name in self.values else node
            case ast.Attribute():
                return ast.Attribute(self.of(node.value), node.attr, ast.Load())
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if self._is_len(name):
                return ast.Call(ast.Name("len", ast.Load()), [self.of(inner)], [])
            case ast.Subscript(value=inner, slice=ast.Name() | ast.Constant() as place):
                return ast.Subscript(self.of(inner), self.of(place), ast.Load())
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negated(self.of(operand))
            case ast.BinOp(left=left, op=operation, right=right):
                return self._computed(self.of(left), operation, self.of(right))
            case ast.Compare(left=left, ops=[operation], comparators=[right]):
                return self._compared(self.of(left), operation, self.of(right))
            case _:
                raise Unstable

    def _computed(self, left: ast.expr, operation: ast.operator, right: ast.expr) -> ast.expr:
        function = ARITHMETIC.get(type(operation))
        if function is None or not (self._is_integer(left) and self._is_integer(right)):
            raise Unstable
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            value = function(left.value, right.value)
            if value < 0:  # which text has as an operation
                raise Unstable
            return ast.Constant(value)
        return ast.BinOp(left, operation, right)

    def _compared(self, left: ast.expr, operation: ast.cmpop, right: ast.expr) -> ast.expr:
        opposite = OPPOSITES.get(type(operation))
        if opposite is not None:
            return negated(self._compared(left, opposite(), right))
        function = COMPARISONS.get(type(operation))
        is_identity = isinstance(operation, ast.Is) and is_none(right)
        are_integers = self._is_integer(left) and self._is_integer(right)
        if function is None or not (is_identity or are_integers):
            raise Unstable
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return ast.Constant(bool(function(left.value, right.value)))
        return ast.Compare(left, [operation], [right])

    def _is_integer(self, node: ast.expr) -> bool:
        """Return whether an expression is certainly an integer: they compare as in mathematics."""
        match node:
            case ast.Constant(value=value):
                return type(value) is int
            case ast.Call() | ast.BinOp():
                return True
            case ast.Name(id=name) if name in self.variables:
                spec = self.variables[name].spec
                return isinstance(spec, ScalarSpec) and spec.type is int
            case _:
                return False

    def _is_len(self, name: str) -> bool:
        known = self.knowns.get(name)
        return name == "len" if known is None else known.value is len
