"""Builtins that ask what an object is and has: ``isinstance``, ``getattr``, ``super``."""

import abc
import functools
import types
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy
import torch
from torch import nn

from rewriter.array_samples import class_of_sample
from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.control.exceptions import exception_class
from rewriter.evaluation.instances.attribute_assignment import set_attribute
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.instances.chosen_attributes import chosen_names, raise_missing
from rewriter.evaluation.instances.own_lookups import asked_for_class
from rewriter.evaluation.instances.stood_for import library_class
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import known_object, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.gradients import may_be_parameter
from rewriter.known_paths import is_library
from rewriter.schemas import ObjectSample
from rewriter.state import Raised, State
from rewriter.values import (
    NONE,
    FunctionValue,
    HostValue,
    Known,
    MethodValue,
    ScalarValue,
    SliceValue,
    TensorValue,
    Value,
)

_PERHAPS_PARAMETER = "this tensor may be a parameter or buffer that the call has made"


@special(isinstance)
def isinstance_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``isinstance(x, kinds)``."""
    del keywords
    value, kinds = positional
    known_kinds = known_object(state, kinds)
    kind = type_of(frame, node, state, value)
    if known_kinds is None:
        frame.refuse("DYCL039", node, "the class is known only at run time")
    own = _own_check(known_kinds.value)
    if own is not None:
        for after, result in call_value(frame, node, state, Known(own), [kinds, value], {}):
            for done, truth in truths(frame, node, after, result):
                yield done, Known(truth)
        return
    try:
        found = _is_of(frame, node, value, kind, known_kinds.value)
        if not found or isinstance(known_kinds.value, abc.ABCMeta):
            state = asked_for_class(frame, node, state, value, kind)
    except TypeError as error:  # what is no class
        frame.run.raise_known(state, _no_class(known_kinds.value) or error)
        return
    yield state, Known(found)


def _no_class(kinds: Any) -> TypeError | None:
    try:
        isinstance(object(), kinds)
    except TypeError as error:
        return error
    return None


def _is_of(frame: Frame, node: cst.CSTNode, value: Value, kind: type, kinds: Any) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, kinds)
    if isinstance(value, TensorValue):
        return is_tensor_of(frame, node, value, kinds)
    if _is_data_protocol(kinds):
        frame.refuse("DYCL039", node, "isinstance() of a protocol with attributes")
    return issubclass(kind, kinds)


def is_tensor_of(frame: Frame, node: cst.CSTNode, value: TensorValue, kinds: Any) -> bool:
    """Return whether a tensor is of a class, or one of some; refuse where that is not known."""
    # Old classes such as torch.FloatTensor look at the type of the elements.
    like = torch.empty(0, dtype=value.fake.dtype)
    found = isinstance(like, kinds)
    others = (nn.Parameter(like, requires_grad=False), nn.Buffer(like))
    told = all(isinstance(other, kinds) == found for other in others)
    if not told and may_be_parameter(frame.run, value):
        frame.refuse("DYCL039", node, _PERHAPS_PARAMETER)
    return found


def _own_check(kinds: object) -> types.FunctionType | None:
    """Return the user's ``__instancecheck__`` of a class, None where it is Python's or torch's."""
    found = class_member(type(kinds), "__instancecheck__")
    own = isinstance(found, types.FunctionType) and not is_library(found.__module__)
    return found if own else None


def _is_data_protocol(kinds: object) -> bool:
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(getattr(kind, "_is_protocol", False) for kind in every)


