"""The rewriter's entry: a model and example inputs in, a rewritten program out."""

import inspect
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst
import numpy
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from rewriter.binding import bind_inputs
from rewriter.builder import Builder
from rewriter.deep_stack import with_deep_stack
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.evaluation import rules
from rewriter.evaluation.containers import describe
from rewriter.evaluation.exceptions import exception_expression
from rewriter.evaluation.inlining import closure_of, owner_of
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import NotMaterial, render
from rewriter.evaluation.run import Frame, Run, active
from rewriter.evaluation.statements import execute_suite
from rewriter.evaluation.truth import UsedPoison
from rewriter.known_paths import is_library
from rewriter.options import RewriteOptions
from rewriter.origin import Origin
from rewriter.program import Raise, Return, RewrittenProgram
from rewriter.source import NoSource, function_source, unwrap
from rewriter.state import Broke, Completion, Continued, Next, Raised, Returned, State
from rewriter.storages import Storages
from rewriter.temporaries import name_temporaries
from rewriter.values import (
    NONE,
    DictCell,
    FunctionValue,
    HostValue,
    Known,
    ListCell,
    MethodValue,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

assert rules  # imported for the rules that its modules register


def rewrite(
    target: object,
    example_inputs: tuple[object, ...] | Mapping[str, object],
    method: str = "forward",
    options: RewriteOptions | None = None,
) -> RewrittenProgram:
    """Partially evaluate the entry point of a model.

    Args:
        target: an ``nn.Module``, any object with a method, a bound method, or a function.
        example_inputs: positional arguments, or a dict of keyword arguments; tensors give
            dtype and shape, numbers are inputs, other objects are fixed.
        method: the entry point on an object; ignored for functions.
        options: limits, and which number arguments are fixed.

    Returns:
        The program with variables named uniquely; see ``rewriter.printing`` for text.

    Raises:
        CompileError: with every diagnostic, where the program cannot be compiled soundly.
    """
    function, receiver = entry_function(target, method)
    builder = Builder()
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    run = Run(
        mode=mode, options=options or RewriteOptions(), builder=builder, storages=Storages(mode)
    )
    try:
        source = function_source(function)
    except NoSource as error:
        raise CompileError([Diagnostic(code="DYCL047", message=str(error), origin=None)]) from error
    first = inspect.signature(function, follow_wrapped=False)
    receiver_name = next(iter(first.parameters), None) if receiver is not None else None
    frame = Frame(
        run=run,
        identity=run.new_identity(),
        source=source,
        lexical=(),
        globals=function.__globals__,
        closure=closure_of(function),
        inlined_at=(),
        owner=owner_of(function),
        receiver=receiver_name,
    )
    run.lexical[frame.identity] = frame
    state = State(block=builder.new_block())
    entry = state.block
    parameters = bind_inputs(frame, function, receiver, example_inputs, state)
    run.paths.update(object_paths(receiver))
    with_deep_stack(lambda: _finish(frame, _evaluate(frame, state)))
    knowns = dict(builder.knowns)
    return RewrittenProgram(
        name=_program_name(target, function),
        entry=name_temporaries(builder.finish(function.__name__, parameters, entry), knowns),
        knowns=knowns,
        source_file=source.text.file,
        notes=tuple(builder.notes),
    )


def entry_function(target: object, method: str) -> tuple[types.FunctionType, object]:
    """Return the function to evaluate and the object it is a method of, None for functions.

    Raises CompileError where the target has no such entry point.
    """
    if isinstance(target, types.FunctionType):
        return unwrap(target), None
    bound: Any = target if isinstance(target, types.MethodType) else getattr(target, method, None)
    if isinstance(bound, types.MethodType) and isinstance(bound.__func__, types.FunctionType):
        receiver = bound.__self__
        if isinstance(receiver, nn.Module) and bound.__name__ == "forward":
            _refuse_entry_hooks(receiver)
        return unwrap(bound.__func__), receiver
    if isinstance(bound, types.FunctionType):
        return unwrap(bound), None
    if bound is None:
        names = [name for name in dir(target) if not name.startswith("_")]
        message = f"{type(target).__name__} has no method {method!r}"
        near = ", ".join(names[:8])
        raise CompileError(
            [Diagnostic(code="DYCL070", message=message, origin=None, help=f"it has: {near}")]
        )
    message = f"{method!r} of {type(target).__name__} is no Python function"
    raise CompileError([Diagnostic(code="DYCL070", message=message, origin=None)])


def _refuse_entry_hooks(module: nn.Module) -> None:
    hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
    if any(not is_library(getattr(hook, "__module__", None)) for hook in hooks):
        message = "the entry module has forward hooks; they would not run"
        raise CompileError([Diagnostic(code="DYCL049", message=message, origin=None)])


def object_paths(receiver: object) -> dict[int, str]:
    """Return how to reach the modules, parameters and buffers of an object from ``self``."""
    paths: dict[int, str] = {}
    if isinstance(receiver, nn.Module):
        _module_paths(receiver, "self", paths)
    else:
        for name, content in vars(receiver).items() if hasattr(receiver, "__dict__") else ():
            if isinstance(content, nn.Module):
                _module_paths(content, f"self.{name}", paths)
    return paths


def _module_paths(module: nn.Module, path: str, paths: dict[int, str]) -> None:
    if id(module) in paths:
        return
    paths[id(module)] = path
    for name, content in _registered(module):
        paths.setdefault(id(content), _member(module, path, name))
    for name, child in module._modules.items():
        if child is not None:
            _module_paths(child, _member(module, path, name), paths)


def _registered(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for table in (module._parameters, module._buffers):
        for name, content in table.items():
            if content is not None:
                yield name, content


def _member(module: nn.Module, path: str, name: str) -> str:
    if isinstance(module, nn.ModuleList | nn.Sequential | nn.ParameterList) and name.isdigit():
        return f"{path}[{name}]"
    if isinstance(module, nn.ModuleDict | nn.ParameterDict):
        return f"{path}[{name!r}]"
    return f"{path}.{name}" if name.isidentifier() else f"{path}._modules[{name!r}]"


def _evaluate(frame: Frame, state: State) -> list[Completion]:
    run = frame.run
    sink: list[Raised] = []
    run.sinks.append(sink)
    body = frame.source.node.body
    try:
        with active(frame):
            if isinstance(body, torch.nn.Module):
                raise AssertionError
            if frame.source.scope.is_generator or frame.source.scope.is_async:
                frame.refuse("DYCL002", frame.source.node, "generators are not supported")
            from libcst import BaseExpression

            from rewriter.evaluation.dispatch import evaluate

            if isinstance(body, BaseExpression):
                frame.live = frozenset(state.frames[frame.identity])
                completions: list[Completion] = [
                    Returned(after, value) for after, value in evaluate(frame, body, state)
                ]
            else:
                completions = execute_suite(frame, body, state)
    except Refused as refusal:
        run.report(refusal.diagnostic)
        completions = []
    except UsedPoison:
        completions = []
    return [*completions, *sink]


def _finish(frame: Frame, completions: list[Completion]) -> None:
    run = frame.run
    with active(frame):
        for completion in completions:
            try:
                _close(frame, completion)
            except Refused as refusal:
                run.report(refusal.diagnostic)
            except UsedPoison:
                continue
    for key, (_, origin) in run.written.items():
        if key in run.initial_reads:
            run.report(
                Diagnostic(
                    code="DYCL067",
                    message=f"attribute {key[1]!r} carries a value from one call to the next "
                    "(it is read before it is written)",
                    origin=origin,
                    help="pass the state as an argument and return it",
                )
            )
    if run.diagnostics:
        raise CompileError(run.diagnostics)
    raised = [c for c in completions if isinstance(c, Raised)]
    if raised and len(raised) == len(completions):
        raise CompileError([_always_raises(frame, raised[0])])


def _always_raises(frame: Frame, raised: Raised) -> Diagnostic:
    what = raised.exception
    text = repr(what.value) if isinstance(what, Known) else describe(raised.state, what)
    return Diagnostic(
        code="DYCL066",
        message=f"every path through {frame.source.name} raises: {text}",
        origin=frame.origin(frame.source.node),
    )


def _close(frame: Frame, completion: Completion) -> None:
    run, state = frame.run, completion.state
    node = getattr(completion, "node", None)
    # Nodes of inlined functions stand in another text; the entry's place is named then.
    node = node if node in frame.source.text.positions else frame.source.node
    origin: Origin = frame.origin(node)
    match completion:
        case Returned():
            value = completion.value
        case Next():
            value = NONE
        case Raised():
            expression = exception_expression(frame, state, completion.exception)
            if expression is None:
                frame.refuse(
                    "DYCL068",
                    node,
                    "an exception of a class of the user's leaves the program",
                    "raise a builtin exception",
                )
            run.builder.close(state.block, Raise(exception=expression, origin=origin))
            return
        case Broke() | Continued():
            frame.refuse("DYCL003", node, "break outside a loop")
    _check_returned(frame, node, state, value)
    try:
        expression = render(run, state, value)
    except NotMaterial as error:
        frame.refuse("DYCL065", node, f"{error.reason} is returned")
    run.builder.close(state.block, Return(value=expression, origin=origin))


_RETURNABLE = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), torch.Tensor, torch.Size,
    numpy.generic,
)  # fmt: skip


