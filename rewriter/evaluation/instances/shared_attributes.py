"""Attributes of classes, variables of files and closures that a call writes: kept as the model's.

Everybody who looks at the class, or reads the variable, sees what the call has written: also
instances that have no such attribute themselves.
"""

import abc
import types

import libcst as cst
import torch

from rewriter.closure import CONTENT
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame
from rewriter.keeping.plan import StartAnew
from rewriter.known_paths import is_library
from rewriter.plain_objects import own_attributes
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    Instance,
    Known,
    MethodValue,
    Reference,
    SuperValue,
    Value,
)


def write_shared(
    frame: Frame, node: cst.CSTNode, state: State, owner: object, name: str, value: Value
) -> None:
    """Execute ``Class.name = value`` and ``module.name = value``."""
    place = vars(owner) if isinstance(owner, types.ModuleType) else owner
    home = str(getattr(owner, "__name__" if place is not owner else "__module__", ""))
    current = vars(owner).get(name)
    if is_library(home) or not _is_plain_class(owner) or _is_computed(current):
        frame.refuse("DYCL043", node, f"{name!r} of a {type(owner).__name__} is written")
    _write(frame, node, state, place, name, value)


def write_global(frame: Frame, node: cst.CSTNode, state: State, name: str, value: Value) -> None:
    """Execute ``name = value`` where ``global name`` is declared."""
    if is_library(str(frame.globals.get("__name__"))):
        frame.refuse("DYCL055", node, f"global variable {name!r} is written")
    _write(frame, node, state, frame.globals, name, value)


def write_cell(
    frame: Frame, node: cst.CSTNode, state: State, cell: types.CellType, name: str, value: Value
) -> None:
    """Execute ``name = value`` for a variable of a function that returned before the call."""
    if _is_computed(cell.cell_contents):
        frame.refuse("DYCL055", node, f"nonlocal variable {name!r}, a function so far, is written")
    _write(frame, node, state, cell, name, value)


def _write(
    frame: Frame, node: cst.CSTNode, state: State, place: object, name: str, value: Value
) -> None:
    run = frame.run
    key = (id(place), CONTENT if isinstance(place, types.CellType) else name)
    known = value.value if isinstance(value, Known) else None
    if isinstance(value, FunctionValue | MethodValue) or _is_computed(known):
        frame.refuse("DYCL043", node, f"a function is stored in {name!r}, which outlives the call")
    run.effects += 1
    run.written[key] = (place, frame.origin(node))
    if key not in run.plan.roots:
        if isinstance(place, types.CellType):
            run.plan.carry_cell(place, name)
        else:
            run.plan.carry_shared(place, name)
        raise StartAnew
    state.attributes[key] = value


def _is_plain_class(owner: object) -> bool:
    """Return whether a class, or a file, holds nothing but what is written to it."""
    if isinstance(owner, type):
        return type(owner) in (type, abc.ABCMeta) and "<locals>" not in owner.__qualname__
    return True


def _is_computed(content: object) -> bool:
    if isinstance(content, torch.Tensor):
        return False
    return callable(content) or hasattr(type(content), "__get__")


def shared_variable(frame: Frame, state: State, name: str) -> Value | None:
    """Return what calls have left in a variable of a frame's file, None for all others."""
    if name not in frame.run.plan.shared_names:
        return None
    return _held(frame, state, frame.globals, name)


def free_variable(frame: Frame, state: State, name: str) -> Value | None:
    """Return what calls have left in a variable around a frame's function, None for others."""
    if CONTENT not in frame.run.plan.shared_names:
        return None
    return _held(frame, state, frame.closure.cells[name], CONTENT)


def shared_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str
) -> Value | None:
    """Return what calls have left in an attribute of a class or file, None for all others."""
    names = frame.run.plan.shared_names
    if not names or name not in (*names, "__dict__"):
        return None
    content = value.value if isinstance(value, Known) else None
    if name == "__dict__":
        if isinstance(content, type | types.ModuleType):
            frame.refuse("DYCL043", node, "a table of attributes that calls write is read")
        return None
    if isinstance(content, types.ModuleType):
        return _held(frame, state, vars(content), name)
    kind = content if isinstance(content, type) else _class_behind(frame, node, state, value, name)
    return None if kind is None else _of_class(frame, state, kind, name)


def _class_behind(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str
) -> type | None:
    """Return the class that an instance has an attribute of, None where it has its own."""
    if isinstance(value, Known):
        return None if _is_own(state, value.value, name) else type(value.value)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if isinstance(cell, Instance):
        return None if name in cell.attributes else cell.kind
    kind = class_of(state, value) or object
    if isinstance(value, SuperValue) or _of_class(frame, state, kind, name) is not None:
        frame.refuse("DYCL039", node, f"{name!r} of a class, which calls write, of this object")
    return None


def _is_own(state: State, content: object, name: str) -> bool:
    return (id(content), name) in state.attributes or name in dict(own_attributes(content))


def require_own(frame: Frame, node: cst.CSTNode, content: object, name: str) -> None:
    """Refuse to give an object what it had of its class so far, where calls write that."""
    if name in frame.run.plan.shared_names and name not in dict(own_attributes(content)):
        frame.refuse("DYCL043", node, f"{name!r} is written, of the class and of an instance")


def _of_class(frame: Frame, state: State, kind: type, name: str) -> Value | None:
    for base in kind.__mro__:
        held = _held(frame, state, base, name)
        if held is not None:
            return held
        if name in vars(base):
            return None
    return None


def _held(frame: Frame, state: State, place: object, name: str) -> Value | None:
    held = state.attributes.get((id(place), name))
    if held is not None:
        frame.run.effects += 1
        frame.run.attributes_read.append((place, name))
    return held