def type_of(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> type:
    """Return the class of a value; refuse where that depends on the path."""
    match value:
        case TensorValue():
            return torch.Tensor
        case ScalarValue():
            if value.type in (None, numpy.integer):
                frame.refuse("DYCL039", node, "the type of this number depends on the path")
            assert value.type is not None
            return value.type
        case HostValue() if not isinstance(value.sample, ObjectSample):
            return class_of_sample(value.sample)
        case FunctionValue() if value.source in frame.run.calls.cached:
            return type(functools.cache(len))
        case FunctionValue():
            return types.FunctionType
        case MethodValue(function=FunctionValue() | Known(value=types.FunctionType())):
            return types.MethodType
        case SliceValue():
            return slice
        case _:
            kind = class_of(state, value)
            if kind is None:
                frame.refuse("DYCL039", node, "the type of this object is not supported")
            return library_class(kind)


@special(type)
def type_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``type(x)``."""
    if len(positional) != 1 or keywords:
        frame.refuse("DYCL039", node, "type() with three arguments makes a class")
    if may_be_parameter(frame.run, positional[0]):
        frame.refuse("DYCL039", node, _PERHAPS_PARAMETER)
    yield state, Known(type_of(frame, node, state, positional[0]))


@special(vars)
def vars_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``vars(x)``."""
    if keywords or len(positional) != 1:
        frame.refuse("DYCL045", node, "vars() of the local variables")
    for after, table in has_attribute(frame, node, state, positional[0], "__dict__"):
        if table is None:
            message = "vars() argument must have __dict__ attribute"
            frame.run.raise_known(after, TypeError(message))
        else:
            yield after, table


@special(callable)
def callable_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``callable(x)``."""
    del keywords
    (value,) = positional
    if isinstance(value, FunctionValue | MethodValue):
        yield state, Known(True)
    else:
        kind = type_of(frame, node, state, value)
        yield state, Known(any("__call__" in vars(base) for base in kind.__mro__))


@special(getattr)
def getattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``getattr(x, name, default)``."""
    del keywords
    owner, wanted, *default = positional
    for after, name in chosen_names(frame, node, state, owner, wanted):
        if name is None:
            if default:
                yield after, default[0]
            else:
                raise_missing(frame, node, after, owner, wanted)
        elif not default:
            yield from get_attribute(frame, node, after, owner, name)
        else:
            for done, found in has_attribute(frame, node, after, owner, name):
                yield done, default[0] if found is None else found


def has_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str
) -> Iterator[tuple[State, Value | None]]:
    """Yield an attribute's value, or None where reading it raises AttributeError."""
    sink: list[Raised] = []
    frame.run.sinks.append(sink)
    frame.run.protecting += 1
    try:
        outcomes = list(get_attribute(frame, node, state, value, name))
    finally:
        frame.run.protecting -= 1
        frame.run.sinks.pop()
    yield from outcomes
    for raised in sink:
        if issubclass(exception_class(raised.state, raised.exception), AttributeError):
            yield raised.state, None
        else:
            frame.run.raise_(raised.state, raised.exception)


@special(hasattr)
def hasattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``hasattr(x, name)``."""
    del keywords
    owner, wanted = positional
    for after, name in chosen_names(frame, node, state, owner, wanted):
        if name is None:
            yield after, Known(False)
        else:
            for done, found in has_attribute(frame, node, after, owner, name):
                yield done, Known(found is not None)


@special(setattr)
def setattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``setattr(x, name, value)``."""
    del keywords

    owner, name_value, value = positional
    name = known_object(state, name_value)
    if name is None or not isinstance(name.value, str):
        frame.refuse("DYCL060", node, "the attribute's name is known only at run time")
    for after in set_attribute(frame, node, state, owner, name.value, value):
        yield after, NONE


@special(torch.is_tensor)
def is_tensor(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.is_tensor(x)``."""
    del frame, node, keywords
    yield state, Known(tensor_of(positional[0]) is not None)


@special(torch.is_grad_enabled)
def is_grad_enabled(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.is_grad_enabled()``: what is compiled runs without gradients."""
    del positional, keywords
    modes = frame.run.grad_modes
    if not modes:
        frame.run.note(frame.origin(node), "gradients count as switched off: this is inference")
    yield state, Known(modes[-1] if modes else False)
