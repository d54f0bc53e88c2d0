"""Puts expressions in place of names, without touching the original."""

import ast
from collections.abc import Mapping
from typing import Any

from rewriter.printing.liveness import names_in


def substitute(expression: ast.expr, replacements: Mapping[str, ast.expr]) -> ast.expr:
    """Return the expression with names replaced; itself if none of them occurs."""
    if replacements.keys().isdisjoint(names_in(expression)):  # there may be thousands
        return expression
    rebuilt = _rebuilt(expression, replacements)
    assert isinstance(rebuilt, ast.expr)
    return rebuilt


def renamed(expression: ast.expr, names: Mapping[str, str]) -> ast.expr:
    """Return the expression with names replaced by other names."""
    return substitute(
        expression,
        {
            name: ast.Name(id=names[name], ctx=ast.Load())
            for name in sorted(names_in(expression) & names.keys())
        },
    )


def _rebuilt(node: ast.AST, replacements: Mapping[str, ast.expr]) -> ast.AST:
    if isinstance(node, ast.Name):
        return replacements.get(node.id, node)
    fields = dict(ast.iter_fields(node))
    changed = {name: _rebuilt_field(value, replacements) for name, value in fields.items()}
    if all(changed[name] is value for name, value in fields.items()):
        return node
    return type(node)(**changed)


def _rebuilt_field(value: Any, replacements: Mapping[str, ast.expr]) -> Any:
    if isinstance(value, ast.AST):
        return _rebuilt(value, replacements)
    if isinstance(value, list):
        items = [_rebuilt_field(item, replacements) for item in value]
        return value if all(map(_is, items, value)) else items
    return value


def _is(left: object, right: object) -> bool:
    return left is right
