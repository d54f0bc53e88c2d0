"""Methods that Python gives a class itself: ``__repr__``, ``__eq__``, ``__lt__`` of dataclasses."""

import argparse
import dataclasses
import types
from collections.abc import Sequence

from rewriter.class_members import class_member
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.plain_objects import looks_up_itself
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
    if not _is_written(cell.kind, "repr") or looks_up_itself(cell.kind):
        return None
    shown = [field.name for field in dataclasses.fields(cell.kind) if field.repr]
    if not all(name in cell.attributes for name in shown):
        return None
    return cell.kind.__qualname__, [(name, cell.attributes[name]) for name in shown]


def is_instance(state: State, value: Value) -> bool:
    """Return whether a value is an instance made in the call, whose class has no ``__eq__``."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    return isinstance(cell, ObjectCell)


def is_compared_otherwise(kind: type) -> bool:
    """Return whether ``dataclass`` wrote an ``__eq__`` that does not compare just the fields.

    Those of lists and dicts, and fields that the class looks up itself.
    """
    return _is_written(kind, "eq") and (issubclass(kind, list | dict) or looks_up_itself(kind))


def _is_written(kind: type, method: str) -> bool:
    """Return whether ``dataclass`` was asked to write a method of a class."""
    parameters = class_member(kind, "__dataclass_params__")
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
    elif _is_written(one.kind, "eq") and not looks_up_itself(one.kind):
        names = [field.name for field in dataclasses.fields(one.kind) if field.compare]
    else:
        names = None
    if names is None or not all(n in one.attributes and n in other.attributes for n in names):
        return None
    return [(one.attributes[name], other.attributes[name]) for name in names]


def equality_names(kind: type) -> list[str] | None:
    """Return the fields that ``dataclass`` compares for ``==``; None where it wrote none."""
    if not _is_written(kind, "eq") or user_method(kind, "__eq__"):
        return None
    return [field.name for field in dataclasses.fields(kind) if field.compare]


def hash_names(kind: type) -> list[str] | None:
    """Return the fields that ``dataclass`` hashes; None where it wrote no ``__hash__``."""
    is_written = _is_written(kind, "unsafe_hash") or (
        _is_written(kind, "eq") and _is_written(kind, "frozen")
    )
    own = class_member(kind, "__hash__")
    if not is_written or not isinstance(own, types.FunctionType) or user_method(kind, "__hash__"):
        return None
    hashed = dataclasses.fields(kind)
    return [each.name for each in hashed if (each.compare if each.hash is None else each.hash)]


def ordering_names(kind: type) -> list[str] | None:
    """Return the fields by which ``dataclass`` orders a class; None where something else does."""
    if not _is_written(kind, "order") or any(user_method(kind, name) for name in _ORDERING):
        return None
    return [field.name for field in dataclasses.fields(kind) if field.compare]


_ORDERING = ("__lt__", "__le__", "__gt__", "__ge__")


def ordered_fields(state: State, values: Sequence[Value]) -> list[TupleValue] | None:
    """Return the tuples by which ``dataclass(order=True)`` orders objects of one class.

    None for anything else, also where the class has another ``__lt__``.
    """
    cells = [state.heap[v.identity] if isinstance(v, Reference) else None for v in values]
    kinds = {cell.kind if isinstance(cell, Instance) else None for cell in cells}
    kind = kinds.pop() if len(kinds) == 1 else None
    names = None if kind is None or looks_up_itself(kind) else ordering_names(kind)
    if names is None:
        return None
    tuples = []
    for cell in cells:
        assert isinstance(cell, Instance)
        if not all(name in cell.attributes for name in names):
            return None
        tuples.append(TupleValue(tuple(cell.attributes[name] for name in names)))
    return tuples
