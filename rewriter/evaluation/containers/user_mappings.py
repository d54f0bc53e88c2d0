"""Objects of the user's classes where Python takes a dict: whatever has ``keys`` is read by it."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.container_classes import reads_by_methods
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import record_of_keys
from rewriter.prelude.mapping import items_of_mapping
from rewriter.state import State
from rewriter.values import Known, Reference, Value


def taken_as_dict(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """Yield the dict that ``dict(value)`` and ``**value`` read of a mapping of the user's.

    Of a dict of the host with certain keys it is a copy. Any other value is yielded as it is.
    """
    if isinstance(value, Reference) and record_of_keys(state, value) is not None:
        # Reading a field evaluates what is put into dicts: a real cycle.
        from rewriter.evaluation.run_time.record_walks import dict_of_record

        yield from dict_of_record(frame, node, state, value)
        return
    kind = class_of(state, value)
    if kind is None or not _is_asked(kind):
        yield state, value
        return
    yield from call_value(frame, node, state, Known(items_of_mapping), [value], {})


def _is_asked(kind: type) -> bool:
    """Return whether the methods of a class say what there is: those of a plain dict are not."""
    if issubclass(kind, dict):
        return reads_by_methods(kind)
    return user_method(kind, "keys") is not None
