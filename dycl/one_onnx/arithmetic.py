"""What operations on numbers of the host give, as far as ONNX computes the same."""

import ast
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from dycl.one_onnx.number import FLOAT, HIGHEST, LOWEST, TRUTH, Number
from dycl.one_onnx.refusing import Inexpressible


def arithmetic(operator: ast.operator, left: Number, right: Number) -> Number:
    """Return what an operation gives; refuse those that ONNX computes otherwise, or that raise."""
    floats = float in (left.kind, right.kind)
    if any(side.of_numpy and side.kind is bool for side in (left, right)):
        raise Inexpressible("arithmetic with numpy's truth values")
    match operator:
        case ast.Add() | ast.Sub() | ast.Mult() if floats:
            return FLOAT
        case ast.Add():
            return Number(int, left.low + right.low, left.high + right.high)
        case ast.Sub():
            return Number(int, left.low - right.high, left.high - right.low)
        case ast.Mult():
            found = [a * b for a, b in product((left.low, left.high), (right.low, right.high))]
            return Number(int, min(found), max(found))
        case ast.Div():
            _require_divisor(right)
            if not floats and not (left.is_exact_double and right.is_exact_double):
                raise Inexpressible("a quotient of integers that may be beyond 2**53")
            return FLOAT
        case ast.FloorDiv() | ast.Mod() if not floats:
            return _whole_division(operator, left, right)
        case ast.BitAnd() | ast.BitOr() | ast.BitXor() if left.kind is right.kind is bool:
            return TRUTH
        case _:
            raise Inexpressible(f"`{_SYMBOLS.get(type(operator), 'this operation')}` of numbers")


_SYMBOLS: Mapping[type[ast.operator], str] = {
    ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip


def _whole_division(operator: ast.operator, left: Number, right: Number) -> Number:
    _require_divisor(right)
    rest = Number(int, min(0, right.low + 1), max(0, right.high - 1))
    # `left // right` is computed as `(left - rest) / right`; both trap at -2**63 and -1
    traps = left.low <= LOWEST and right.low <= -1 <= right.high
    is_rest = isinstance(operator, ast.Mod)
    leaves = left.low - rest.high < LOWEST or left.high - rest.low > HIGHEST
    if traps or (leaves and not is_rest):
        raise Inexpressible("a whole division of an integer that may be beyond 64 bits")
    if is_rest:
        return rest
    found = [
        a // b
        for a, b in product((left.low, left.high), (right.low, right.high, -1, 1))
        if right.low <= b <= right.high
    ]
    return Number(int, min(found), max(found))


def _require_divisor(number: Number) -> None:
    """Refuse a divisor that may be 0, for Python raises then."""
    if number.may_be_zero if number.kind is float else number.low <= 0 <= number.high:
        raise Inexpressible("a division that may be by zero")


def signed(operator: ast.unaryop, number: Number) -> Number:
    """Return what ``+`` or ``-`` before a number gives."""
    if number.of_numpy and number.kind is bool:
        raise Inexpressible("arithmetic with numpy's truth values")
    if number.kind is float:
        return FLOAT
    if isinstance(operator, ast.UAdd):
        return Number(int, number.low, number.high, of_numpy=number.of_numpy)
    return Number(int, -number.high, -number.low, of_numpy=number.of_numpy)


def called(function: str, expression: ast.expr, arguments: list[Number]) -> Number:
    """Return what a call of one of Python's functions of numbers gives."""
    if function in ("bool", "float", "int") and len(arguments) == 1:
        return _converted(function, arguments[0])
    of_numpy = any(number.of_numpy for number in arguments)
    match function, arguments:
        case "abs", [number] if number.kind is float:
            return replace(FLOAT, of_numpy=of_numpy)
        case "abs", [number] if not (number.kind is bool and of_numpy):
            ends = (abs(number.low), abs(number.high))
            nearest = 0 if number.low <= 0 <= number.high else min(ends)
            return Number(int, nearest, max(ends), of_numpy=of_numpy)
        case "min" | "max", [first, *rest] if rest and all(n.kind is first.kind for n in rest):
            pick = min if function == "min" else max
            low, high = pick(n.low for n in arguments), pick(n.high for n in arguments)
            return Number(first.kind, low, high, of_numpy=of_numpy)
        case _:
            raise Inexpressible(f"`{ast.unparse(expression)}`")


def _converted(function: str, number: Number) -> Number:
    """Return what a conversion to a type of Python gives."""
    match function:
        case "bool":
            return TRUTH
        case "float":
            return FLOAT
        case _ if number.kind is float:
            raise Inexpressible("a float that becomes an integer")
        case _:
            return Number(int, number.low, number.high)
