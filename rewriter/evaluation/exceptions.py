"""Exceptions: ``raise``, ``assert``, ``try``; and ``with``."""

import ast
import contextlib
import types
from collections.abc import Iterator

import libcst as cst
import torch
from libcst import matchers

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.calls import call_value
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.rendering import known_object, render
from rewriter.evaluation.run import Frame
from rewriter.evaluation.statements import execute_suite
from rewriter.evaluation.truth import truths
from rewriter.evaluation.user_classes import class_of, method_of
from rewriter.known_paths import is_library
from rewriter.scope import names_read
from rewriter.source import function_source
from rewriter.state import Completion, Next, Raised, Returned, State
from rewriter.values import Known, MethodValue, ObjectCell, Reference, Value


def exception_class(state: State, exception: Value) -> type[BaseException]:
    """Return the class of an exception on its way."""
    if isinstance(exception, Reference):
        cell = state.heap[exception.identity]
        if isinstance(cell, ObjectCell) and issubclass(cell.kind, BaseException):
            return cell.kind
    if isinstance(exception, Known) and isinstance(exception.value, BaseException):
        return type(exception.value)
    return TypeError


@statement_rule(cst.Raise)
def raise_(frame: Frame, node: cst.Raise, state: State) -> list[Completion]:
    """``raise exception``."""
    if node.exc is None:
        if not state.handled:
            return [Raised(state, Known(RuntimeError("No active exception to reraise")))]
        return [Raised(state, state.handled[-1])]
    completions: list[Completion] = []
    for after, exception in evaluate(frame, node.exc, state):
        is_class = isinstance(exception, Known) and isinstance(exception.value, type)
        made = (
            call_value(frame, node, after, exception, [], {})
            if is_class
            else iter([(after, exception)])
        )
        completions += [Raised(done, instance) for done, instance in made]
    return completions


@statement_rule(cst.Assert)
def assert_(frame: Frame, node: cst.Assert, state: State) -> list[Completion]:
    """``assert test, message``."""
    completions: list[Completion] = []
    for after, value in evaluate(frame, node.test, state):
        for arm, truth in truths(frame, node.test, after, value):
            if truth:
                completions.append(Next(arm))
                continue
            messages = [(arm, [])] if node.msg is None else [
                (done, [message]) for done, message in evaluate(frame, node.msg, arm)
            ]  # fmt: skip
            for done, arguments in messages:
                made = call_value(frame, node, done, Known(AssertionError), list(arguments), {})
                completions += [Raised(end, error) for end, error in made]
    return completions


@statement_rule(cst.Try)
def try_(frame: Frame, node: cst.Try, state: State) -> list[Completion]:
    """``try: ... except ...: ... else: ... finally: ...``."""
    later = frame.continuations[-1] if frame.continuations else frozenset()
    frame.continuations.append(later | names_read(node))
    try:
        completions = _protected(frame, node, state)
    finally:
        frame.continuations.pop()
    if node.finalbody is None:
        return completions
    finished: list[Completion] = []
    for completion in completions:
        for ended in execute_suite(frame, node.finalbody.body, completion.state):
            match ended:
                case Next():
                    finished.append(_moved(completion, ended.state))
                case _:
                    finished.append(ended)
    return finished


def _moved(completion: Completion, state: State) -> Completion:
    """Return the same completion from another state."""
    match completion:
        case Raised():
            return Raised(state, completion.exception, completion.node)
        case Returned():
            return Returned(state, completion.value, completion.node)
        case _:
            return type(completion)(state)


def _protected(frame: Frame, node: cst.Try, state: State) -> list[Completion]:
    finished: list[Completion] = []
    caught = [_caught(frame, state, handler) for handler in node.handlers]
    caught += [(BaseException,)] if _leaves(node.finalbody) else []
    with _guarding(frame, caught):
        completions = execute_suite(frame, node.body, state)
    for completion in completions:
        match completion:
            case Raised():
                finished += _handled(frame, node, completion)
            case Next() if node.orelse is not None:
                finished += execute_suite(frame, node.orelse.body, completion.state)
            case _:
                finished.append(completion)
    return finished


