"""Attributes that a class gives its instances: methods, properties, ``__getattr__``."""

import functools
import types
from collections.abc import Mapping

import libcst as cst
import torch

from rewriter.class_members import class_member
from rewriter.evaluation.calls.caching import call_cached
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances import descriptors
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_library
from rewriter.prelude import methods
from rewriter.state import State
from rewriter.values import HostValue, Known, MethodValue, Reference, Value

MISSING = object()
"""What looking up an attribute gives where a class has none of that name."""


def computed_attribute(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Value,
    kind: type,
    name: str,
    *,
    falls_back: bool = True,
) -> Outcomes | None:
    """Return the outcomes of a user's property, descriptor, method or ``__getattr__``, or None.

    ``falls_back`` is whether ``__getattr__`` is asked here.
    """
    found = _declared(value, kind, name)
    match found:
        case property() if found.fget is not None and not is_library(found.fget.__module__):
            return call_value(frame, node, state, Known(found.fget), [value], {})
        case functools.cached_property() if isinstance(value, Known) and name not in vars(
            value.value
        ):
            return call_cached(frame, node, state, Known(found.func), [value], {})
        case functools.partialmethod() if isinstance(found.func, types.FunctionType):
            substitute = Known(methods.partial_method)
            return call_value(frame, node, state, substitute, [Known(found), value], {})
        case functools.singledispatchmethod() if _is_of_functions(found):
            substitute = Known(methods.single_dispatch_method)
            return call_value(frame, node, state, substitute, [Known(found), value], {})
        case types.FunctionType() if not _in_instance(value, name):
            return iter([(state, MethodValue(value, Known(found)))])
    if descriptors.is_data(found) or not _in_instance(value, name):
        described = descriptors.read(frame, node, state, value, kind, found)
        if described is not None:
            return described
    if falls_back and found is MISSING and not _in_instance(value, name):
        fallback = user_method(kind, "__getattr__")
        library_finds = isinstance(value, Known) and _library_has(value.value, name)
        if fallback is not None and not library_finds:
            return call_value(frame, node, state, Known(fallback), [value, Known(name)], {})
    return None


def _is_of_functions(method: "functools.singledispatchmethod[object]") -> bool:
    """Return whether all that may be chosen are plain methods, no class methods."""
    choices = method.dispatcher.registry.values()
    return all(isinstance(choice, types.FunctionType) for choice in choices)


def _in_instance(value: Value, name: str) -> bool:
    return isinstance(value, Known) and name in _table(value.value)


def _declared(value: Value, kind: type, name: str) -> object:
    found = class_member(kind, name, MISSING)
    is_empty = isinstance(value, Known) and is_empty_slot(value.value, found)
    return MISSING if is_empty else found


def is_empty_slot(content: object, found: object) -> bool:
    """Return whether a class only has a place for an attribute that an object has not so far."""
    if not isinstance(found, types.MemberDescriptorType):
        return False
    try:
        found.__get__(content, type(content))
    except AttributeError:
        return True
    return False


def _table(content: object) -> Mapping[str, object]:
    """Return ``__dict__``, without asking a ``__getattribute__`` of the class."""
    try:
        table: Mapping[str, object] = object.__getattribute__(content, "__dict__")
    except AttributeError:
        return {}
    return table


def _library_has(content: object, name: str) -> bool:
    if isinstance(content, torch.nn.Module):
        return any(
            name in table for table in (content._parameters, content._buffers, content._modules)
        )
    return False


def bound_attribute(value: Reference | HostValue, kind: type, found: object) -> Value | None:
    """Return a class's attribute as its instance sees it, None where it is computed."""
    match found:
        case types.FunctionType():
            return MethodValue(value, Known(found))
        case staticmethod():
            return Known(found.__func__)
        case classmethod():
            return MethodValue(Known(kind), Known(found.__func__))
        case _ if found is not MISSING and not hasattr(type(found), "__get__"):
            return Known(found)  # a class or a builtin function is not bound
        case _:
            return None
