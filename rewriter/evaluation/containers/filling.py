"""Elements put into a container that is being made: known structure or run-time."""

import libcst as cst

from rewriter.evaluation.containers.adding import add_last
from rewriter.evaluation.containers.displays import known_set
from rewriter.evaluation.containers.identity_keys import added_key, has_tensor_keys, is_own_key
from rewriter.evaluation.containers.item_assignment import set_item
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_sequence_methods import sequence_method
from rewriter.evaluation.run_time.run_time_sets import run_time_set_method
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import (
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    SetCell,
    Value,
    set_cell,
)


def add_element(
    frame: Frame, node: cst.CSTNode, state: State, container: Reference, row: tuple[Value, ...]
) -> list[State]:
    """Append to a list, add to a set."""
    (item,) = row
    match state.heap[container.identity]:
        case ListCell():
            add_last(frame.run, state, container, (item,))
            return [state]
        case SetCell() as cell if (known := known_object(state, item)) is not None:
            try:
                added = known_set([known])
            except TypeError as error:
                frame.run.raise_known(state, error)
                return []
            frame.run.update(state, container, set_cell(cell.history.then("add", *added)))
            return [state]
        case SetCell() | ObjectCell() if is_own_key(state, item) or has_tensor_keys(
            state, container
        ):
            return added_key(frame, node, state, container, item)
        case RunTimeCell() as cell if isinstance(cell.type, SequenceType):
            outcomes = sequence_method(
                frame, node, state, container, cell, cell.type, "append", [item]
            )
        case _:
            outcomes = run_time_set_method(frame, node, state, container, "add", [item])
    return [after for after, _ in outcomes]


def add_entry(
    frame: Frame, node: cst.CSTNode, state: State, container: Reference, row: tuple[Value, ...]
) -> list[State]:
    """Set a key of a dict."""
    key, value = row
    return set_item(frame, node, state, container, key, value)
