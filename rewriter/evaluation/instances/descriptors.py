"""Descriptors of the user's: objects in a class whose ``__get__`` and ``__set__`` Python calls."""

import types
from typing import Literal

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import Known, Value

_Slot = Literal["__get__", "__set__"]


def slot_of(found: object, slot: _Slot) -> types.FunctionType | None:
    """Return the user's function that reads or writes an attribute, None where there is none."""
    function = class_member(type(found), slot)
    own = isinstance(function, types.FunctionType) and not is_library(function.__module__)
    return function if own else None


def is_data(found: object) -> bool:
    """Return whether a descriptor goes before what the instance itself has under the name."""
    return hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")


def read(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, kind: type, found: object
) -> Outcomes | None:
    """Return the outcomes of ``__get__``, None for what is no descriptor of the user's."""
    getter = slot_of(found, "__get__")
    if getter is None:
        return None
    arguments = [Known(found), value, Known(kind)]
    return call_value(frame, node, state, Known(getter), arguments, {})


def write(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, found: object, value: Value
) -> list[State] | None:
    """Return the states after ``__set__``, None for what is no descriptor of the user's."""
    setter = slot_of(found, "__set__")
    if setter is None:
        return None
    outcomes = call_value(frame, node, state, Known(setter), [Known(found), owner, value], {})
    return [after for after, _ in outcomes]