_Kinds = tuple[type[BaseException], ...]
_OF_HOST = (ZeroDivisionError, ValueError, OverflowError, TypeError, IndexError, KeyError)
"""What operations on run-time values of the host may raise."""
_OF_TENSORS = (RuntimeError, IndexError)
"""What operations of PyTorch raise because of the content of tensors."""


@contextlib.contextmanager
def _guarding(frame: Frame, caught: list[_Kinds]) -> Iterator[None]:
    """While a suite is executed whose run-time exceptions would be caught, say so."""
    host = any(issubclass(kind, group) for group in caught for kind in _OF_HOST)
    tensors = any(issubclass(kind, group) for group in caught for kind in _OF_TENSORS)
    frame.run.guarded += host
    frame.run.guarded_tensors += tensors
    try:
        yield
    finally:
        frame.run.guarded -= host
        frame.run.guarded_tensors -= tensors


def _caught(frame: Frame, state: State, handler: cst.ExceptHandler) -> _Kinds:
    """Return the classes that a handler catches; all where they are not known."""
    if handler.type is None:
        return (BaseException,)
    outcomes = list(evaluate(frame, handler.type, state))
    known = known_object(*outcomes[0]) if len(outcomes) == 1 else None
    if known is None:
        return (BaseException,)
    kinds = known.value if isinstance(known.value, tuple) else (known.value,)
    return tuple(kind for kind in kinds if isinstance(kind, type))


def _leaves(clause: cst.Finally | None) -> bool:
    """Return whether a ``finally`` clause may end the exception that passes through it."""
    leaving = matchers.Return() | matchers.Break() | matchers.Continue()
    return clause is not None and bool(matchers.findall(clause, leaving))


def _may_swallow(leave: Value) -> bool:
    """Return whether ``__exit__`` may return something true: it has a ``return value``."""
    function = leave.function if isinstance(leave, MethodValue) else None
    if not isinstance(function, Known) or not isinstance(function.value, types.FunctionType):
        return True
    body = function_source(function.value).node
    return bool(matchers.findall(body, matchers.Return(value=~matchers.Name("None"))))


def _handled(frame: Frame, node: cst.Try, raised: Raised) -> list[Completion]:
    kind = exception_class(raised.state, raised.exception)
    state = raised.state
    for handler in node.handlers:
        if handler.type is None:
            caught: object = BaseException
        else:
            outcomes = list(evaluate(frame, handler.type, state))
            known = known_object(outcomes[0][0], outcomes[0][1]) if len(outcomes) == 1 else None
            if known is None:
                frame.refuse("DYCL063", handler, "the class to catch is known only at run time")
            caught = known.value
        if not issubclass(kind, caught):  # type: ignore[arg-type]
            continue
        name = handler.name.name.value if handler.name is not None else None  # type: ignore[union-attr]
        if name is not None:
            state.frames[frame.identity][name] = raised.exception
        state.handled = (*state.handled, raised.exception)
        completions = execute_suite(frame, handler.body, state)
        for completion in completions:
            completion.state.handled = completion.state.handled[:-1]
            if name is not None:
                completion.state.frames[frame.identity].pop(name, None)
        return completions
    return [raised]


def exception_expression(frame: Frame, state: State, exception: Value) -> ast.expr | None:
    """Return the residual expression of an exception that leaves the program."""
    kind = exception_class(state, exception)
    if is_library(kind.__module__) or kind.__module__ == "builtins":
        name = kind.__name__
    else:
        return None
    arguments: list[ast.expr] = []
    if isinstance(exception, Known) and isinstance(exception.value, BaseException):
        arguments = [ast.Constant(value=str(a)) for a in exception.value.args[:1]]
    elif isinstance(exception, Reference):
        given = state.cell(exception, ObjectCell).attributes.get("args", Known(()))
        rendered = render(frame.run, state, given)
        arguments = list(rendered.elts) if isinstance(rendered, ast.Tuple) else []
    if kind.__module__ != "builtins":
        name = "RuntimeError"
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=arguments, keywords=[])


# --- with --------------------------------------------------------------------------------------

