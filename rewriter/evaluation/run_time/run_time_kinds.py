"""Which values give items that are known only at run time, and of what type these are."""

from rewriter.array_samples import OpenArray
from rewriter.host_types import (
    TEXT,
    ContainerType,
    HostType,
    MappingType,
    MixedListType,
    NumberType,
    RecordType,
    SequenceType,
    SetType,
    TupleType,
)
from rewriter.size_expressions import key_of
from rewriter.state import State
from rewriter.values import (
    HostValue,
    IteratorCell,
    IteratorValue,
    Reference,
    RunTimeCell,
    RunTimeRange,
    TensorValue,
    Value,
    ViewValue,
)


def has_unknown_rows(value: Value) -> bool:
    """Return whether a value is a tensor with a number of rows known only at run time."""
    return (
        isinstance(value, TensorValue)
        and value.fake.dim() > 0
        and not isinstance(key_of(value.fake.shape[0]), int)
    )


def is_run_time(state: State, value: Value) -> bool:
    """Return whether it is known only at run time how many items a value gives."""
    match value:
        case RunTimeRange():
            return True
        case TensorValue():
            return has_unknown_rows(value)
        case Reference():
            cell = state.heap[value.identity]
            known = record_of_keys(state, value) is not None
            return isinstance(cell, RunTimeCell) and not (
                known or isinstance(cell.type, MixedListType)
            )
        case ViewValue():
            known = record_of_keys(state, value) is not None
            return isinstance(state.heap[value.identity], RunTimeCell) and not known
        case HostValue():
            return isinstance(value.sample, str | OpenArray)
        case IteratorValue():
            cell = state.heap[value.identity]
            assert isinstance(cell, IteratorCell)
            if cell.source is None:
                return False
            return cell.source.is_run_time(state, cell.items)
        case _:
            return False


def record_of_keys(state: State, value: Value) -> RecordType | None:
    """Return the type of a dict of the host with certain keys, or that a view is of; else None."""
    if not isinstance(value, Reference | ViewValue):
        return None
    cell = state.heap.get(value.identity)
    given = cell.type if isinstance(cell, RunTimeCell) else None
    return given if isinstance(given, RecordType) and given.kind is dict else None


def element_type(given: ContainerType) -> HostType | None:
    """Return the type of what iterating over a container gives, None where it varies."""
    match given:
        case SequenceType() | SetType():
            return given.element
        case MappingType():
            return given.key
        case MixedListType():
            return None
        case RecordType():
            return TEXT if given.kind is dict else None


def view_type(given: MappingType, part: str) -> HostType:
    """Return the type of what iterating over ``keys()``, ``values()`` or ``items()`` gives."""
    match part:
        case "keys":
            return given.key
        case "values":
            return given.value
        case _:
            return TupleType((given.key, given.value))


def element_of(state: State, value: Value) -> HostType | None:
    """Return the type of a run-time iterable's items where the host has it, else None."""
    match value:
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            return element_type(cell.type)
        case ViewValue() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            return view_type(cell.type, value.part) if isinstance(cell.type, MappingType) else None
        case RunTimeRange():
            return NumberType(int)
        case _:
            return None
