"""The traceback that ``__exit__`` gets beside an error: there is one, no more is known of it."""

import sys
import types

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import managing
from rewriter.state import State
from rewriter.values import Known, Value

TRACEBACK = Known(types.TracebackType(None, sys._getframe(), 0, 1))
"""What stands for all of them: its attributes, and texts of it, are refused."""


def told_of(kind: type[BaseException], error: Value) -> list[Value]:
    """Return what ``__exit__`` is given about an error."""
    return [Known(kind), error, TRACEBACK]


@special(managing.traceback_of)
def traceback_of(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Give the traceback of an error."""
    del frame, node, positional, keywords
    yield state, TRACEBACK
