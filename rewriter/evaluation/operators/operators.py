"""Arithmetic and bitwise operators, on any mix of binding times."""

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import libcst as cst

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.operators.boolean_operators import negation
from rewriter.evaluation.operators.operator_application import apply_operator
from rewriter.evaluation.operators.operator_methods import with_methods
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.text.string_methods import percent_format
from rewriter.state import State
from rewriter.values import Known, Value

BINARY: dict[type[cst.CSTNode], tuple[type[ast.operator], Callable[[Any, Any], Any], str]] = {
    cst.Add: (ast.Add, operator.add, "add"),
    cst.Subtract: (ast.Sub, operator.sub, "sub"),
    cst.Multiply: (ast.Mult, operator.mul, "mul"),
    cst.Divide: (ast.Div, operator.truediv, "truediv"),
    cst.FloorDivide: (ast.FloorDiv, operator.floordiv, "floordiv"),
    cst.Modulo: (ast.Mod, operator.mod, "mod"),
    cst.Power: (ast.Pow, operator.pow, "pow"),
    cst.MatrixMultiply: (ast.MatMult, operator.matmul, "matmul"),
    cst.LeftShift: (ast.LShift, operator.lshift, "lshift"),
    cst.RightShift: (ast.RShift, operator.rshift, "rshift"),
    cst.BitAnd: (ast.BitAnd, operator.and_, "and"),
    cst.BitOr: (ast.BitOr, operator.or_, "or"),
    cst.BitXor: (ast.BitXor, operator.xor, "xor"),
}


UNARY: dict[type[cst.CSTNode], tuple[type[ast.unaryop], Callable[[Any], Any], str]] = {
    cst.Minus: (ast.USub, operator.neg, "neg"),
    cst.Plus: (ast.UAdd, operator.pos, "pos"),
    cst.BitInvert: (ast.Invert, operator.invert, "invert"),
}


_MAY_RAISE = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)


@expression_rule(cst.BinaryOperation)
def binary_operation(frame: Frame, node: cst.BinaryOperation, state: State) -> Outcomes:
    """``left + right``."""
    for after_left, left in evaluate(frame, node.left, state):
        for after_right, right in evaluate(frame, node.right, after_left):
            yield from binary(frame, node, after_right, type(node.operator), left, right)


def binary(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes:
    """Apply a binary operator to two values."""
    _, _, name = BINARY[kind]
    return with_methods(
        frame,
        node,
        state,
        (left, right),
        f"__{name}__",
        f"__r{name}__",
        lambda after: _binary(frame, node, after, kind, left, right),
    )


def _binary(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes:
    """Apply a binary operator where no class of the user's says how."""
    symbol, function, _ = BINARY[kind]
    if symbol is ast.Mod and isinstance(left, Known) and isinstance(left.value, str):
        return percent_format(frame, node, state, left, right)
    return apply_operator(
        frame,
        node,
        state,
        (left, right),
        function,
        lambda parts: ast.BinOp(left=parts[0], op=symbol(), right=parts[1]),
        may_raise=issubclass(symbol, _MAY_RAISE),
    )


@expression_rule(cst.UnaryOperation)
def unary_operation(frame: Frame, node: cst.UnaryOperation, state: State) -> Outcomes:
    """``-x``, ``not x``."""
    if isinstance(node.operator, cst.Not):
        for after, value in evaluate(frame, node.expression, state):
            yield from negation(frame, node, after, value)
        return
    kind = type(node.operator)
    for after, value in evaluate(frame, node.expression, state):
        without = partial(_unary, frame, node, kind=kind, value=value)
        name = f"__{UNARY[kind][2]}__"
        yield from with_methods(frame, node, after, (value,), name, "", without)


def _unary(
    frame: Frame, node: cst.CSTNode, state: State, *, kind: type[cst.CSTNode], value: Value
) -> Outcomes:
    """Apply a unary operator where no class of the user's says how."""
    symbol, function, _ = UNARY[kind]
    return apply_operator(
        frame,
        node,
        state,
        (value,),
        function,
        lambda parts: ast.UnaryOp(op=symbol(), operand=parts[0]),
        may_raise=False,
    )
