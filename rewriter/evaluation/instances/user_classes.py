"""Which classes and methods are Python source of the user's, to be evaluated."""

import contextlib
import dataclasses
import linecache
import types
from typing import TypeGuard

from rewriter.class_members import class_member
from rewriter.compiled_text import file_of
from rewriter.known_paths import is_leaf, is_library
from rewriter.schemas import ObjectSample
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    HostValue,
    Instance,
    IteratorCell,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    TupleValue,
    Value,
)


def user_method(kind: type, name: str) -> types.FunctionType | None:
    """Return the method of a class if it is Python source of the user's, else None."""
    found = class_member(kind, name)
    if isinstance(found, types.FunctionType) and not is_leaf(found):
        # Methods that ``dataclass`` writes have no file, or its own; attrs shows what it writes.
        file = file_of(found.__code__)
        has_text = not file.startswith("<") or file in linecache.cache
        return found if has_text and file != dataclasses.__file__ else None
    return None


def own_new(kind: type) -> types.FunctionType | None:
    """Return the ``__new__`` of a class that is Python source of the user's, else None."""
    found = class_member(kind, "__new__")
    function = found.__func__ if isinstance(found, staticmethod) else found
    return function if isinstance(function, types.FunctionType) and not is_leaf(function) else None


def is_own_container(cell: Cell | None) -> TypeGuard[ListCell | DictCell]:
    """Return whether an object is an instance of the user's class of lists or dicts."""
    return isinstance(cell, ListCell | DictCell) and not is_library(cell.kind.__module__)


def instance_of(state: State, value: Value) -> Instance | None:
    """Return an object made in the call that has attributes, None for other values."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    return cell if isinstance(cell, ObjectCell) or is_own_container(cell) else None


def class_of(state: State, value: Value) -> type | None:
    """Return the class of an object whose methods may be the user's, else None."""
    match value:
        case Known():
            return type(value.value)
        case TupleValue():
            return value.kind
        case HostValue() if isinstance(value.sample, ObjectSample):
            return value.sample.facts.kind
        case Reference():
            cell = state.heap[value.identity]
            return None if isinstance(cell, IteratorCell) else cell.kind
        case _:
            return None


def method_of(state: State, value: Value, name: str) -> MethodValue | None:
    """Return a user's method bound to an object, None where its class defines none."""
    kind = class_of(state, value)
    function = None if kind is None else user_method(kind, name)
    return None if function is None else MethodValue(value, Known(function))


def is_asked_by_place(state: State, value: Value) -> bool:
    """Return whether an object is walked by asking for the items at 0, 1, 2, ...: Python's old way.

    That is so where its class says nothing of how it is walked.
    """
    kind = class_of(state, value)
    return (
        kind is not None
        and not hasattr(kind, "__iter__")
        and user_method(kind, "__getitem__") is not None
    )


def decorates(kind: type | None) -> bool:
    """Return whether objects of a class decorate functions as ``ContextDecorator`` says."""
    again = getattr(kind, "_recreate_cm", None)
    return again is contextlib.ContextDecorator._recreate_cm
