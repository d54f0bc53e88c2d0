"""Copies of the program's objects: ``copy.copy``, ``copy.deepcopy``, ``dataclasses.asdict``."""

import dataclasses
import enum
import re
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import libcst as cst
import torch

from rewriter.evaluation.builtin_functions.asked_copies import (
    asked_for_copy,
    fill,
    is_asked,
    without_attributes,
)
from rewriter.evaluation.builtin_functions.content_copies import ContentCopies
from rewriter.evaluation.containers.container_classes import SAYING_COPIES, passed_over
from rewriter.evaluation.containers.containers import describe, mapping_items, sequence_items
from rewriter.evaluation.host.array_memory import is_host_array
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.instances.known_tables import has_plain_table, own_attributes
from rewriter.evaluation.instances.methods import call_named_method
from rewriter.evaluation.instances.own_lookups import can_look_up_itself
from rewriter.evaluation.instances.user_classes import is_own_container, own_new, user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_copies import copied_on_host
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.host_type_properties import has_instance
from rewriter.known_paths import is_library
from rewriter.plain_objects import NAMESPACES, has_slots, is_plain_class
from rewriter.set_history import SetHistory
from rewriter.set_history import copied as copied_set
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
    set_cell,
)

_ATOMS = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, type, torch.dtype,
    torch.device, enum.Enum, re.Pattern, types.FunctionType, types.BuiltinFunctionType, property,
)  # fmt: skip
_SHARED = "a deep copy of several objects of the host, which may share what they hold"
Copier = Callable[[State, Value], Outcomes]


