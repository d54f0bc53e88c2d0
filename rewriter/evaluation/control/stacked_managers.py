"""Context managers that a statement does not hold: those on ``contextlib.ExitStack``."""

import contextlib
import types
from functools import partial

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.control.cleanups import require_ignored
from rewriter.evaluation.control.exits import may_end_exception
from rewriter.evaluation.control.generated_managers import (
    enter_generated,
    generator_of,
    leave_generated,
    managers_inside,
)
from rewriter.evaluation.control.kernel_flags import KernelFlags
from rewriter.evaluation.control.neutral_managers import given_by, is_neutral, mode_set
from rewriter.evaluation.control.numpy_settings import settings_of
from rewriter.evaluation.control.warning_filters import is_scope
from rewriter.evaluation.instances.user_classes import class_of, method_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import managing
from rewriter.state import State
from rewriter.values import IteratorValue, Known, MethodValue, Value, is_none


def may_swallow(state: State, leave: Value) -> bool:
    """Return whether ``__exit__`` may end the body's exception: it returns a value, or raises."""
    match leave:
        case MethodValue(receiver, Known(value=types.FunctionType() as function)):
            return may_end_exception(function, state, receiver)
        case _:
            return True


def methods_of_manager(
    frame: Frame, node: cst.CSTNode, state: State, manager: Value
) -> tuple[MethodValue, MethodValue]:
    """Return ``__enter__`` and ``__exit__`` of an object of the user's."""
    enter = method_of(state, manager, "__enter__")
    leave = method_of(state, manager, "__exit__")
    kind = class_of(state, manager)
    inherited = contextlib.AbstractContextManager.__enter__
    if enter is None and getattr(kind, "__enter__", None) is inherited:
        enter = MethodValue(manager, Known(managing.enter_itself))
    if enter is None or leave is None:
        name = kind.__name__ if kind is not None else "this object"
        frame.refuse("DYCL064", node, f"the context manager {name} is not supported")
    return enter, leave


@special(managing.enter)
def enter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Enter a manager that is left by ``leave``."""
    del keywords
    (manager,) = positional
    if _suppressed(manager) is not None:
        _require_guards(frame, node)
        return iter([(state, Known(None))])
    if (generator := generator_of(state, manager)) is not None:
        return _enter_generated(frame, node, state, generator)
    if is_neutral(state, manager):
        require_neutral(frame, node, state, manager)
        return given_by(frame, node, state, manager)
    enter, leave = methods_of_manager(frame, node, state, manager)
    return _entered(frame, node, state, enter, leave)


def _entered(
    frame: Frame, node: cst.CSTNode, state: State, enter: MethodValue, leave: MethodValue
) -> Outcomes:
    for after, value in call_value(frame, node, state, enter, [], {}):
        if may_swallow(after, leave):
            _require_guards(frame, node)
        yield after, value


def _enter_generated(
    frame: Frame, node: cst.CSTNode, state: State, generator: IteratorValue
) -> Outcomes:
    """Enter a generator's manager, which may set nothing for as long as it waits."""
    guarded = partial(_require_guards, frame, node)
    for after, value in enter_generated(frame, node, state, generator, guarded):
        for manager in managers_inside(frame.run, after, generator):
            if is_neutral(after, manager):
                require_neutral(frame, node, after, manager)
        yield after, value


@special(managing.leave)
def leave_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Leave a manager; give whether it ended the exception."""
    del keywords
    manager, kind, error, trace = positional
    if (kinds := _suppressed(manager)) is not None:
        raised = kind.value if isinstance(kind, Known) else BaseException
        ended = isinstance(raised, type) and issubclass(raised, kinds)
        return iter([(state, Known(ended))])
    if (generator := generator_of(state, manager)) is not None:
        thrown = None if is_none(error) else error
        return leave_generated(frame, node, state, generator, thrown)
    if is_neutral(state, manager):
        return iter([(state, Known(None))])
    _, leave = methods_of_manager(frame, node, state, manager)
    require_ignored(frame, node, state, error, leave)
    return call_value(frame, node, state, leave, [kind, error, trace], {})


@special(managing.require_guards)
def require_guards(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Look whether exceptions may be ended here."""
    del positional, keywords
    _require_guards(frame, node)
    yield state, Known(None)


def _suppressed(manager: Value) -> tuple[type[BaseException], ...] | None:
    """Return what ``contextlib.suppress`` ends, None for other managers."""
    if not isinstance(manager, Known) or not isinstance(manager.value, contextlib.suppress):
        return None
    kinds: tuple[type[BaseException], ...] = vars(manager.value)["_exceptions"]
    return kinds


def _require_guards(frame: Frame, node: cst.CSTNode) -> None:
    """Refuse a manager that may end exceptions where run-time errors are not looked after."""
    run = frame.run
    if not (run.guarded and run.guarded_tensors and run.guarded_depth):
        frame.refuse("DYCL064", node, "a manager that may end exceptions is entered by a call")


def require_neutral(frame: Frame, node: cst.CSTNode, state: State, manager: Value) -> None:
    """Refuse a mode other than the one in force: it would last until the manager is left."""
    content = manager.value if isinstance(manager, Known) else None
    lasts = isinstance(content, KernelFlags)
    if isinstance(content, torch.autocast):
        lasts = content._enabled or bool(frame.run.autocasts)
    if lasts or is_scope(state, manager) or settings_of(state, manager) is not None:
        frame.refuse("DYCL064", node, "what is set would last until a stack is left")
    mode = mode_set(manager)
    if mode is not None and mode != (frame.run.grad_modes or [False])[-1]:
        frame.refuse("DYCL064", node, "the mode of gradients is changed until a stack is left")
