"""``super()``: an object seen as one of a class further on in its order of classes."""

import libcst as cst

from rewriter.evaluation.calls.special_calls import Positional
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, SuperValue


def super_value(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional
) -> SuperValue | None:
    """``super()``, ``super(Class, self)``; None where that raises."""
    if len(positional) > 2:
        text = f"super() expected at most 2 arguments, got {len(positional)}"
        frame.run.raise_known(state, TypeError(text))
        return None
    if len(positional) == 1:
        frame.refuse("DYCL039", node, "super() of a class alone is not supported")
    if positional:
        owner, receiver = positional
        if not isinstance(owner, Known) or not isinstance(owner.value, type):
            frame.refuse("DYCL039", node, "the class of super() is known only at run time")
        return _checked_super(frame, node, state, SuperValue(owner.value, receiver))
    method = next((f for f in (frame, *frame.lexical) if not f.comprehension), frame)
    if method.owner is None or method.receiver is None:
        frame.refuse("DYCL039", node, "super() outside a method")
    variables = state.frames[method.identity]
    if method.receiver not in variables:
        frame.run.raise_known(state, RuntimeError("super(): arg[0] deleted"))
        return None
    return _checked_super(frame, node, state, SuperValue(method.owner, variables[method.receiver]))


def _checked_super(
    frame: Frame, node: cst.CSTNode, state: State, value: SuperValue
) -> SuperValue | None:
    kind = class_of(state, value.receiver)
    known = value.receiver.value if isinstance(value.receiver, Known) else None
    is_class = isinstance(known, type) and issubclass(known, value.owner)
    if kind is type(None):
        frame.refuse("DYCL039", node, "super() of None is not supported")
    if kind is None or issubclass(kind, value.owner) or is_class:
        return value
    error = TypeError("super(type, obj): obj must be an instance or subtype of type")
    frame.run.raise_known(state, error)
    return None
