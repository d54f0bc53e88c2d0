"""Sizes as texts (``seq``, ``u0 + 1``): the symbols that they are made of, and their values."""

import ast
import copy
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import torch

from rewriter.specs import Dimension

_FUNCTIONS: dict[str, Any] = {
    "Min": torch.sym_min,
    "Max": torch.sym_max,
    "Mod": lambda left, right: left % right,
    "FloorDiv": lambda left, right: left // right,
}
"""What a size may call, for plain numbers and for those of a trace."""

_PARTS = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant)
_OPERATORS = (ast.operator, ast.unaryop, ast.expr_context, ast.Expression)


def symbols_in(size: Dimension) -> tuple[str, ...]:
    """Return the symbols that a size is made of; a text that is no arithmetic is one symbol."""
    return () if isinstance(size, int) else _symbols_in_text(size)


@cache
def _symbols_in_text(size: str) -> tuple[str, ...]:
    tree = parsed_size(size)
    if tree is None:
        return (size,)
    names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return tuple(dict.fromkeys(name for name in names if name not in _FUNCTIONS))


@cache
def template_of(size: str) -> str:
    """Return a size with its symbols replaced by their places in ``symbols_in``.

    Sizes with one template are the same arithmetic over symbols: ``u0 + 1`` and ``u7 + 1`` have
    ``_0 + 1``.
    """
    tree = parsed_size(size)
    if tree is None:
        return "_0"
    places = {name: f"_{place}" for place, name in enumerate(symbols_in(size))}
    copied = copy.deepcopy(tree)
    for node in ast.walk(copied):
        if isinstance(node, ast.Name):
            node.id = places.get(node.id, node.id)
    return ast.unparse(copied)


def value_of(size: Dimension, symbols: Mapping[str, Any]) -> Any:
    """Return the value of a size, given its symbols' values: numbers, or those of a trace."""
    if isinstance(size, int):
        return size
    if size in symbols:
        return symbols[size]
    return eval(size, {"__builtins__": {}}, {**_FUNCTIONS, **symbols})


_PARSING = threading.Lock()
"""Artifacts are checked in threads, and ``ast.parse`` of Python 3.11 fails in two at a time."""


@cache
def parsed_size(size: str) -> ast.Expression | None:
    """Return a size as a tree, which is not to be changed; None where a text is no arithmetic."""
    try:
        with _PARSING:
            tree = ast.parse(size, mode="eval")
    except SyntaxError:
        return None
    plain = all(isinstance(node, (*_PARTS, *_OPERATORS)) for node in ast.walk(tree))
    return tree if plain else None
