"""Elements of containers that outlive the call."""

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.keeping.noting import keep_object
from rewriter.keeping.tables import note_filled
from rewriter.state import State
from rewriter.values import Known, Value


def fills_table(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, index: Value, item: Value
) -> bool:
    """Return whether ``value[index] = item`` is done: a table gets what every first call puts."""
    keep_object(frame.run, value.value)
    stored = [(index, item)]
    return note_filled(frame.run.plan, state, value.value, stored, frame.origin(node))
