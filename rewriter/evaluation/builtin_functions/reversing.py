"""``reversed()`` of objects of the user's classes: by ``__reversed__``, or by their places."""

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.user_classes import class_of, method_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import iterating
from rewriter.state import State
from rewriter.values import Known, Value

_MISSING = object()


def reversed_object(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes | None:
    """Return the outcomes where the class of an object decides, None for what Python knows."""
    kind = class_of(state, value)
    if kind is None or kind.__module__.startswith(iterating.__package__ or ""):
        return None
    own = method_of(state, value, "__reversed__")
    if own is not None:
        return call_value(frame, node, state, own, [], {})
    declared = class_member(kind, "__reversed__", _MISSING)
    if declared is None or (declared is _MISSING and not hasattr(kind, "__getitem__")):
        text = f"{kind.__name__!r} object is not reversible"
        frame.run.raise_known(state, TypeError(text))
        return iter(())
    if declared is not _MISSING or method_of(state, value, "__getitem__") is None:
        return None
    return call_value(frame, node, state, Known(iterating.backwards), [value], {})