def _check_returned(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> None:
    match value:
        case TensorValue() | ScalarValue() | HostValue():
            return
        case Known():
            _check_known(frame, node, value.value)
        case TupleValue():
            if value.kind is not tuple and hasattr(value.kind, "_fields"):
                frame.refuse(
                    "DYCL065",
                    node,
                    f"a named tuple ({value.kind.__name__}) is returned",
                    "return a plain tuple or a dict",
                )
            for item in value.items:
                _check_returned(frame, node, state, item)
        case Reference():
            cell = state.heap[value.identity]
            parts = cell.items if isinstance(cell, ListCell) else ()
            if isinstance(cell, DictCell):
                parts = tuple(cell.items.values())
            for item in parts:
                _check_returned(frame, node, state, item)
        case FunctionValue() | MethodValue():
            frame.refuse("DYCL065", node, "a function is returned")
        case _:
            return


def _check_known(frame: Frame, node: cst.CSTNode, content: object) -> None:
    if isinstance(content, list | tuple) and type(content) in (list, tuple):
        for item in content:
            _check_known(frame, node, item)
    elif type(content) is dict:
        for item in content.values():
            _check_known(frame, node, item)
    elif not isinstance(content, _RETURNABLE):
        frame.refuse(
            "DYCL065", node, f"an object of class {type(content).__name__} is returned"
        )


def _program_name(target: object, function: types.FunctionType) -> str:
    owner = target.__self__ if isinstance(target, types.MethodType) else target
    name = function.__name__ if owner is function else type(owner).__name__
    if isinstance(owner, types.FunctionType):
        name = owner.__name__
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return word if word.isidentifier() else "model"
