"""What errors that leave the program are given: shapes, of which the host has tuples only."""

import ast

import torch

from rewriter.builder import literal_expression
from rewriter.evaluation.run import Run
from rewriter.values import Known, TupleValue, Value


def known_arguments(error: BaseException) -> list[ast.expr]:
    """Return the expressions of the arguments of an error that was made at compile time."""
    if len(error.args) == 1 and _shows_text(type(error)) and _is_shape(Known(error.args[0])):
        return [ast.Constant(value=str(error.args[0]))]
    return [literal_expression(each) or ast.Constant(value=str(each)) for each in error.args]


def only_argument(arguments: Value) -> Value | None:
    """Return the argument of an error that has one, None where there are others."""
    if isinstance(arguments, TupleValue):
        return arguments.items[0] if len(arguments.items) == 1 else None
    if isinstance(arguments, Known) and isinstance(arguments.value, tuple):
        return Known(arguments.value[0]) if len(arguments.value) == 1 else None
    return None


def as_text(run: Run, kind: type, only: Value, written: ast.expr) -> ast.expr:
    """Return the only argument of an error; of a shape its text, if that is the message."""
    if not (_shows_text(kind) and _is_shape(only) and isinstance(written, ast.Tuple)):
        return written
    text = run.builder.reference(str, "str")
    parts: list[ast.expr] = [ast.Constant(value="torch.Size([")]
    for number, size in enumerate(written.elts):
        parts += [ast.Constant(value=", ")] if number else []
        parts.append(ast.Call(func=text, args=[size], keywords=[]))
    whole, *others = (*parts, ast.Constant(value="])"))
    for part in others:
        whole = ast.BinOp(left=whole, op=ast.Add(), right=part)
    return whole


def _is_shape(value: Value) -> bool:
    """Return whether a value is a ``torch.Size``."""
    if isinstance(value, TupleValue):
        return value.kind is torch.Size
    return isinstance(value, Known) and isinstance(value.value, torch.Size)


def _shows_text(kind: type) -> bool:
    """Return whether an error's message is the text of its only argument."""
    return kind.__module__ == "builtins" and not issubclass(kind, KeyError)
