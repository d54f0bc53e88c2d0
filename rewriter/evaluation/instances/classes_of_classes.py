"""What classes and modules are asked for in their own way: by their class, or ``__getattr__``."""

import types

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.class_attributes import MISSING
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_leaf
from rewriter.state import State
from rewriter.values import Known, Value


def asked_of_class(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, name: str
) -> Outcomes | None:
    """Return what a user's property or ``__getattr__`` gives for a class or module, else None."""
    content = value.value
    if isinstance(content, types.ModuleType):
        fallback = vars(content).get("__getattr__")
        if name in vars(content) or not _is_users(fallback):
            return None
        return call_value(frame, node, state, Known(fallback), [Known(name)], {})
    kind = type(content)
    if kind is type:
        return None
    found = class_member(kind, name, MISSING)
    if isinstance(found, property) and _is_users(found.fget):
        return call_value(frame, node, state, Known(found.fget), [value], {})
    if found is not MISSING or class_member(content, name, MISSING) is not MISSING:
        return None
    own = user_method(kind, "__getattr__")
    return own and call_value(frame, node, state, Known(own), [value, Known(name)], {})


def own_class_item(value: Value) -> types.FunctionType | None:
    """Return the user's ``__class_getitem__`` of a class, None for other values."""
    if not isinstance(value, Known) or not isinstance(value.value, type):
        return None
    declared = class_member(value.value, "__class_getitem__")
    function = declared.__func__ if isinstance(declared, classmethod) else declared
    return function if isinstance(function, types.FunctionType) and _is_users(function) else None


def _is_users(function: object) -> bool:
    return isinstance(function, types.FunctionType) and not is_leaf(function)
