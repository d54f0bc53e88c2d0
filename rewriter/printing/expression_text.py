"""The text of an expression, with known references written by their paths."""

import ast
import math
from collections.abc import Mapping
from types import EllipsisType

from rewriter.diagnostics import DyclBug
from rewriter.printing.substitution import substitute

_LITERALS = (bool, int, float, complex, str, bytes, type(None), EllipsisType)


def expression_text(expression: ast.expr, expressions: Mapping[str, ast.expr]) -> str:
    """Return Python text that evaluates to what the expression does."""
    return plain_text(substitute(expression, expressions))


def plain_text(expression: ast.expr) -> str:
    """Return Python text that evaluates to what the expression does, with names as they are."""
    return ast.unparse(_Literals().visit(expression))


class _Literals(ast.NodeTransformer):
    """Writes constants so that ``ast.unparse`` keeps their meaning; makes new nodes only."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        fields = {name: self._field(value) for name, value in ast.iter_fields(node)}
        return type(node)(**fields)

    def _field(self, value: object) -> object:
        match value:
            case ast.AST():
                return self.visit(value)
            case list():
                return [self._field(item) for item in value]
            case _:
                return value

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Write a negative number as a negation: ``Constant(-1) ** 2`` is not ``-1 ** 2``."""
        value = node.value
        if type(value) not in _LITERALS:
            raise DyclBug(f"a constant of type {type(value).__name__} has no literal")
        if isinstance(value, float) and math.isnan(value):
            name = ast.Name(id="float", ctx=ast.Load())
            return ast.Call(func=name, args=[ast.Constant(value="nan")], keywords=[])
        if isinstance(value, int | float) and _is_negative(value):
            return ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=-value))
        if isinstance(value, complex) and not _is_read_back(value):
            parts = [self.visit(ast.Constant(value=part)) for part in (value.real, value.imag)]
            name = ast.Name(id="complex", ctx=ast.Load())
            return ast.Call(func=name, args=parts, keywords=[])
        return node


def _is_negative(value: int | float) -> bool:
    return value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0)


def _is_read_back(value: complex) -> bool:
    """Return whether Python reads what it writes for a complex number: `-2j ** 2` is another."""
    return not any(math.isnan(p) or math.copysign(1, p) < 0 for p in (value.real, value.imag))
