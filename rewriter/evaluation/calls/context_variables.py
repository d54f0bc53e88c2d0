"""Context variables: what is set in the call is reset before it ends, or the program is refused.

So each call begins with what a variable held when the program was compiled.
"""

import contextvars
from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.context_contents import Variable, is_unset
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude.contexts import Token
from rewriter.state import State
from rewriter.values import NONE, Known, ObjectCell, Reference, with_attribute

_Method = Callable[[Frame, cst.CSTNode, State, Variable, Positional], Outcomes]


def context_rule(function: object) -> SpecialRule | None:
    """Return the rule for a method of a context variable, None for other functions."""
    variable = getattr(function, "__self__", None)
    if not isinstance(variable, contextvars.ContextVar):
        return None
    method = _METHODS.get(getattr(function, "__name__", ""))
    if method is None:
        return None

    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        del keywords  # these methods take none
        return method(frame, node, state, variable, positional)

    return rule


def _get(
    frame: Frame, node: cst.CSTNode, state: State, variable: Variable, given: Positional
) -> Outcomes:
    """``variable.get(default)``."""
    del node
    held = frame.run.calls.contexts.of(variable).held(state)
    if not is_unset(held):
        frame.run.effects += 1  # what it is differs from place to place
        yield state, held
    elif given:
        yield state, given[0]
    else:
        try:
            default = contextvars.Context().run(variable.get)
        except LookupError as error:
            frame.run.raise_known(state, error)
        else:
            yield state, Known(default)


def _set(
    frame: Frame, node: cst.CSTNode, state: State, variable: Variable, given: Positional
) -> Outcomes:
    """``variable.set(value)``."""
    content = frame.run.calls.contexts.of(variable)
    before = content.held(state)
    content.origin = frame.origin(node)
    frame.run.effects += 1
    state.attributes[content.key] = given[0]
    yield from call_value(frame, node, state, Known(Token), [Known(variable), before], {})


def _reset(
    frame: Frame, node: cst.CSTNode, state: State, variable: Variable, given: Positional
) -> Outcomes:
    """``variable.reset(token)``."""
    token = given[0]
    cell = state.heap[token.identity] if isinstance(token, Reference) else None
    if not isinstance(cell, ObjectCell) or cell.kind is not Token:
        frame.refuse("DYCL039", node, "a context variable is reset by this object")
    assert isinstance(token, Reference)
    own, used = cell.attributes["var"], cell.attributes["_used"]
    if not isinstance(own, Known) or own.value is not variable:
        frame.refuse("DYCL039", node, "a context variable is reset by what another one gave")
    if not isinstance(used, Known) or used.value:
        frame.refuse("DYCL039", node, "a context variable is reset twice by one token")
    frame.run.update(state, token, with_attribute(cell, "_used", Known(True)))
    state.attributes[frame.run.calls.contexts.of(variable).key] = cell.attributes["old_value"]
    yield state, NONE


_METHODS: dict[str, _Method] = {"get": _get, "set": _set, "reset": _reset}
