"""Lists and tuples beside arrays: numpy makes arrays of them, ``array * [1, n, 2]``.

An array is asked before them, also for what they have operators of their own for: ``+``, ``*`` and
``+=``.
"""

from collections import deque

from rewriter.evaluation.host.array_memory import is_host_array
from rewriter.evaluation.host.trying_functions import is_known_array
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, RunTimeCell, TupleValue, Value

_LISTS = (list, tuple, deque)


def place_of_list(state: State, operands: tuple[Value, ...]) -> int | None:
    """Return which of two operands is a list or tuple beside an array; None where there is none."""
    if len(operands) != 2:
        return None
    for place, other in ((0, 1), (1, 0)):
        if _is_array(operands[other]) and _is_list(state, operands[place]):
            return place
    return None


def is_added_to_list(state: State, old: Reference, value: Value) -> bool:
    """Return whether an operator in place has a list and an array: it changes neither."""
    if not _is_array(value):
        return False
    cell = state.heap[old.identity]
    return isinstance(cell, ListCell) or (
        isinstance(cell, RunTimeCell) and isinstance(cell.type, SequenceType)
    )


def _is_array(value: Value) -> bool:
    return is_host_array(value) or is_known_array(value)


def _is_list(state: State, value: Value) -> bool:
    match value:
        case Known():
            return type(value.value) in _LISTS
        case TupleValue():
            return value.kind is tuple
        case Reference():
            match state.heap[value.identity]:
                case ListCell() as cell:
                    return cell.kind in _LISTS
                case RunTimeCell(type=SequenceType() as kind):
                    return kind.kind in _LISTS
    return False
