"""What a list, tuple or dict with objects of the program is written as: the parts of its text."""

from collections.abc import Iterable
from itertools import chain

from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    TensorValue,
    TupleValue,
    Value,
)


def displayed(state: State, value: Value) -> list[str | Value] | None:
    """Return the parts of a container's text, items among them.

    None for other values, where no item is an object of the program or a tensor, and where one
    leads to itself.
    """
    if not _holds_objects(state, value):
        return None
    match _cell(state, value):
        case ListCell(items=items):
            return ["[", *_separated([item] for item in items), "]"]
        case TupleValue(items=items):
            end = ",)" if len(items) == 1 else ")"
            return ["(", *_separated([item] for item in items), end]
        case DictCell(items=named):
            pairs = ([Known(key), ": ", item] for key, item in named.items())
            return ["{", *_separated(pairs), "}"]
        case _:
            return None


def _separated(groups: Iterable[list[str | Value]]) -> list[str | Value]:
    parts = [[", ", *group] if number else group for number, group in enumerate(groups)]
    return list(chain.from_iterable(parts))


def _cell(state: State, value: Value) -> object:
    """Return a container of Python's own whose structure is known, None for other values."""
    if isinstance(value, TupleValue):
        return value if value.kind is tuple else None
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    is_own = isinstance(cell, ListCell | DictCell) and cell.kind in (list, dict)
    return cell if is_own else None


def _holds_objects(state: State, value: Value) -> bool:
    """Return whether a container holds an object made in the call, or a tensor.

    False where it holds itself.
    """
    pending: list[tuple[Value, tuple[int, ...]]] = [(value, ())]
    found = False
    while pending:
        each, inside = pending.pop()
        cell = _cell(state, each)
        if isinstance(each, Reference):
            if each.identity in inside:
                return False
            inside = (*inside, each.identity)
            found = found or isinstance(state.heap[each.identity], ObjectCell)
        found = found or isinstance(each, TensorValue)
        pending += [(item, inside) for item in _items(cell)]
    return found


def _items(cell: object) -> tuple[Value, ...]:
    match cell:
        case ListCell(items=items) | TupleValue(items=items):
            return items
        case DictCell(items=named):
            return tuple(named.values())
        case _:
            return ()
