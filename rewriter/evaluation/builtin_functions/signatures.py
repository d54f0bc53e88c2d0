"""``inspect.signature`` of functions and methods of the program."""

import inspect
import types

import libcst as cst

from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, MethodValue


@special(inspect.signature)
def signature(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """A method's signature lacks the receiver, whatever that is at run time."""
    given = positional[0] if len(positional) == 1 and not keywords else None
    function = given.function if isinstance(given, MethodValue) else None
    if isinstance(function, Known) and isinstance(function.value, types.FunctionType):
        bound = types.MethodType(function.value, None.__class__)
        yield state, Known(inspect.signature(bound))
        return
    yield from call_library(frame, node, state, Known(inspect.signature), positional, keywords)
