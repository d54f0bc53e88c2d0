"""What is missing in a dict or set of the host: tested before, where a `try` may catch the error.

A ``KeyError`` holds the key itself, which the evaluator has at hand.
"""

import ast

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, Value


def require_key(
    frame: Frame, node: cst.CSTNode, state: State, container: ast.expr, place: ast.expr, key: Value
) -> bool:
    """Go on where a key is in a container; return whether asking for it may still raise."""
    test = ast.Compare(left=place, ops=[ast.In()], comparators=[container])
    return _require(frame, node, state, test, key)


def require_some(
    frame: Frame, node: cst.CSTNode, state: State, container: ast.expr, words: str
) -> bool:
    """Go on where a container is not empty; return whether taking an item may still raise."""
    return _require(frame, node, state, container, Known(words))


def _require(
    frame: Frame, node: cst.CSTNode, state: State, test: ast.expr, argument: Value
) -> bool:
    run = frame.run
    if not run.guarded or frame.source.takes_what_is_there:
        return True
    (_, _), (failed, _) = run.branch(state, test, frame.origin(node))
    for after, error in call_value(frame, node, failed, Known(KeyError), [argument], {}):
        run.raise_(after, error)
    return False
