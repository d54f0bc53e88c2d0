"""Expressions of the host as paths remember them: in one spelling, as text."""

import ast
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from rewriter.printing.expression_text import plain_text

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.Is: operator.is_,
}  # fmt: skip
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Eq: ast.Eq,
}  # fmt: skip

Bounds: TypeAlias = tuple[int | None, int | None]
"""The least and the greatest that an integer can be."""

Comparison: TypeAlias = tuple[str, type[ast.cmpop], int]
"""An expression, how it is compared, and the number that it is compared with."""


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """Return an expression, the same object each time."""
    return ast.parse(text, mode="eval").body


@lru_cache(maxsize=4096)
def names_of(text: str) -> frozenset[str]:
    """Return the names in the text of an expression."""
    return frozenset(node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name))


@lru_cache(maxsize=4096)
def looks_into_objects(text: str) -> bool:
    """Return whether an expression gives something else once an object has changed."""
    kinds = ast.Attribute | ast.Call | ast.Subscript
    return any(isinstance(node, kinds) for node in ast.walk(parsed(text)))


def reads_element(text: str) -> bool:
    """Return whether an expression reads an element of a container."""
    return isinstance(parsed(text), ast.Subscript)


def is_number(text: str) -> bool:
    """Return whether an expression is a constant."""
    return isinstance(parsed(text), ast.Constant)


def only_reads(expression: ast.expr) -> bool:
    """Return whether an expression only looks at what there is: it may raise, no more."""
    kinds = ast.Name | ast.Constant | ast.Subscript | ast.Attribute | ast.List | ast.expr_context
    return all(isinstance(node, kinds) for node in ast.walk(expression))


def negated(test: ast.expr) -> ast.expr:
    """Return the opposite of a test."""
    match test:
        case ast.Constant(value=value):
            return ast.Constant(not value)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() as inner):
            return inner
        case _:
            return ast.UnaryOp(ast.Not(), test)


def is_none(node: ast.expr) -> bool:
    """Return whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def comparison(test: ast.expr) -> Comparison | None:
    """Return a test as a comparison with a number; None where it is another one."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=int(number))]):
            return None if type(op) not in _MIRRORED else (plain_text(left), type(op), number)
        case ast.Compare(left=ast.Constant(value=int(number)), ops=[op], comparators=[right]):
            mirrored = _MIRRORED.get(type(op))
            return None if mirrored is None else (plain_text(right), mirrored, number)
        case _:
            return None


def said(operation: type[ast.cmpop], number: int, outcome: bool) -> Bounds:
    """Return the bounds that the outcome of a comparison with a number gives."""
    if operation is ast.Eq:
        return (number, number) if outcome else (None, None)
    is_above = (operation in (ast.Gt, ast.GtE)) is outcome
    is_included = (operation in (ast.LtE, ast.GtE)) is outcome
    if is_above:
        return (number if is_included else number + 1), None
    return None, (number if is_included else number - 1)


def within(bounds: Bounds, more: Bounds) -> Bounds:
    """Return the bounds that two pairs of bounds make together."""
    least = [bound for bound in (bounds[0], more[0]) if bound is not None]
    greatest = [bound for bound in (bounds[1], more[1]) if bound is not None]
    return max(least, default=None), min(greatest, default=None)


def outcome_within(bounds: Bounds, operation: type[ast.cmpop], number: int) -> bool | None:
    """Return how a comparison of an integer with bounds comes out, None where that is open."""
    for outcome in (True, False):
        least, greatest = within(bounds, said(operation, number, outcome))
        if least is not None and greatest is not None and least > greatest:
            return not outcome
    is_that_number = bounds == (number, number)
    return True if operation is ast.Eq and is_that_number else None
