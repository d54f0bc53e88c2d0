"""The types of operands in expressions of the host, as far as they are certain."""

import ast
import builtins
from collections import deque
from typing import Any

import numpy

from rewriter.builder import Builder
from rewriter.specs import HostSpec, ScalarSpec


def kind_of(builder: Builder, expression: ast.expr) -> str | None:
    """Return the name of the type of what an operand is, None where that is not certain."""
    match expression:
        case ast.Constant(value=value):
            return type(value).__name__
        case ast.List():
            return "list"
        case ast.Tuple():
            return "tuple"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return kind_of(builder, operand)
        case ast.Call(func=ast.Name(id=name)) if known_object(builder, name) in (str, repr, format):
            return "str"
        case ast.Name(id=name) if name in builder.variables:
            spec = builder.variables[name].spec
            if isinstance(spec, ScalarSpec):
                return None if spec.type is None else spec.type.__name__
            return spec.description if isinstance(spec, HostSpec) else None
        case ast.Name(id=name):
            known = known_object(builder, name)
            plain = type(known) in (list, tuple, str, deque, int, float)
            return type(known).__name__ if plain else None
        case _:
            return None


def is_real_number(kind: type | None) -> bool:
    """Return whether a type is one of numpy's numbers that Python takes for a real number."""
    return (
        kind is not None
        and issubclass(kind, numpy.integer | numpy.floating | numpy.bool_)
        and not issubclass(kind, numpy.timedelta64)
    )


def known_object(builder: Builder, name: str) -> Any:
    """Return what a name stands for that is known, a builtin included; None for others."""
    if name in builder.knowns:
        return builder.knowns[name].value
    return getattr(builtins, name, None)