def copied(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """Evaluate ``copy.copy(value)``: a new object with the same parts."""
    if is_atom(value) or isinstance(value, TupleValue):
        yield state, value
        return
    if is_host_array(value):
        yield from call_named_method(frame, node, state, value, "copy", [], {})
        return
    if isinstance(value, Reference) and run_time_cell(state, value) is not None:
        yield state, copied_on_host(frame, node, state, value, deep=False)
        return
    asking = asked_for_copy(frame, node, state, value, deep=False)
    cell = _cell(frame, node, asking, value, "__copy__")
    made = frame.run.allocate(asking, without_attributes(cell))
    if is_asked(cell):
        asking = fill(frame, node, asking, made, cell)
    yield asking, made


def deep_copied(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """Evaluate ``copy.deepcopy(value)``: what is one object stays one in the copy."""
    memo: dict[tuple[type, int], Reference] = {}
    contents = ContentCopies(frame, node)
    on_host: list[Reference] = []

    def copy(state: State, value: Value) -> Outcomes:
        key = type(value), _identity(value)
        match value:
            case TensorValue() | HostValue() if (method := _copying_method(value)) is not None:
                yield from contents.copied(state, value, method)
            case TupleValue():
                for after, items in each(state, value.items, copy):
                    yield after, TupleValue(items, value.kind)
            case _ if key in memo:
                yield state, memo[key]
            case _ if is_atom(value):
                yield state, value
            case Reference() if run_time_cell(state, value) is not None:
                if on_host:
                    frame.refuse("DYCL059", node, _SHARED)
                on_host.append(value)
                memo[key] = copied_on_host(frame, node, state, value, deep=True)
                yield state, memo[key]
            case _:
                state = asked_for_copy(frame, node, state, value, deep=True)
                cell = _made_anew(_cell(frame, node, state, value, "__deepcopy__"))
                made = memo[key] = frame.run.allocate(state, without_attributes(cell))
                for after, items in each(state, _parts(cell), copy):
                    yield fill(frame, node, after, made, _with_parts(cell, items)), made

    return copy(state, value)


def _copying_method(value: Value) -> str | None:
    """Return the method that copies a tensor or array, None for other values."""
    if isinstance(value, TensorValue):
        return "clone"
    return "copy" if is_host_array(value) else None


def exported(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, *, as_tuples: bool
) -> Outcomes:
    """Evaluate ``dataclasses.asdict(value)`` and ``dataclasses.astuple(value)``."""

    def export(state: State, value: Value) -> Outcomes:
        cell = state.heap[value.identity] if isinstance(value, Reference) else None
        match cell:
            case ObjectCell() | RunTimeCell() if dataclasses.is_dataclass(cell.kind):
                names = [field.name for field in dataclasses.fields(cell.kind)]
                for after, items in _each_attribute(frame, node, state, value, names, export):
                    named = () if as_tuples else zip(names, items, strict=True)
                    made = frame.run.allocate(after, DictCell(dict(named)))
                    yield after, TupleValue(items) if as_tuples else made
            case RunTimeCell() if has_instance(cell.type):
                frame.refuse("DYCL059", node, "a container of the host that holds objects")
            case ListCell() | DictCell() if not is_library(cell.kind.__module__):
                frame.refuse("DYCL059", node, f"a copy of {describe(state, value)}")
            case ListCell() | DictCell():
                for after, items in each(state, _parts(cell), export):
                    yield after, frame.run.allocate(after, _with_parts(cell, items))
            case _ if isinstance(value, TupleValue):
                for after, items in each(state, value.items, export):
                    yield after, TupleValue(items, value.kind)
            case _:
                yield from deep_copied(frame, node, state, value)

    return export(state, value)


def _each_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, names: list[str], work: Copier
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    for after, items in attributes_of(frame, node, state, value, names):
        yield from each(after, items, work)


def attributes_of(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, names: Sequence[str]
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Read attributes one after the other; yield them together."""
    if not names:
        yield state, ()
        return
    for before, others in attributes_of(frame, node, state, value, names[:-1]):
        for after, item in get_attribute(frame, node, before, value, names[-1]):
            yield after, (*others, item)


def each(
    state: State, values: tuple[Value, ...], work: Copier
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Do something with each value in turn; yield the results together."""
    if not values:
        yield state, ()
        return
    first, *rest = values
    for after, done in work(state, first):
        for end, others in each(after, tuple(rest), work):
            yield end, (done, *others)


def is_atom(value: Value) -> bool:
    """Return whether a value is an object that copying gives back itself."""
    if isinstance(value, Known):
        content = value.value
        parts = content if type(content) is tuple else (content,)
        return all(isinstance(part, _ATOMS) for part in parts)
    return isinstance(value, ScalarValue)


def _identity(value: Value) -> int:
    if isinstance(value, Reference):
        return value.identity
    return id(value.value) if isinstance(value, Known) else id(value)


def _known_cell(frame: Frame, node: cst.CSTNode, state: State, value: Known) -> Cell | None:
    """Return the content of an object made before the call, None where copies are not known."""
    content, kind = value.value, type(value.value)
    if kind is set:
        return set_cell(copied_set(content))
    if not _is_copied(kind):
        return None
    named = own_attributes(frame, node, state, value) if kind.__dictoffset__ else {}
    if issubclass(kind, list):
        return ListCell(sequence_items(state, value) or (), kind, named)
    if issubclass(kind, dict):
        return DictCell(dict(mapping_items(state, value) or {}), kind, attributes=named)
    return ObjectCell(kind, named)


def _is_copied(kind: type) -> bool:
    """Return whether objects of a class are their attributes, and the items of a list or dict."""
    if kind in (list, dict, *NAMESPACES):
        return True
    if has_slots(kind):
        return False
    if issubclass(kind, list | dict):
        return passed_over(kind) is None
    return (is_plain_class(kind) or can_look_up_itself(kind)) and has_plain_table(kind)


def _cell(frame: Frame, node: cst.CSTNode, state: State, value: Value, method: str) -> Cell:
    """Return what an object is, which no method of its class says how to copy."""
    if isinstance(value, Known):
        cell = _known_cell(frame, node, state, value)
    else:
        cell = state.heap[value.identity] if isinstance(value, Reference) else None
    own = ("__getattr__", *_FILLING) if is_own_container(cell) else ()
    special = (method, *SAYING_COPIES, *own)
    if (
        not isinstance(cell, ListCell | DictCell | SetCell | ObjectCell)
        or any(user_method(cell.kind, name) for name in special)
        or own_new(cell.kind)
    ):
        frame.refuse("DYCL059", node, f"a copy of {describe(state, value)} is not supported")
    if isinstance(value, Reference):
        reason = frame.run.argument_objects.ask_for_all(value.identity)
        if reason is not None:
            frame.refuse("DYCL072", node, reason)
    return cell


def _made_anew(cell: Cell) -> Cell:
    """Return the content of a deep copy, its parts still those of the original.

    A set is made of its items, one after the other: it may be walked in another order.
    """
    if isinstance(cell, SetCell) and cell.kind is set:
        return set_cell(SetHistory(partial(set, list(cell.order))))
    return cell


_FILLING = ("__init__", "__post_init__", "__setitem__", "append", "extend")
"""What Python's own code may call to fill the copy of a list or dict."""


def _parts(cell: Cell) -> tuple[Value, ...]:
    match cell:
        case ListCell():
            return (*cell.items, *cell.attributes.values())
        case DictCell():
            return (*cell.items.values(), *cell.attributes.values())
        case ObjectCell():
            return tuple(cell.attributes.values())
        case _:
            return ()


def _with_parts(cell: Cell, items: tuple[Value, ...]) -> Cell:
    match cell:
        case ListCell():
            size = len(cell.items)
            named = dict(zip(cell.attributes, items[size:], strict=True))
            return replace(cell, items=items[:size], attributes=named)
        case DictCell():
            size = len(cell.items)
            pairs = dict(zip(cell.items, items[:size], strict=True))
            named = dict(zip(cell.attributes, items[size:], strict=True))
            return replace(cell, items=pairs, attributes=named)
        case ObjectCell():
            return ObjectCell(cell.kind, dict(zip(cell.attributes, items, strict=True)))
        case _:
            return cell
