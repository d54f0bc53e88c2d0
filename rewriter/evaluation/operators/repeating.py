"""``sequence * tensor``: PyTorch leaves it to Python, which asks the tensor for an integer."""

from rewriter.evaluation.rendering import tensor_of
from rewriter.host_types import MixedListType, SequenceType
from rewriter.state import State
from rewriter.values import HostValue, Known, ListCell, Reference, RunTimeCell, TupleValue, Value


def place_of_times(state: State, operands: tuple[Value, ...]) -> int | None:
    """Return which operand is a tensor that says how often the other, a sequence, is repeated."""
    for place, times in enumerate(operands):
        others = (*operands[:place], *operands[place + 1 :])
        if tensor_of(times) is not None and all(_is_sequence(state, value) for value in others):
            return place
    return None


def _is_sequence(state: State, value: Value) -> bool:
    match value:
        case Known():
            return isinstance(value.value, list | tuple | str | bytes)
        case HostValue():
            return isinstance(value.sample, str)
        case Reference():
            return _is_list(state, value)
        case _:
            return isinstance(value, TupleValue)


def _is_list(state: State, value: Reference) -> bool:
    cell = state.heap[value.identity]
    if isinstance(cell, RunTimeCell):
        return cell.kind in (list, tuple) and isinstance(cell.type, SequenceType | MixedListType)
    return isinstance(cell, ListCell)
