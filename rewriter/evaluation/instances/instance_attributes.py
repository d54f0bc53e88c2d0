"""Attributes of objects on the heap: instances made here, the user's lists and dicts, records."""

import ast
import functools
import types
from collections import defaultdict, deque

import libcst as cst
from torch import nn

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.module_conversions import CONVERTING
from rewriter.evaluation.containers.container_classes import SAYING_COPIES, is_of_dict
from rewriter.evaluation.instances import descriptors
from rewriter.evaluation.instances.class_attributes import (
    MISSING,
    bound_attribute,
    computed_attribute,
)
from rewriter.evaluation.instances.data_descriptors import is_of_interpreter
from rewriter.evaluation.instances.own_lookups import looked_up, own_lookup
from rewriter.evaluation.instances.registering import SET_UP
from rewriter.evaluation.instances.stood_for import hides, lacks, library_class
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.rendering import name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import taken
from rewriter.evaluation.run_time.run_time_records import field_of
from rewriter.host_types import NumberType, OptionalType, RecordType
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    Instance,
    IteratorCell,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    RunTimeCell,
    SetCell,
    with_attribute,
)


def cell_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, name: str
) -> Outcomes:
    """Evaluate an attribute of an object on the heap."""
    match state.heap[value.identity]:
        case RunTimeCell() as cell if isinstance(cell.type, RecordType) and cell.kind is not dict:
            yield from _record_attribute(frame, node, state, value, cell, cell.type, name)
        case ListCell() | DictCell() as cell if not is_library(cell.kind.__module__):
            yield from _own_container_attribute(frame, node, state, value, cell, name)
        case ListCell() | DictCell() | SetCell() | RunTimeCell() as cell:
            yield from _container_attribute(frame, node, state, value, cell, name)
        case ObjectCell() as cell if (own := own_lookup(cell.kind)) is not None:
            yield from looked_up(frame, node, state, own, value, cell.kind, name)
        case ObjectCell() as cell:
            yield from plain_attribute(frame, node, state, value, cell, name)
        case IteratorCell():
            frame.refuse("DYCL039", node, f"attribute {name!r} of an iterator is not supported")


def _container_attribute(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Reference,
    cell: ListCell | DictCell | SetCell | RunTimeCell,
    name: str,
) -> Outcomes:
    """Evaluate an attribute of a container of Python's own classes."""
    found = getattr(cell.kind, name, MISSING)
    match cell:
        case ListCell() if cell.kind is deque and name == "maxlen":
            yield state, Known(cell.bound)
        case RunTimeCell() if cell.kind is deque and name == "maxlen":
            bound = ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())
            optional = OptionalType(NumberType(int))
            yield from taken(frame, node, state, bound, optional, may_raise=False)
        case DictCell() if cell.kind is defaultdict and name == "default_factory":
            yield state, cell.default_factory or NONE
        case _ if callable(found):
            yield state, MethodValue(value, name)
        case _ if found is not MISSING:
            frame.refuse("DYCL039", node, f"attribute {name!r} of a {cell.kind.__name__}")
        case _:
            error = AttributeError(f"'{cell.kind.__name__}' object has no attribute '{name}'")
            frame.run.raise_known(state, error)


def _own_container_attribute(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Reference,
    cell: ListCell | DictCell,
    name: str,
) -> Outcomes:
    """Evaluate an attribute of an instance of the user's class of lists or dicts."""
    kind = cell.kind
    found = class_member(kind, name, MISSING)
    if (computed := _before_own(frame, node, state, value, kind, found)) is not None:
        yield from computed
    elif name in cell.attributes:
        yield state, cell.attributes[name]
    elif isinstance(found, functools.cached_property):
        yield from _cached(frame, node, state, value, found, name)
    elif name == "__dict__":
        yield state, _attributes(frame, state, value, cell)
    else:
        yield from _of_container_class(frame, node, state, value, kind, name, found)


def _of_container_class(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, kind: type, name: str,
    found: object,
) -> Outcomes:  # fmt: skip
    """Evaluate what a class of lists or dicts gives under a name that an instance has not."""
    builtin = isinstance(found, types.MethodDescriptorType | types.WrapperDescriptorType)
    if name == "__class__":
        yield state, Known(kind)
    elif builtin and getattr(found, "__name__", name) == name:
        yield state, MethodValue(value, name)
    elif (bound := None if builtin else bound_attribute(value, kind, found)) is not None and (
        not hasattr(type(found), "__get__") or isinstance(bound, MethodValue) or callable(found)
    ):
        yield state, bound
    elif (computed := computed_attribute(frame, node, state, value, kind, name)) is not None:
        yield from computed
    elif found is MISSING and is_of_dict(inherited := class_member(kind, "__getattr__")):
        yield from call_value(frame, node, state, Known(inherited), [value, Known(name)], {})
    elif found is MISSING and not hasattr(kind, "__getattr__"):
        error = AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        frame.run.raise_known(state, error)
    else:
        frame.refuse("DYCL039", node, f"attribute {name!r} of an instance of {kind.__name__}")


