"""Calls of nn.Module instances: hooks, replaced forwards, leaf or inline."""

import ast
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst
import torch
from torch import nn

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import is_list, sequence_items, tuple_value
from rewriter.evaluation.inlining import collapse_call, inline_function
from rewriter.evaluation.leaf import Operation
from rewriter.evaluation.library_calls import call_library, call_now, needs_inlining
from rewriter.evaluation.rendering import NotMaterial, call_expression, render
from rewriter.evaluation.run import Frame, Outcomes, Refused
from rewriter.evaluation.user_classes import user_method
from rewriter.known_paths import is_library
from rewriter.source import unwrap
from rewriter.state import State
from rewriter.values import Known, Value

_HOOK_TABLES = ("_forward_hooks", "_forward_pre_hooks")


def call_module(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    *,
    inherited: bool = False,
) -> Outcomes:
    """Evaluate ``module(arguments)`` as ``nn.Module.__call__`` does.

    ``inherited``: a ``__call__`` of the user's class has been left for nn.Module's own.
    """
    content = module.value
    assert isinstance(content, nn.Module)
    own_call = user_method(type(content), "__call__") if not inherited else None
    if own_call is not None:
        yield from call_value(frame, node, state, Known(own_call), [module, *positional], keywords)
        return
    if isinstance(content, torch.jit.ScriptModule):
        frame.refuse("DYCL048", node, "a TorchScript module has no Python source to rewrite")
    if is_leaf(content) and not _replaced(state, content):
        yield from _leaf_call(frame, node, state, module, positional, keywords, None)
        return
    start = (state.block, frame.run.builder.length(state.block))
    effects = frame.run.effects
    outcomes = list(_with_hooks(frame, node, state, module, positional, keywords))
    if len(outcomes) == 1 and frame.run.effects == effects:
        ((after, value),) = outcomes
        expression = _call_expression(frame, after, module, positional, keywords)
        if expression is not None:
            value = collapse_call(frame, node, after, start, expression, value)
            outcomes = [(after, value)]
    yield from outcomes


def _call_expression(
    frame: Frame, state: State, module: Known, positional: list[Value], keywords: dict[str, Value]
) -> ast.expr | None:
    path = frame.run.path_of(module)
    if path is None:
        return None
    try:
        return call_expression(
            frame.run.builder.reference(module.value, path),
            [render(frame.run, state, value) for value in positional],
            {name: render(frame.run, state, value) for name, value in keywords.items()},
        )
    except NotMaterial:
        return None


def _replaced(state: State, module: nn.Module) -> bool:
    """Return whether an attribute of the module or its parts was written in this call."""
    if not state.attributes:
        return False
    parts = {id(part) for part in module.modules()}
    return any(identity in parts for identity, _ in state.attributes)


def is_leaf(module: nn.Module) -> bool:
    """Return whether a module and all its parts are torch's own."""
    return all(
        is_library(type(part).__module__)
        and is_library(getattr(type(part).forward, "__module__", None))
        and "forward" not in vars(part)
        and not _user_hooks(part)
        for part in module.modules()
    )


def _user_hooks(module: nn.Module) -> list[Any]:
    hooks = [hook for table in _HOOK_TABLES for hook in getattr(module, table).values()]
    return [hook for hook in hooks if not is_library(_module_name(hook))]


def _module_name(hook: object) -> str | None:
    name = getattr(hook, "__module__", None) or type(hook).__module__
    return name if isinstance(name, str) else None


