"""Builtins and library functions with rules of their own: one table, by function."""

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
