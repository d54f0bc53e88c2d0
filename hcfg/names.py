"""The names in an expression, in the order in which a reader meets them."""

import ast
from weakref import WeakKeyDictionary

_NAMES: WeakKeyDictionary[ast.expr, tuple[str, ...]] = WeakKeyDictionary()
"""Expressions in statements are never mutated, so each is searched once."""


def names_in(expression: ast.expr) -> tuple[str, ...]:
    """Return every name in an expression, left to right, without repeats."""
    names = _NAMES.get(expression)
    if names is None:
        found: dict[str, None] = {}
        _collect(expression, found)
        names = _NAMES[expression] = tuple(found)
    return names


def _collect(node: ast.AST, found: dict[str, None]) -> None:
    if isinstance(node, ast.Name):
        found.setdefault(node.id)
    for child in ast.iter_child_nodes(node):
        _collect(child, found)