def _with_hooks(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    content = module.value
    assert isinstance(content, nn.Module)
    if content._forward_hooks_with_kwargs or content._forward_pre_hooks_with_kwargs:
        frame.refuse("DYCL049", node, "hooks with keyword arguments are not supported")
    arguments = tuple_value(tuple(positional))
    for after, given in _pre_hooks(
        frame, node, state, module, arguments, list(content._forward_pre_hooks.values())
    ):
        for done, result in _forward(frame, node, after, module, given, keywords):
            yield from _post_hooks(
                frame, node, done, module, given, result, list(content._forward_hooks.values())
            )


def _pre_hooks(
    frame: Frame, node: cst.CSTNode, state: State, module: Known, given: Value, hooks: list[Any]
) -> Outcomes:
    if not hooks:
        yield state, given
        return
    first, *rest = hooks
    for after, replaced in call_value(frame, node, state, Known(first), [module, given], {}):
        if isinstance(replaced, Known) and replaced.value is None:
            replaced = given
        elif _items(frame, node, after, replaced) is None:
            replaced = tuple_value((replaced,))
        yield from _pre_hooks(frame, node, after, module, replaced, rest)


def _post_hooks(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    result: Value,
    hooks: list[Any],
) -> Outcomes:
    if not hooks:
        yield state, result
        return
    first, *rest = hooks
    for after, replaced in call_value(
        frame, node, state, Known(first), [module, given, result], {}
    ):
        if isinstance(replaced, Known) and replaced.value is None:
            replaced = result
        yield from _post_hooks(frame, node, after, module, given, replaced, rest)


def _items(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> tuple[Value, ...] | None:
    del frame, node
    return None if is_list(state, value) else sequence_items(state, value)


def _forward(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    keywords: dict[str, Value],
) -> Outcomes:
    content = module.value
    positional = list(_items(frame, node, state, given) or ())
    replaced = state.attributes.get((id(content), "forward"))
    if replaced is not None:
        frame.run.effects += 1
        yield from call_value(frame, node, state, replaced, positional, keywords)
        return
    own = vars(content).get("forward")
    if own is not None:
        receiver = getattr(own, "__self__", None)
        if receiver is content and isinstance(own, types.MethodType):
            yield from call_value(
                frame, node, state, Known(own.__func__), [module, *positional], keywords
            )
        else:
            yield from call_value(frame, node, state, Known(own), positional, keywords)
        return
    forward = type(content).forward
    if isinstance(forward, types.FunctionType):
        forward = unwrap(forward)
    if is_library(getattr(forward, "__module__", None)) and not isinstance(content, nn.Sequential):
        if all(not _user_hooks(p) and is_leaf(p) for p in content.children()):
            yield from _leaf_call(frame, node, state, module, positional, keywords, "forward")
            return
        frame.refuse(
            "DYCL049", node, f"torch's {type(content).__name__} holds modules of the user's"
        )
    if isinstance(content, nn.Sequential) and forward is nn.Sequential.forward:
        yield from _sequential(frame, node, state, module, positional)
        return
    yield from call_value(frame, node, state, Known(forward), [module, *positional], keywords)


def _sequential(
    frame: Frame, node: cst.CSTNode, state: State, module: Known, positional: list[Value]
) -> Outcomes:
    content = module.value
    assert isinstance(content, nn.Sequential)
    if len(positional) != 1:
        error = TypeError(
            "Sequential.forward() takes 2 positional arguments but "
            f"{len(positional) + 1} were given"
        )
        frame.run.raise_known(state, error)
        return
    yield from _chain(frame, node, state, list(content), positional[0])


def _chain(
    frame: Frame, node: cst.CSTNode, state: State, modules: list[nn.Module], value: Value
) -> Outcomes:
    if not modules:
        yield state, value
        return
    first, *rest = modules
    for after, result in call_value(frame, node, state, Known(first), [value], {}):
        yield from _chain(frame, node, after, rest, result)


def call_library_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a method that torch defines, on a module: ``forward``, ``modules``, ``eval``..."""
    content = receiver.value
    name = getattr(function.value, "__name__", "")
    assert isinstance(content, nn.Module)
    if name in ("__call__", "_wrapped_call_impl", "_call_impl"):
        yield from call_module(frame, node, state, receiver, positional, keywords, inherited=True)
    elif name == "forward":
        if is_leaf(content):
            yield from _leaf_call(frame, node, state, receiver, positional, keywords, name)
        else:
            yield from _forward(
                frame, node, state, receiver, tuple_value(tuple(positional)), keywords
            )
    elif name in ("eval", "train", "to", "cpu", "float", "half", "apply", "requires_grad_",
                  "zero_grad", "register_buffer", "add_module", "load_state_dict"):  # fmt: skip
        if name == "eval" and not content.training:
            yield state, receiver
            return
        frame.refuse("DYCL034", node, f"{name}() changes the model during the call")
    else:
        bound = Known(types.MethodType(function.value, content))

        if name in _READERS:
            yield from call_now(frame, state, bound, positional, keywords)
        else:
            yield from call_library(frame, node, state, bound, positional, keywords)


_READERS = frozenset(
    {"parameters", "named_parameters", "modules", "named_modules", "children", "named_children",
     "buffers", "named_buffers", "state_dict", "get_submodule", "get_parameter", "extra_repr",
     "__len__", "__getitem__", "__iter__", "__contains__", "keys", "values", "items", "__dir__",
     "flatten_parameters", "_get_name"}
)  # fmt: skip


def _leaf_call(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    method: str | None,
) -> Outcomes:
    content = module.value
    assert isinstance(content, nn.Module)
    path = frame.run.path_of(module)
    callee: ast.expr = frame.run.builder.reference(content, path)
    if method is not None:
        callee = ast.Attribute(value=callee, attr=method, ctx=ast.Load())
    try:
        expression = call_expression(
            callee,
            [render(frame.run, state, value) for value in positional],
            {name: render(frame.run, state, value) for name, value in keywords.items()},
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is passed to {type(content).__name__}")
    function = content if method is None else getattr(content, method)

    def compute(*arguments: object, **named: object) -> object:
        with _unchanged(content):
            return function(*arguments, **named)

    operation = Operation(
        frame,
        node,
        state,
        compute,
        tuple(positional),
        keywords,
        expression,
        description=type(content).__name__,
        module=True,
    )
    try:
        outcomes = list(operation.evaluate())
    except Refused as refusal:
        forward = type(content).forward
        if not needs_inlining(refusal, forward):
            raise
        arguments = [module, *positional]
        outcomes = list(inline_function(frame, node, state, forward, arguments, keywords))
    yield from outcomes


@contextmanager
def _unchanged(module: nn.Module) -> Iterator[None]:
    """Undo what a module's own hooks store on it (old weight_norm) while fakes run."""
    saved = [(part, dict(vars(part))) for part in module.modules() if part._forward_pre_hooks]
    try:
        yield
    finally:
        for part, attributes in saved:
            vars(part).clear()
            vars(part).update(attributes)
