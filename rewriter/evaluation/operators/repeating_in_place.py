"""``a *= n`` of a list, where it is known at run time only how often, or what the list holds."""

import libcst as cst

from rewriter.evaluation.containers.item_assignment import set_own_item
from rewriter.evaluation.operators.operators import binary
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, RunTimeCell, Value


def repeated_in_place(
    frame: Frame, node: cst.CSTNode, state: State, old: Reference, times: Value
) -> Outcomes:
    """Evaluate ``old *= times`` as ``old[:] = old * times``: the list stays the same object."""
    for after, repeated in binary(frame, node, state, cst.Multiply, old, times):
        for done in set_own_item(frame, node, after, old, Known(slice(None)), repeated):
            yield done, old


def is_plain_list(state: State, value: Reference) -> bool:
    """Return whether this is a list, and of no class of its own."""
    cell = state.heap[value.identity]
    return isinstance(cell, ListCell | RunTimeCell) and cell.kind is list