def plain_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, cell: ObjectCell, name: str,
    *, falls_back: bool = True,
) -> Outcomes:  # fmt: skip
    """Evaluate an attribute of an instance without asking a ``__getattribute__`` of its class.

    ``falls_back`` is whether ``__getattr__`` is asked.
    """
    _refuse_set_up(frame, node, cell.kind, name)
    if lacks(cell.kind, name):
        frame.refuse("DYCL039", node, f"{name!r} of a {cell.kind.__name__} is not supported")
    found = class_member(cell.kind, name, MISSING)
    if (computed := _before_own(frame, node, state, value, cell.kind, found)) is not None:
        yield from computed
    elif name in cell.attributes and (frame.source.is_prelude or not hides(cell.kind, name)):
        _require_usable(frame, node, frame.run.argument_objects.ask(value.identity, name))
        yield state, cell.attributes[name]
    elif isinstance(found, functools.cached_property):
        yield from _cached(frame, node, state, value, found, name)
    elif name == "__class__":
        yield state, Known(library_class(cell.kind))
    elif is_of_interpreter(found) and not issubclass(cell.kind, types.SimpleNamespace):
        frame.refuse("DYCL039", node, f"{name} of an exception is not kept")
    elif name == "__dict__":
        _require_usable(frame, node, frame.run.argument_objects.ask_for_all(value.identity))
        yield state, _attributes(frame, state, value, cell)
    else:
        yield from _of_class(frame, node, state, value, cell.kind, name, found, falls_back)


def _attributes(frame: Frame, state: State, value: Reference, cell: Instance) -> Reference:
    """Return what ``instance.__dict__`` gives."""
    tables = frame.run.containers.attributes
    there = tables.table_of(state, value.identity)
    if there is not None:
        return Reference(there)
    made = frame.run.allocate(state, DictCell(dict(cell.attributes)))
    if value.identity in frame.run.argument_objects.places:
        frame.run.lasting_cells.add(made.identity)  # the caller's object would not see a write
    tables.pair(value.identity, made.identity)
    return made


def _before_own(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, kind: type, found: object
) -> Outcomes | None:
    """Return what a class gives before an instance's own attributes are looked at, or None."""
    if isinstance(found, property) and found.fget is not None:
        return call_value(frame, node, state, Known(found.fget), [value], {})
    if descriptors.is_data(found):
        return descriptors.read(frame, node, state, value, kind, found)
    return None


def _of_class(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, kind: type, name: str,
    found: object, falls_back: bool = True,
) -> Outcomes:  # fmt: skip
    """Evaluate what a class gives under a name that an instance does not have itself."""
    if (bound := bound_attribute(value, kind, found)) is not None:
        yield state, bound
        return
    if found is vars(object).get(name) and name in SAYING_COPIES:
        yield state, MethodValue(value, name)
        return
    frame.run.argument_objects.miss(value.identity, name)
    computed = computed_attribute(frame, node, state, value, kind, name, falls_back=falls_back)
    if computed is not None:
        yield from computed
    elif found is not MISSING:
        word = type(found).__name__
        frame.refuse("DYCL039", node, f"{name!r} of a {kind.__name__} is a {word}")
    else:
        error = AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        frame.run.raise_known(state, error)


_CHANGING = ("eval", "train", "to", "cpu", *CONVERTING)


def _refuse_set_up(frame: Frame, node: cst.CSTNode, kind: type, name: str) -> None:
    """Refuse what ``nn.Module.__init__`` sets up, which modules made in the call do not have."""
    if not issubclass(kind, nn.Module) or name in ("__init__", "__class__"):
        return
    is_users = library_class(kind) is kind
    if is_users and getattr(kind, name, None) is nn.Module.register_buffer:
        return  # see buffers.py
    if name in _CHANGING and class_member(kind, name) is getattr(nn.Module, name):
        return  # see made_conversions.py
    library = nn.Module if is_users else library_class(kind)
    method = getattr(library, name, None)
    if name in SET_UP or (method is not None and getattr(kind, name) is method):
        frame.refuse("DYCL050", node, f"{name} of a module that is made in the call is used")


def _record_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, cell: RunTimeCell,
    given: RecordType, name: str,
) -> Outcomes:  # fmt: skip
    """Evaluate an attribute of an object in a run-time container."""
    found = class_member(cell.kind, name, MISSING)
    kinds = dict(given.fields)
    if isinstance(found, property) and found.fget is not None:
        yield from call_value(frame, node, state, Known(found.fget), [value], {})
    elif name in kinds:
        yield from field_of(frame, node, state, cell, name, kinds[name])
    elif name == "__class__":
        yield state, Known(cell.kind)
    elif found is MISSING or bound_attribute(value, cell.kind, found) is not None:
        yield from _of_class(frame, node, state, value, cell.kind, name, found)
    else:
        frame.refuse("DYCL073", node, f"attribute {name!r} of an object in a run-time container")


def _require_usable(frame: Frame, node: cst.CSTNode, reason: str | None) -> None:
    if reason is not None:
        frame.refuse("DYCL072", node, reason, "pass its tensors and numbers")


def _cached(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Reference,
    found: "functools.cached_property[object]",
    name: str,
) -> Outcomes:
    if (kind := class_of(state, value)) is not None and own_lookup(kind) is not None:
        frame.refuse("DYCL039", node, f"cached_property {name!r} asks for __dict__ by itself")
    for after, result in call_value(frame, node, state, Known(found.func), [value], {}):
        cell = after.heap[value.identity]
        assert isinstance(cell, Instance)
        frame.run.update(after, value, with_attribute(cell, name, result))
        yield after, result
