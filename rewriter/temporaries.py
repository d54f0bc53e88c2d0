"""Words for the variables that the user did not name, after what computes them.

``masks.append(mask.squeeze())`` leaves a temporary for each element; calling it ``_squeeze``
says more than ``_tensor``. The underscore stays: it marks what the user has no name for.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from rewriter.program import (
    CallStatement,
    Copy,
    Function,
    HostStatement,
    KnownReference,
    TensorFromHost,
    TensorStatement,
)
from rewriter.program_names import pattern_names

UNNAMED = frozenset({"_tensor", "_number", "_object", "_value"})
"""Hints that say nothing but what kind of value a variable holds."""


def name_temporaries(function: Function, knowns: Mapping[str, KnownReference]) -> Function:
    """Return the function with better hints for temporaries; nothing else changes."""
    unnamed = {name for name, variable in function.variables.items() if variable.hint in UNNAMED}
    words: dict[str, str] = {}
    for name, word in _words(function, knowns):
        if word is not None and name in unnamed:
            words.setdefault(name, word)
    for new, old in _renamings(function):
        if old in words and new in unnamed:
            words.setdefault(new, words[old])
    if not words:
        return function
    variables = {
        name: replace(variable, hint=f"_{words[name]}") if name in words else variable
        for name, variable in function.variables.items()
    }
    return replace(function, variables=variables)


def _words(
    function: Function, knowns: Mapping[str, KnownReference]
) -> Iterator[tuple[str, str | None]]:
    for block in function.blocks.values():
        for statement in block.statements:
            match statement:
                case TensorStatement():
                    word = _word(statement.expression, knowns)
                    yield from ((name, word) for name in pattern_names(statement.pattern))
                case HostStatement(target=str() as target):
                    yield target, _word(statement.expression, knowns)
                case HostStatement() | TensorFromHost() | Copy() | CallStatement():
                    pass


def _renamings(function: Function) -> Iterator[tuple[str, str]]:
    """Yield variables with the variable whose value they get under a new name."""
    for block in function.blocks.values():
        for statement in block.statements:
            match statement:
                case TensorStatement():
                    yield from statement.updates
                case Copy():
                    for target, source in zip(statement.targets, statement.sources, strict=True):
                        if isinstance(source, ast.Name):
                            yield target, source.id
                case HostStatement() | TensorFromHost() | CallStatement():
                    pass


def _word(expression: ast.expr, knowns: Mapping[str, KnownReference]) -> str | None:
    """Return a word for the value of an expression, None where none says more."""
    match expression:
        case ast.Call(func=callee):
            return _last_name(callee, knowns)
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return "test"
        case _:
            return None


def _last_name(callee: ast.expr, knowns: Mapping[str, KnownReference]) -> str | None:
    """Return ``fc`` for ``self.fc``, ``layers`` for ``self.layers[3]``, ``max`` for ``x.max``."""
    match callee:
        case ast.Attribute(attr=name):
            word = name
        case ast.Subscript(value=inner):
            return _last_name(inner, knowns)
        case ast.Name(id=name) if name in knowns:
            return _last_name(_reached_by(knowns[name]), {})
        case ast.Name(id=name):
            word = name
        case _:
            return None
    word = word.strip("_")
    return word if word.isidentifier() else None


def _reached_by(known: KnownReference) -> ast.expr:
    """Return the expression that reaches a known object."""
    path = known.path or (known.import_path or ("", ""))[1]
    try:
        return ast.parse(path, mode="eval").body
    except SyntaxError:  # none, or one for people only
        return ast.Constant(value=None)
