"""Calls of each kind of value: leaf, inline, or a rule of its own."""

import functools
import types
import typing
from collections.abc import Callable
from functools import partial

import libcst as cst
import torch

from rewriter.class_members import class_member
from rewriter.compiled_functions import compiled_from
from rewriter.evaluation.calls.autograd_functions import applied_function, apply_function
from rewriter.evaluation.calls.caching import call_of_cache
from rewriter.evaluation.calls.calls import call_rule, call_value
from rewriter.evaluation.calls.checked_functions import call_checked
from rewriter.evaluation.calls.inlining import inline_closure, inline_function
from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_call
from rewriter.evaluation.calls.library import method_of_container
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.misfits import first_by_position
from rewriter.evaluation.calls.module_calls import call_library_method, call_module
from rewriter.evaluation.calls.own_rules import own_rule
from rewriter.evaluation.calls.special_calls import SpecialRule
from rewriter.evaluation.containers.containers import describe, tuple_value
from rewriter.evaluation.generators.foreseen_ends import taking_items
from rewriter.evaluation.inference_modes import refuse_inference
from rewriter.evaluation.instances.buffers import register_buffer
from rewriter.evaluation.instances.data_classes import class_of_written, fields_set
from rewriter.evaluation.instances.instances import instantiate
from rewriter.evaluation.instances.made_modules import call_made_module, initialise
from rewriter.evaluation.instances.methods import call_named_method
from rewriter.evaluation.instances.user_classes import (
    class_of,
    decorates,
    method_of,
    user_method,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.grad_modes_around import grad_modes_around, managers_around, under_modes
from rewriter.known_paths import is_leaf, is_library, is_of_library
from rewriter.source import unwrap
from rewriter.state import State
from rewriter.values import (
    NONE,
    FunctionValue,
    Known,
    MethodValue,
    ObjectCell,
    Reference,
    Value,
)

call_rule(FunctionValue)(inline_closure)


@call_rule(Reference)
def call_instance(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Reference,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call an object made by the program: its class's ``__call__``."""
    cell = state.heap[function.identity]
    method = method_of(state, function, "__call__")
    if method is not None:
        return call_value(frame, node, state, method, positional, keywords)
    kind_of_object = class_of(state, function)
    if kind_of_object is not None and issubclass(kind_of_object, torch.nn.Module):
        return call_made_module(frame, node, state, function, positional, keywords)
    called = None if kind_of_object is None else class_member(kind_of_object, "__call__")
    if isinstance(called, types.FunctionType) and decorates(kind_of_object):
        arguments = [function, *positional]
        return inline_function(frame, node, state, called, arguments, keywords)
    if kind_of_object is not None and called is not None:
        name = kind_of_object.__name__
        frame.refuse("DYCL039", node, f"an object of class {name} is called, as a library says")
    kind = f"'{cell.kind.__name__}' object" if isinstance(cell, ObjectCell) else None
    error = TypeError(f"{kind or describe(state, function)} is not callable")
    frame.run.raise_known(state, error)
    return iter(())


@call_rule(MethodValue)
def call_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    method: MethodValue,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function bound to a receiver."""
    function, receiver = method.function, method.receiver
    if isinstance(function, str):
        return call_named_method(frame, node, state, receiver, function, positional, keywords)
    if isinstance(function, Known) and function.value is torch.nn.Module.register_buffer:
        return register_buffer(frame, node, state, receiver, positional, keywords)
    if (
        isinstance(function, Known)
        and isinstance(receiver, Known)
        and isinstance(receiver.value, torch.nn.Module)
        and is_of_library(function.value)
        and function.value is not torch.nn.Module.__setattr__
    ):
        return call_library_method(frame, node, state, receiver, function, positional, keywords)
    if isinstance(function, Known) and isinstance(receiver, Reference):
        initialised = _library_initialiser(frame, node, state, receiver, function, positional)
        if initialised is not None:
            return initialised
    return call_value(frame, node, state, function, [receiver, *positional], keywords)


def _library_initialiser(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    function: Known,
    positional: list[Value],
) -> Outcomes | None:
    """Return the outcomes of ``object.__init__`` or an exception's, None for other methods."""
    cell = state.heap[receiver.identity]
    if isinstance(cell, ObjectCell) and function.value is torch.nn.Module.__init__:
        return None if positional else initialise(frame, node, state, receiver)
    if (
        not isinstance(cell, ObjectCell)
        or not isinstance(function.value, types.WrapperDescriptorType)
        or function.value.__name__ != "__init__"
    ):
        return None
    if issubclass(cell.kind, BaseException):
        attributes = {**cell.attributes, "args": tuple_value(tuple(positional))}
        frame.run.update(state, receiver, ObjectCell(cell.kind, attributes))
    return iter([(state, Known(None))])


@call_rule(Known)
def call_known(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call an object that exists at compile time."""
    original = compiled_from(function.value)
    function = Known(original) if original is not None else function
    content = function.value
    rule = own_rule(content)
    if rule is not None:
        return _by_rule(frame, node, state, rule, content, positional, keywords)
    match content:
        case torch.nn.Module():
            return call_module(frame, node, state, function, positional, keywords)
        case types.FunctionType() if not is_leaf(unwrapped := unwrap(content)):
            refuse_inference(frame, node, managers_around(content))
            called = partial(_call_function, frame, node, state, unwrapped, positional, keywords)
            return iter(under_modes(frame.run.grad_modes, grad_modes_around(content), called))
        case types.MethodDescriptorType() | types.WrapperDescriptorType() if (
            positional and isinstance(positional[0], Reference)
        ):
            receiver, *rest = positional  # list.append(items, x)
            return call_named_method(frame, node, state, receiver, content.__name__, rest, keywords)
        case functools._lru_cache_wrapper():
            return call_of_cache(frame, node, state, content, positional, keywords)
        case type() if issubclass(content, BaseException) or not is_leaf(content):
            return instantiate(frame, node, state, content, positional, keywords)
    applied = applied_function(content)
    if applied is not None:
        return apply_function(frame, node, state, applied, positional, keywords)
    underlying = _underlying(function, positional, keywords)
    if underlying is not None:
        return call_value(frame, node, state, *underlying)
    taken_away = vars(type(content)).get("__call__", content) is None
    if not callable(content) or taken_away:
        name = "NoneType" if taken_away else type(content).__name__
        frame.run.raise_known(state, TypeError(f"'{name}' object is not callable"))
        return iter(())
    return call_library(frame, node, state, function, positional, keywords)


def _call_function(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: types.FunctionType,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Inline a function; the ``__init__`` that ``dataclass`` wrote has no source."""
    first = positional[0] if positional else NONE
    kind = class_of_written(state, function, first)
    if kind is None or not isinstance(first, Reference):
        checking = call_checked(frame, node, state, function, positional, keywords)
        return checking or inline_function(frame, node, state, function, positional, keywords)
    made = fields_set(frame, node, state, kind, first, positional[1:], keywords, function)
    return ((after, NONE) for after, _ in made)


def _by_rule(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    rule: SpecialRule,
    content: Callable[..., object],
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Apply the rule of a library function to arguments that fit its parameters."""
    error = misfit_of_call(frame.run, state, content, positional, keywords)
    if error is None:
        positional, keywords = first_by_position(content, positional, keywords)
        return taking_items(frame, node, state, rule, content, positional, keywords)
    frame.run.raise_known(state, error)
    return iter(())


_Method = types.FunctionType | types.MethodDescriptorType | types.WrapperDescriptorType


def _underlying(
    function: Known, positional: list[Value], keywords: dict[str, Value]
) -> tuple[Value, list[Value], dict[str, Value]] | None:
    """Return the call that a wrapper makes: of a partial, a method, a cache, a ``__call__``."""
    content = function.value
    origin = typing.get_origin(content) or content
    if isinstance(origin, type) and origin is not content and is_library(origin.__module__):
        # ``typing.List`` is no way to make lists.
        makes = getattr(content, "_inst", True)
        return (Known(origin), positional, keywords) if makes else None
    match content:
        case types.FunctionType() if _is_method_of_module(content, positional):
            return MethodValue(positional[0], function), positional[1:], keywords
        case functools.partial():
            named = {name: Known(value) for name, value in content.keywords.items()}
            arguments = [*map(Known, content.args), *positional]
            return Known(content.func), arguments, {**named, **keywords}
        case types.MethodWrapperType() if content.__name__ == "__get__" and len(positional) == 1:
            return Known(types.MethodType), [Known(content.__self__), *positional], keywords
        case types.MethodType() if not is_leaf(content.__func__):
            receiver = Known(content.__self__, _receiver_path(function))
            return Known(content.__func__), [receiver, *positional], keywords
        case types.FunctionType() | types.MethodDescriptorType() | types.WrapperDescriptorType():
            return _method_by_name(content, positional, keywords)
    method = None if isinstance(content, type) else user_method(type(content), "__call__")
    return None if method is None else (Known(method), [function, *positional], keywords)


def _method_by_name(
    function: _Method, positional: list[Value], keywords: dict[str, Value]
) -> tuple[Value, list[Value], dict[str, Value]] | None:
    """Return the call of a container's own method, where it was found at its class."""
    first = positional[0] if positional else None
    if not isinstance(first, Known) or method_of_container(function, first.value) is None:
        return None
    name = function.__name__
    if class_member(type(first.value), name) is not function:
        return None
    return MethodValue(first, name), positional[1:], keywords


def _is_method_of_module(function: types.FunctionType, positional: list[Value]) -> bool:
    """Whether torch's method is called through its class: ``nn.Linear.forward(self, x)``."""
    first = positional[0] if positional else None
    if not isinstance(first, Known) or not isinstance(first.value, torch.nn.Module):
        return False
    methods = (method for kind in type(first.value).__mro__ for method in vars(kind).values())
    return any(function is method for method in methods)


def _receiver_path(function: Known) -> str | None:
    """Return the path of what a method was looked up at; None for an item, as in ``self.f[0]``."""
    owner, _, name = (function.path or "").rpartition(".")
    return owner if owner and name.isidentifier() else None
