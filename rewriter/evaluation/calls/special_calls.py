"""Builtins and library functions with rules of their own: one table, by function."""

import types
from collections.abc import Callable
from typing import TypeAlias

import libcst as cst

from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Value

Positional: TypeAlias = list[Value]
Keywords: TypeAlias = dict[str, Value]
SpecialRule: TypeAlias = Callable[[Frame, cst.CSTNode, State, Positional, Keywords], Outcomes]

SPECIAL: dict[int, SpecialRule] = {}
"""Rules for functions that work on values, by ``id`` of the function."""
_SPECIAL_OBJECTS: list[object] = []
"""The functions themselves, so that no other object gets the ``id`` of one of them."""


def special(*functions: object) -> Callable[[SpecialRule], SpecialRule]:
    """Register the rule for calls of given library functions."""

    def register(rule: SpecialRule) -> SpecialRule:
        for function in functions:
            SPECIAL[id(function)] = rule
            _SPECIAL_OBJECTS.append(function)
        return rule

    return register


_METHODS: dict[tuple[int, str], SpecialRule] = {}
"""Rules for methods of classes, which are another object each time, by class and name."""


def special_method(kind: type, name: str) -> Callable[[SpecialRule], SpecialRule]:
    """Register the rule for a class method of a library's class: ``dict.fromkeys``."""

    def register(rule: SpecialRule) -> SpecialRule:
        _METHODS[id(kind), name] = rule
        return rule

    return register


def special_rule(function: object) -> SpecialRule | None:
    """Return the rule for calls of a library function, None where it has none of its own."""
    rule = SPECIAL.get(id(function))
    if rule is None and isinstance(function, types.BuiltinMethodType):
        return _METHODS.get((id(function.__self__), function.__name__))
    return rule
