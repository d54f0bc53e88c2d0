"""Which function a target and a method name mean, and what the program is called."""

import functools
import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as modules_of_torch

from rewriter.compiled_functions import as_written
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.grad_modes_around import managers_around
from rewriter.known_paths import is_library
from rewriter.source import unwrap
from rewriter.type_checkers import unchecked


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """What a call of the program runs."""

    function: types.FunctionType
    name: str
    """What the rewritten function is called."""
    receiver: object = None
    """The object that the function is a method of, None for functions."""
    has_hooks: bool = False
    """Whether the function is ``forward`` of a module whose hooks run before or after it."""
    managers: tuple[object, ...] = ()
    """The context managers that decorate it, outermost first."""
    checked: Callable[..., object] | None = None
    """The function in which a checker of types has wrapped it, None for most."""
    given: "functools.partial[object] | None" = None
    """The ``functools.partial`` that has some of the arguments, None for most."""


def entry_point(target: object, method: str) -> EntryPoint:
    """Return what a call of a target runs: of a module its hooks, or a ``__call__`` of its own.

    Raises CompileError where the target has no such entry point.
    """
    _refuse_hooks_of_all_modules()
    _refuse_scripted(target)
    target = as_written(target)
    if isinstance(target, functools.partial) and method == "forward":
        if type(target).__call__ is functools.partial.__call__:
            return _partial_entry(target)
        message = "a partial of a class that says itself how it is called"
        raise CompileError([Diagnostic(code="DYCL070", message=message, origin=None)])
    if isinstance(target, types.FunctionType):
        return _entry_point(target)
    called = target if isinstance(target, nn.Module) and method == "forward" else None
    if called is not None and (own := user_method(type(called), "__call__")) is not None:
        return EntryPoint(
            function=unwrap(own),
            name=method,
            receiver=called,
            managers=tuple(managers_around(own)),
        )
    bound: Any = target if isinstance(target, types.MethodType) else getattr(target, method, None)
    if bound is None and (own := own_call(target, method)) is not None:
        return _entry_point(own, target)
    if isinstance(bound, types.MethodType) and isinstance(bound.__func__, types.FunctionType):
        hooked = called is not None and (called._forward_hooks or called._forward_pre_hooks)
        return _entry_point(bound.__func__, bound.__self__, has_hooks=bool(hooked))
    if isinstance(bound, types.FunctionType):
        return _entry_point(bound)
    if bound is None:
        inherited = dir(nn.Module) if isinstance(target, nn.Module) else dir(object)
        names = [name for name in dir(target) if name not in inherited and _is_method(target, name)]
        names = ["forward", *names] if isinstance(target, nn.Module) else names
        message = f"{type(target).__name__} has no method {method!r}"
        near = ", ".join(names[:8])
        raise CompileError(
            [Diagnostic(code="DYCL070", message=message, origin=None, help=f"it has: {near}")]
        )
    message = f"{method!r} of {type(target).__name__} is no Python function"
    raise CompileError([Diagnostic(code="DYCL070", message=message, origin=None)])


def _partial_entry(target: "functools.partial[object]") -> EntryPoint:
    """Return the entry point of a function, method or module that has some of its arguments.

    A function's first argument that is a module is the object that it is a method of.
    """
    called: object = target.func
    if isinstance(called, types.FunctionType) and isinstance(
        next(iter(target.args), None), nn.Module
    ):
        called = types.MethodType(called, target.args[0])
        target = functools.partial(called, *target.args[1:], **target.keywords)
    point = entry_point(called, "forward")
    if point.has_hooks or point.checked is not None:
        around = "hooks" if point.has_hooks else "a checker of types"
        message = f"a partial of what has {around} around it: they would see its arguments"
        raise CompileError([Diagnostic(code="DYCL070", message=message, origin=None)])
    return replace(point, given=target)


def own_call(target: object, method: str) -> types.FunctionType | None:
    """Return the ``__call__`` that an object without ``forward`` is called by, None for others.

    Modules have an entry point of their own; a class is called to make an object.
    """
    if method != "forward" or isinstance(target, nn.Module | type) or hasattr(target, method):
        return None
    return user_method(type(target), "__call__")


def called_by(target: object) -> object:
    """Return the function, method or object that a call of the target is one of."""
    target = as_written(target)
    return called_by(target.func) if isinstance(target, functools.partial) else target


def _refuse_scripted(target: object) -> None:
    """Refuse what TorchScript has compiled or traced: its tables are not those of a module."""
    if isinstance(target, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        message = "a TorchScript module or function has no Python source to rewrite"
        raise CompileError([Diagnostic(code="DYCL048", message=message, origin=None)])


def _is_method(target: object, name: str) -> bool:
    """Return whether a name is one of a method; properties are not run for that."""
    found = inspect.getattr_static(target, name, None)
    return callable(found) or isinstance(found, staticmethod | classmethod)


def _entry_point(
    function: types.FunctionType, receiver: object = None, *, has_hooks: bool = False
) -> EntryPoint:
    around = unwrap(function)
    own = unwrap(unchecked(around))
    checked = None if own is around else around
    return EntryPoint(
        function=own,
        name=own.__name__,
        receiver=receiver,
        has_hooks=has_hooks,
        managers=() if has_hooks else tuple(managers_around(function)),
        checked=checked,
    )


def _refuse_hooks_of_all_modules() -> None:
    tables = (modules_of_torch._global_forward_hooks, modules_of_torch._global_forward_pre_hooks)
    if _are_users(tables):
        message = (
            "all modules have forward hooks (register_module_forward_hook); they would not run"
        )
        raise CompileError([Diagnostic(code="DYCL049", message=message, origin=None)])


def _are_users(tables: Iterable[Mapping[int, object]]) -> bool:
    hooks = [hook for table in tables for hook in table.values()]
    return any(not is_library(getattr(hook, "__module__", None)) for hook in hooks)


def program_name(target: object, function: types.FunctionType) -> str:
    """Return the rewritten program's name, after the model's class or the function."""
    target = called_by(target)
    owner = target.__self__ if isinstance(target, types.MethodType) else target
    name = function.__name__ if owner is function else type(owner).__name__
    if isinstance(owner, types.FunctionType):
        name = owner.__name__
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return word if word.isidentifier() else "model"
