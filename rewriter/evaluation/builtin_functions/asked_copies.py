"""What ``copy`` asks an object whose class has ``__getattribute__`` or ``__getattr__``.

It looks up how the object is copied, and puts the attributes into the table of the new one: each
of these look-ups is a call of the user's methods.
"""

from typing import NoReturn, TypeGuard

import libcst as cst

from rewriter.evaluation.builtin_functions.builtin_reflection import has_attribute
from rewriter.evaluation.instances.own_lookups import own_lookup
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.run import Frame
from rewriter.plain_objects import has_slots, holds_only_attributes
from rewriter.state import State
from rewriter.values import Cell, Known, MethodValue, ObjectCell, Reference, Value

_INHERITED = ("__reduce_ex__", "__reduce__", "__getstate__")


def is_asked(cell: Cell) -> TypeGuard[ObjectCell]:
    """Return whether the class of what is copied has methods that look attributes up."""
    return isinstance(cell, ObjectCell) and _looks_up(cell.kind)


def asked_for_copy(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, *, deep: bool
) -> State:
    """Return the state after an object was asked how it is copied: as all objects are."""
    kind = class_of(state, value)
    if kind is None or not _looks_up(kind):
        return state
    if has_slots(kind):
        _refuse(frame, node, kind)
    if deep:
        state, found = _asked(frame, node, state, value, kind, "__deepcopy__")
        if found is not None and not (isinstance(found, Known) and found.value is None):
            _refuse(frame, node, kind)
    for name in _INHERITED if own_lookup(kind) is not None else ():
        state, found = _asked(frame, node, state, value, kind, name)
        if not _is_inherited(value, found, name):
            _refuse(frame, node, kind)
    return state


def without_attributes(cell: Cell) -> Cell:
    """Return what a copy is before it gets its attributes, where it is asked for their table."""
    return ObjectCell(cell.kind, {}) if is_asked(cell) else cell


def fill(frame: Frame, node: cst.CSTNode, state: State, made: Reference, whole: Cell) -> State:
    """Return the state after a copy got its parts: by its ``__dict__`` where it is asked."""
    if is_asked(whole) and whole.attributes:
        state = _asked_for_table(frame, node, state, made, whole.kind)
    frame.run.update(state, made, whole)
    return state


def _asked_for_table(
    frame: Frame, node: cst.CSTNode, state: State, made: Reference, kind: type
) -> State:
    state, found = _asked(frame, node, state, made, kind, "__setstate__")
    if found is not None:
        _refuse(frame, node, kind)
    if own_lookup(kind) is not None:
        state, table = _asked(frame, node, state, made, kind, "__dict__")
        owners = frame.run.containers.attributes.owners
        if not isinstance(table, Reference) or owners.get(table.identity) != made.identity:
            _refuse(frame, node, kind)
    return state


def _looks_up(kind: type) -> bool:
    asked = own_lookup(kind) is not None or user_method(kind, "__getattr__") is not None
    return asked and holds_only_attributes(kind)


def _asked(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, kind: type, name: str
) -> tuple[State, Value | None]:
    outcomes = list(has_attribute(frame, node, state, value, name))
    if len(outcomes) != 1:
        _refuse(frame, node, kind)
    return outcomes[0]


def _is_inherited(value: Value, found: Value | None, name: str) -> bool:
    """Return whether what an object gave is its own method, which all objects inherit."""
    match value, found:
        case Known(), Known():
            return bool(found.value == object.__getattribute__(value.value, name))
        case Reference(), MethodValue(receiver=Reference(identity=receiver), function=function):
            return receiver == value.identity and function == name
        case _:
            return False


def _refuse(frame: Frame, node: cst.CSTNode, kind: type) -> NoReturn:
    problem = f"a {kind.__name__}, whose methods look its attributes up, is copied in its own way"
    frame.refuse("DYCL059", node, problem)
