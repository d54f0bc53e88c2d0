"""Attributes of objects whose class looks them up itself: ``__getattribute__``."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.plain_objects import holds_only_attributes
from rewriter.prelude import methods
from rewriter.state import State
from rewriter.values import Known, Value


def own_lookup(kind: type) -> Known | None:
    """Return the ``__getattribute__`` that a class has itself, None where it has none."""
    method = user_method(kind, "__getattribute__")
    return None if method is None else Known(method)


def can_look_up_itself(kind: type) -> bool:
    """Return whether instances, made or copied in the call, are read by their class's method."""
    return own_lookup(kind) is not None and holds_only_attributes(kind)


def looked_up(
    frame: Frame, node: cst.CSTNode, state: State, own: Known, value: Value, kind: type, name: str
) -> Outcomes:
    """Evaluate an attribute by the class's own method, and ``__getattr__`` where that fails."""
    if user_method(kind, "__getattr__") is None:
        return call_value(frame, node, state, own, [value, Known(name)], {})
    substitute = Known(methods.own_lookup)
    return call_value(frame, node, state, substitute, [own, value, Known(name)], {})


def asked_for_class(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, kind: type
) -> State:
    """Return the state after ``isinstance`` asked for ``__class__``, once or more often.

    Refused where that may be another than the class, or does more than look.
    """
    own, run = own_lookup(kind), frame.run
    if own is None or isinstance(value, Known):
        return state
    before = run.effects, run.builder.effects
    outcomes = list(looked_up(frame, node, state, own, value, kind, "__class__"))
    looked = len(outcomes) == 1 and (run.effects, run.builder.effects) == before
    state, found = outcomes[0] if looked else (state, None)
    if not isinstance(found, Known) or found.value is not kind:
        frame.refuse("DYCL039", node, f"isinstance() asks a {kind.__name__} what its __class__ is")
    return state
