"""What the calls in an ``__exit__`` run, as far as that is known when its manager is entered."""

import builtins
import inspect
import types
from collections.abc import Hashable

import libcst as cst
from torch import nn

from rewriter.class_members import class_member
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.known_paths import is_of_library
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    SetCell,
    Value,
)

Called = tuple[types.FunctionType | object | None, Value | None]
"""A function of the user's to look into, or one that does not raise, and whose method it is.

None for what is not known, or may raise.
"""
_CALM: object = True
_CALM_FUNCTIONS = frozenset(
    {bool, callable, hasattr, id, isinstance, print, repr, str, type, nn.Module.train,
     nn.Module.eval}
)  # fmt: skip
_CALM_MODULES = ("time", "gc", "logging", "torch.cuda", "torch.autograd.grad_mode")
"""Parts of libraries whose functions and methods do not raise."""
_CALM_METHODS = frozenset({"add", "append", "appendleft", "clear", "get", "update"})
"""Methods of lists, dicts and sets that do not raise, whatever is in them."""


def called_by(
    called: cst.BaseExpression, function: types.FunctionType, state: State, owner: Value | None
) -> Called:
    """Return what a call in a function runs; ``owner`` is the object that it is a method of."""
    match called:
        case cst.Name(value=name):
            return _of_object(_variable(function, name)), None
        case cst.Attribute(value=cst.Call(func=cst.Name("super")), attr=cst.Name(value=name)):
            return _inherited(function, state, owner, name), owner
        case cst.Attribute(value=of, attr=cst.Name(value=name)):
            receiver = value_of(of, function, state, owner)
            if receiver is None:
                return None, None
            return _method(state, receiver, name)
        case _:
            return None, None


def _variable(function: types.FunctionType, name: str) -> object | None:
    """Return what a variable from outside of a function holds, None for its own."""
    code = function.__code__
    if name in code.co_varnames or name in code.co_cellvars:
        return None
    outer = inspect.getclosurevars(function).nonlocals
    inner = {**vars(builtins), **function.__globals__}
    return outer.get(name) if name in code.co_freevars else inner.get(name)


def _of_object(content: object | None) -> types.FunctionType | object | None:
    if isinstance(content, types.FunctionType) and not is_of_library(content):
        return content
    module = str(getattr(content, "__module__", None))
    named = any(module == each or module.startswith(f"{each}.") for each in _CALM_MODULES)
    if named and is_of_library(content):
        return content
    return _CALM if isinstance(content, Hashable) and content in _CALM_FUNCTIONS else None


def _inherited(
    function: types.FunctionType, state: State, owner: Value | None, name: str
) -> types.FunctionType | object | None:
    """Return the method that ``super()`` finds."""
    kinds = () if owner is None else getattr(class_of(state, owner), "__mro__", ())
    own = [number for number, kind in enumerate(kinds) if function in vars(kind).values()]
    after = kinds[own[0] + 1 :] if own else ()
    return next((_of_object(vars(kind)[name]) for kind in after if name in vars(kind)), None)


def value_of(
    node: cst.CSTNode, function: types.FunctionType, state: State, owner: Value | None
) -> Value | None:
    """Return what a variable or attribute holds, None where that is not known."""
    match node:
        case cst.Name(value=name) if function.__code__.co_varnames[:1] == (name,):
            return owner
        case cst.Name(value=name):
            content = _variable(function, name)
            return None if content is None else Known(content)
        case cst.Attribute(value=of, attr=cst.Name(value=name)):
            holder = value_of(of, function, state, owner)
            return None if holder is None else _attribute(state, holder, name)
        case _:
            return None


def _attribute(state: State, holder: Value, name: str) -> Value | None:
    found = _own_attribute(state, holder, name)
    kind = class_of(state, holder)
    if kind is None or is_property(kind, name):
        return None
    content = inspect.getattr_static(
        holder.value if isinstance(holder, Known) else kind, name, None
    )
    return Known(content) if found is None and content is not None else found


def _own_attribute(state: State, holder: Value, name: str) -> Value | None:
    """Return what an object itself has under a name."""
    match holder:
        case Known(value=content):
            own = getattr(content, "__dict__", {})
            written = state.attributes.get((id(content), name))
            return written or (Known(own[name]) if name in own else None)
        case Reference(identity=identity):
            cell = state.heap[identity]
            return cell.attributes.get(name) if isinstance(cell, ObjectCell) else None
        case _:
            return None


def is_property(kind: type, name: str) -> bool:
    """Return whether a name of a class is one that calls something when it is read or written."""
    found = class_member(kind, name)
    plain = types.FunctionType | types.MemberDescriptorType
    return hasattr(type(found), "__get__") and not isinstance(found, plain)


def _method(state: State, receiver: Value, name: str) -> Called:
    held = _own_attribute(state, receiver, name)
    kind = class_of(state, receiver)
    own = None if kind is None else user_method(kind, name)
    if own is not None and held is None:
        return own, receiver
    cell = state.heap[receiver.identity] if isinstance(receiver, Reference) else None
    if isinstance(cell, ListCell | DictCell | SetCell):
        return _CALM if name in _CALM_METHODS else None, None
    content = _attribute(state, receiver, name)
    return _of_object(content.value) if isinstance(content, Known) else None, None
