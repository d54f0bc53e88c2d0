"""Whether something still is what it was: compares values and objects of two states.

Saying that a thing changed which did not costs nothing but a little code.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rewriter.leaves import leaf_key
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def changed_cells(identities: Iterable[int], start: State, end: State) -> frozenset[int]:
    """Return the heap objects whose own content differs between two states."""
    return frozenset(i for i in identities if _cell_changed(i, start, end))


def is_changed(start: State, was: Value, end: State, now: Value) -> bool:
    """Return whether a name holds another value, or the value under another variable."""
    match was, now:
        case (TensorValue(), TensorValue()):
            return start.current(was).name != end.current(now).name
        case (ScalarValue() | HostValue(), ScalarValue() | HostValue()):
            return was.name != now.name
        case (Known(), Known()):
            return _known_changed(was, now)
        case (FunctionValue(), FunctionValue()):
            same = was.source.node is now.source.node and was.frame_path == now.frame_path
            return not same or _dict_changed(start, was.defaults, end, now.defaults)
        case _:
            (kind, parts), (kind_now, parts_now) = _taken_apart(was), _taken_apart(now)
            return kind != kind_now or _any_changed(start, parts, end, parts_now)


def _taken_apart(value: Value) -> tuple[tuple[object, ...], tuple[Value, ...]]:
    """Return what tells a value from others, and the values in it."""
    match value:
        case TupleValue(items, kind):
            return (TupleValue, kind), items
        case Reference(identity) | IteratorValue(identity):
            return (type(value), identity), ()
        case MethodValue(receiver, str() as name):
            return (MethodValue, name), (receiver,)
        case MethodValue(receiver, FunctionValue() | Known() as function):
            return (MethodValue,), (receiver, function)
        case SuperValue(owner, receiver):
            return (SuperValue, owner), (receiver,)
        case SliceValue(first, stop, step):
            return (SliceValue,), (first, stop, step)
        case ViewValue(identity, part):
            return (ViewValue, identity, part), ()
        case RunTimeRange(first, stop, step, stride):
            return (RunTimeRange, step), (first, stop, NONE if stride is None else stride)
        case _:
            return (value,), ()


def _known_changed(was: Known, now: Known) -> bool:
    if was.value is now.value:
        return False
    simple = (bool, int, float, str)
    if type(was.value) in simple and type(now.value) in simple:
        return leaf_key(was) != leaf_key(now)
    return True


def _any_changed(start: State, were: tuple[Value, ...], end: State, now: tuple[Value, ...]) -> bool:
    return len(were) != len(now) or any(
        is_changed(start, one, end, two) for one, two in zip(were, now, strict=True)
    )


def _dict_changed(
    start: State, were: Mapping[Any, Value], end: State, now: Mapping[Any, Value]
) -> bool:
    return tuple(were) != tuple(now) or _any_changed(
        start, tuple(were.values()), end, tuple(now.values())
    )


def _cell_changed(identity: int, start: State, end: State) -> bool:
    match start.heap[identity], end.heap.get(identity):
        case ListCell() as was, ListCell() as now:
            same = was.kind is now.kind and not _any_changed(start, was.items, end, now.items)
            return not same or _dict_changed(start, was.attributes, end, now.attributes)
        case DictCell() as was, DictCell() as now:
            same = not _dict_changed(start, was.items, end, now.items)
            return not same or _dict_changed(start, was.attributes, end, now.attributes)
        case ObjectCell() as was, ObjectCell() as now:
            return _dict_changed(start, was.attributes, end, now.attributes)
        case SetCell() as was, SetCell() as now:
            return was.items != now.items
        case RunTimeCell() as was, RunTimeCell() as now:
            return was.name != now.name or was.type is not now.type
        case IteratorCell() as was, IteratorCell() as now:
            return was.source is not now.source or _any_changed(start, was.items, end, now.items)
        case _:
            return True
