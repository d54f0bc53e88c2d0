"""Objects of the user's classes where Python takes a dict: whatever has ``keys`` is read by it."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude.mapping import items_of_mapping
from rewriter.state import State
from rewriter.values import Known, Value


def taken_as_dict(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """Yield the dict that ``dict(value)`` and ``**value`` read of a mapping of the user's.

    Any other value is yielded as it is.
    """
    kind = class_of(state, value)
    if kind is None or issubclass(kind, dict) or user_method(kind, "keys") is None:
        yield state, value
        return
    yield from call_value(frame, node, state, Known(items_of_mapping), [value], {})
