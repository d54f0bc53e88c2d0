"""Assignment to attributes: of instances made in the call, and of the model's objects."""

import dataclasses
import inspect
import types

import libcst as cst
import torch

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.run import Frame
from rewriter.evaluation.user_classes import class_of, user_method
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import (
    Known,
    ObjectCell,
    Poison,
    Reference,
    Value,
)


def set_attribute(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, name: str, value: Value
) -> list[State]:
    """Execute ``owner.name = value``; return the states that go on."""
    kind = class_of(state, owner)
    found = inspect.getattr_static(kind, name, None) if kind is not None else None
    if isinstance(found, property) and found.fset is not None:
        outcomes = call_value(frame, node, state, Known(found.fset), [owner, value], {})
        return [after for after, _ in outcomes]
    if kind is not None and user_method(kind, "__setattr__"):
        frame.refuse("DYCL043", node, "classes with their own __setattr__ are not supported")
    error = None if kind is None else _refused_by_class(kind, name)
    if error is not None:
        frame.run.raise_known(state, error)
        return []
    match owner:
        case Reference() if isinstance(cell := state.heap[owner.identity], ObjectCell):
            attributes = {**cell.attributes, name: value}
            frame.run.update(state, owner, ObjectCell(cell.kind, attributes))
            return [state]
        case Known():
            _write_known(frame, node, state, owner, name, value)
            return [state]
        case Poison():
            raise UsedPoison
        case _:
            frame.refuse("DYCL043", node, f"attribute {name!r} of this object cannot be written")


def _refused_by_class(kind: type, name: str) -> AttributeError | None:
    """Return the error with which a class itself refuses a write: frozen, or with slots."""
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    if is_library(kind.__module__) or kind.__dictoffset__ or hasattr(kind, name):
        return None
    return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")


def _write_known(
    frame: Frame, node: cst.CSTNode, state: State, owner: Known, name: str, value: Value
) -> None:
    content = owner.value
    if isinstance(content, torch.Tensor | type | types.ModuleType):
        frame.refuse("DYCL043", node, f"{name!r} of a {type(content).__name__} is written")
    if isinstance(content, torch.nn.Module):
        registered = any(
            name in table for table in (content._parameters, content._buffers, content._modules)
        )
        if registered or is_library(type(content).__module__):
            frame.refuse(
                "DYCL034", node, f"parameter, buffer or submodule {name!r} is written in the call"
            )
    key = (id(content), name)
    frame.run.effects += 1
    frame.run.written[key] = (content, frame.origin(node))
    state.attributes[key] = value
