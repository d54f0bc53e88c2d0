"""Operator methods of the user's classes: ``__add__``, ``__radd__``, ``__eq__``."""

import libcst as cst

from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    Value,
)


def overloaded_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    left: Value,
    right: Value | None,
    name: str,
    reflected: str,
) -> Outcomes | None:
    """Return the outcomes of a user's operator method, None where no class defines one."""
    from rewriter.evaluation.calls import call_value
    from rewriter.evaluation.objects import class_of, method_of, user_method

    kind = class_of(state, left)
    if kind is not None and user_method(kind, name):
        method = method_of(frame, state, left, kind, name)
        return call_value(frame, node, state, method, [] if right is None else [right], {})
    if right is None or not reflected:
        return None
    kind = class_of(state, right)
    if kind is not None and user_method(kind, reflected):
        method = method_of(frame, state, right, kind, reflected)
        return call_value(frame, node, state, method, [left], {})
    return None
