"""``inspect.signature`` of functions and methods of the program, and what it binds."""

import inspect
import types

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude.signatures import bound
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


@special(inspect.Signature.bind)
def bind(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``signature.bind(...)``: which argument is whose is known, whatever they are."""
    first, *given = positional or [Known(None)]
    known = first.value if isinstance(first, Known) else None
    if not isinstance(known, inspect.Signature):
        function = Known(inspect.Signature.bind)
        yield from call_library(frame, node, state, function, positional, keywords)
        return
    try:
        places = known.bind(*range(len(given)), **{name: name for name in keywords})
    except TypeError as error:
        frame.run.raise_known(state, error)
        return
    plan = tuple(_planned(name, place) for name, place in places.arguments.items())
    yield from call_value(frame, node, state, Known(bound), [first, Known(plan), *given], keywords)


def _planned(name: str, place: object) -> tuple[str, type, object]:
    """Return a parameter's name, what holds its values, and where they are given."""
    if isinstance(place, tuple):
        return name, tuple, place
    return (name, dict, tuple(place)) if isinstance(place, dict) else (name, object, place)