_NEUTRAL = (
    torch.no_grad,
    torch.enable_grad,
    torch.inference_mode,
    torch.set_grad_enabled,
    torch.autograd.profiler.record_function,
)


_GRADLESS = (torch.no_grad, torch.inference_mode)


@statement_rule(cst.With)
def with_(frame: Frame, node: cst.With, state: State) -> list[Completion]:
    """``with manager as name: ...``."""
    return _with_items(frame, node, list(node.items), state)


def _with_items(
    frame: Frame, node: cst.With, items: list[cst.WithItem], state: State
) -> list[Completion]:
    if not items:
        return execute_suite(frame, node.body, state)
    first, *rest = items
    completions: list[Completion] = []
    for after, manager in evaluate(frame, first.item, state):
        if isinstance(manager, Known) and isinstance(manager.value, contextlib.suppress):
            completions += _suppressing(frame, node, first, rest, after, manager.value)
        elif _is_neutral(manager):
            gradless = isinstance(manager, Known) and isinstance(manager.value, _GRADLESS)
            frame.run.gradless_depth += gradless
            completions += _entered(frame, node, first, rest, after, manager)
            frame.run.gradless_depth -= gradless
        else:
            completions += _managed(frame, node, first, rest, after, manager)
    return completions


def _suppressing(
    frame: Frame,
    node: cst.With,
    item: cst.WithItem,
    rest: list[cst.WithItem],
    state: State,
    manager: contextlib.suppress,
) -> list[Completion]:
    """``with contextlib.suppress(kinds)``: the body up to an exception of these kinds."""
    kinds = manager._exceptions
    guards = any(issubclass(raised, kinds) for raised in _OF_HOST)
    frame.run.guarded += guards
    try:
        completions = _entered(frame, node, item, rest, state, Known(None))
    finally:
        frame.run.guarded -= guards
    return [
        Next(c.state)
        if isinstance(c, Raised) and issubclass(exception_class(c.state, c.exception), kinds)
        else c
        for c in completions
    ]


def _is_neutral(manager: Value) -> bool:
    """Return whether a context manager does not change what is computed."""
    if not isinstance(manager, Known):
        return False
    content = manager.value
    if isinstance(content, torch.autocast):
        return not content._enabled
    return isinstance(content, (*_NEUTRAL, contextlib.nullcontext))


def _entered(
    frame: Frame,
    node: cst.With,
    item: cst.WithItem,
    rest: list[cst.WithItem],
    state: State,
    value: Value,
) -> list[Completion]:
    states = [state]
    if item.asname is not None:
        states = assign(frame, item.asname.name, state, value)
    return [c for entered in states for c in _with_items(frame, node, rest, entered)]


def _managed(
    frame: Frame,
    node: cst.With,
    item: cst.WithItem,
    rest: list[cst.WithItem],
    state: State,
    manager: Value,
) -> list[Completion]:
    """Run a user's context manager: ``__enter__``, the body, ``__exit__`` on every way out."""
    enter = method_of(state, manager, "__enter__")
    leave = method_of(state, manager, "__exit__")
    if enter is None or leave is None:
        kind = class_of(state, manager)
        name = kind.__name__ if kind is not None else "this object"
        frame.refuse("DYCL064", item, f"the context manager {name} is not supported")
    finished: list[Completion] = []
    for after, value in call_value(frame, item, state, enter, [], {}):
        with _guarding(frame, [(BaseException,)] if _may_swallow(leave) else []):
            completions = _entered(frame, node, item, rest, after, value)
        for completion in completions:
            arguments: list[Value] = [Known(None)] * 3
            if isinstance(completion, Raised):
                raised_class = exception_class(completion.state, completion.exception)
                arguments = [Known(raised_class), completion.exception, Known(None)]
            for done, result in call_value(frame, item, completion.state, leave, arguments, {}):
                if not isinstance(completion, Raised):
                    finished.append(_moved(completion, done))
                    continue
                for tested, swallowed in truths(frame, item, done, result):
                    finished.append(
                        Next(tested) if swallowed else Raised(tested, completion.exception)
                    )
    return finished
