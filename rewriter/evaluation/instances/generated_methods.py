"""Methods that Python gives a class itself: ``__repr__`` and ``__eq__`` of dataclasses."""

import argparse
import dataclasses
import types

from rewriter.schemas import ObjectSample
from rewriter.stand_ins import is_named_tuple
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Instance,
    ObjectCell,
    Reference,
    TupleValue,
    Value,
)


def is_argument_object(value: Value) -> bool:
    """Return whether a value is an argument's object, which the host has a copy of."""
    return isinstance(value, HostValue) and isinstance(value.sample, ObjectSample)


def shown_fields(state: State, value: Value) -> tuple[str, list[tuple[str, Value]]] | None:
    """Return the name and the fields that ``repr`` shows, None for other objects."""
    if isinstance(value, TupleValue) and is_named_tuple(value.kind):
        names: tuple[str, ...] = value.kind._fields  # type: ignore[attr-defined]
        return value.kind.__name__, list(zip(names, value.items, strict=True))
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if not isinstance(cell, Instance):
        return None
    if cell.kind in (types.SimpleNamespace, argparse.Namespace):
        name = "namespace" if cell.kind is types.SimpleNamespace else "Namespace"
        return name, list(cell.attributes.items())
    if not _is_written(cell.kind, "repr"):
        return None
    shown = [field.name for field in dataclasses.fields(cell.kind) if field.repr]
    if not all(name in cell.attributes for name in shown):
        return None
    return cell.kind.__qualname__, [(name, cell.attributes[name]) for name in shown]


def is_instance(state: State, value: Value) -> bool:
    """Return whether a value is an instance made in the call, whose class has no ``__eq__``."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    return isinstance(cell, ObjectCell)


def is_dataclass_of_items(kind: type) -> bool:
    """Return whether ``dataclass`` wrote ``__eq__`` of a class of lists or dicts."""
    return issubclass(kind, list | dict) and _is_written(kind, "eq")


def _is_written(kind: type, method: str) -> bool:
    """Return whether ``dataclass`` was asked to write a method of a class."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return bool(getattr(parameters, method, False))


def compared_fields(
    state: State, left: Reference, right: Reference
) -> list[tuple[Value, Value]] | None:
    """Return the pairs that must be equal for two objects to be, None where that is no rule."""
    one, other = state.heap[left.identity], state.heap[right.identity]
    if not isinstance(one, Instance) or not isinstance(other, Instance):
        return None
    if one.kind is not other.kind:
        return None
    if one.kind in (types.SimpleNamespace, argparse.Namespace):
        names = list(one.attributes) if one.attributes.keys() == other.attributes.keys() else None
    elif _is_written(one.kind, "eq"):
        names = [field.name for field in dataclasses.fields(one.kind) if field.compare]
    else:
        names = None
    if names is None or not all(n in one.attributes and n in other.attributes for n in names):
        return None
    return [(one.attributes[name], other.attributes[name]) for name in names]
