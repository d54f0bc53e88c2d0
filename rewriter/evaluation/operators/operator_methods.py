"""Operator methods of the user's classes: ``__add__``, ``__radd__``, ``__eq__``."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.user_classes import method_of
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
    method = method_of(state, left, name)
    if method is not None:
        return call_value(frame, node, state, method, [] if right is None else [right], {})
    if right is None or not reflected:
        return None
    method = method_of(state, right, reflected)
    if method is not None:
        return call_value(frame, node, state, method, [left], {})
    return None
