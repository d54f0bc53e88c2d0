"""Calls: leaf or inline, for every kind of callable."""

import functools
import inspect
import types
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.leaf import Operation
from rewriter.evaluation.rendering import (
    NotMaterial,
    any_tensor,
    call_expression,
    known_object,
    render,
)
from rewriter.evaluation.run import Frame, Outcomes, UsedPoison
from rewriter.evaluation.special_calls import SPECIAL
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    Known,
    MethodValue,
    ObjectCell,
    Poison,
    Reference,
    TensorValue,
    Value,
)


@expression_rule(cst.Call)
def call(frame: Frame, node: cst.Call, state: State) -> Outcomes:
    """``function(arguments)``."""
    for after_function, function in evaluate(frame, node.func, state):
        for after_arguments, positional, keywords in _arguments(
            frame, list(node.args), after_function
        ):
            if isinstance(function, Known) and function.value is super:
                from rewriter.evaluation.builtin_reflection import super_value

                yield after_arguments, super_value(frame, node, after_arguments, positional)
                continue
            yield from call_value(frame, node, after_arguments, function, positional, keywords)


def _arguments(frame: Frame, arguments: list[cst.Arg], state: State) -> Any:
    """Yield states with positional values and keywords, evaluated left to right."""
    from rewriter.evaluation.containers import mapping_items
    from rewriter.evaluation.iteration import items_of

    if not arguments:
        yield state, [], {}
        return
    *earlier, last = arguments
    for after, positional, keywords in _arguments(frame, earlier, state):
        for evaluated, value in evaluate(frame, last.value, after):
            if last.star == "*":
                for spread, items in items_of(frame, last, evaluated, value):
                    yield spread, [*positional, *items], keywords
            elif last.star == "**":
                mapping = mapping_items(evaluated, value)
                if mapping is None:
                    frame.refuse("DYCL044", last, "** needs a dict known at compile time")
                yield evaluated, positional, {**keywords, **{str(k): v for k, v in mapping.items()}}
            elif last.keyword is not None:
                yield evaluated, positional, {**keywords, last.keyword.value: value}
            else:
                yield evaluated, [*positional, value], keywords


def call_value(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call any value."""
    match function:
        case Known():
            return _call_known(frame, node, state, function, positional, keywords)
        case FunctionValue():
            from rewriter.evaluation.inlining import inline_closure

            return inline_closure(frame, node, state, function, positional, keywords)
        case MethodValue():
            return _call_method(frame, node, state, function, positional, keywords)
        case Reference() if isinstance(cell := state.heap[function.identity], ObjectCell):
            from rewriter.evaluation.objects import user_method

            method = user_method(cell.kind, "__call__")
            if method is None:
                error = TypeError(f"'{cell.kind.__name__}' object is not callable")
                frame.run.raise_known(state, error)
                return iter(())
            return call_value(frame, node, state, Known(method), [function, *positional], keywords)
        case Poison():
            raise UsedPoison
        case _:
            from rewriter.evaluation.containers import describe

            error = TypeError(f"{describe(state, function)} is not callable")
            frame.run.raise_known(state, error)
            return iter(())


def _call_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    method: MethodValue,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    from rewriter.evaluation.methods import call_named_method

    function, receiver = method.function, method.receiver
    if isinstance(function, str):
        return call_named_method(frame, node, state, receiver, function, positional, keywords)
    if (
        isinstance(function, Known)
        and isinstance(receiver, Known)
        and isinstance(receiver.value, torch.nn.Module)
        and is_library(getattr(function.value, "__module__", None))
    ):
        from rewriter.evaluation.module_calls import call_library_method

        return call_library_method(frame, node, state, receiver, function, positional, keywords)
    return call_value(frame, node, state, function, [receiver, *positional], keywords)


def _call_known(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    content = function.value
    rule = SPECIAL.get(id(content))
    if rule is not None:
        return rule(frame, node, state, positional, keywords)
    from rewriter.evaluation.inlining import inline_function
    from rewriter.evaluation.instances import instantiate
    from rewriter.evaluation.module_calls import call_module
    from rewriter.evaluation.objects import user_method

    match content:
        case torch.nn.Module():
            return call_module(frame, node, state, function, positional, keywords)
        case functools.partial():
            return call_value(
                frame,
                node,
                state,
                Known(content.func),
                [*map(Known, content.args), *positional],
                {**{name: Known(value) for name, value in content.keywords.items()}, **keywords},
            )
        case types.FunctionType():
            unwrapped = unwrap(content)
            if not is_library(unwrapped.__module__):
                return inline_function(frame, node, state, unwrapped, positional, keywords)
        case types.MethodType() if not is_library(content.__func__.__module__):
            receiver = Known(content.__self__, _receiver_path(function))
            return call_value(
                frame, node, state, Known(content.__func__), [receiver, *positional], keywords
            )
        case type() if not is_library(content.__module__):
            return instantiate(frame, node, state, content, positional, keywords)
        case functools._lru_cache_wrapper():
            return call_value(frame, node, state, Known(content.__wrapped__), positional, keywords)
    if not isinstance(content, type) and (method := user_method(type(content), "__call__")):
        return call_value(frame, node, state, Known(method), [function, *positional], keywords)
    if not callable(content):
        error = TypeError(f"'{type(content).__name__}' object is not callable")
        frame.run.raise_known(state, error)
        return iter(())
    return call_library(frame, node, state, function, positional, keywords)


def _receiver_path(function: Known) -> str | None:
    return None if function.path is None else function.path.rpartition(".")[0] or None


def unwrap(function: types.FunctionType) -> types.FunctionType:
    """Return the function under ``torch.no_grad`` and similar decorators."""
    while function.__code__.co_filename.endswith("_contextlib.py") and hasattr(
        function, "__wrapped__"
    ):
        function = function.__wrapped__
    return function


# --- library functions -----------------------------------------------------------------------


def call_library(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch, numpy or the standard library."""
    from rewriter.evaluation.library import LibraryKind, library_kind

    values = [*positional, *keywords.values()]
    if any(isinstance(value, Poison) for value in values):
        raise UsedPoison
    kind = library_kind(function.value)
    knowns = [known_object(state, value) for value in values]
    all_known = all(known is not None for known in knowns)
    match kind:
        case LibraryKind.TORCH:
            return call_torch(frame, node, state, function, positional, keywords)
        case LibraryKind.PURE if all_known and not any_tensor([k.value for k in knowns if k]):
            return _call_now(frame, state, function, positional, keywords)
        case LibraryKind.PURE:
            from rewriter.evaluation.host_objects import call_on_host

            return call_on_host(frame, node, state, function, positional, keywords)
        case LibraryKind.OUTPUT:
            return _call_output(frame, node, state, function, positional, keywords)
        case LibraryKind.UNKNOWN:
            name = getattr(function.value, "__qualname__", repr(function.value))
            frame.refuse(
                "DYCL045",
                node,
                f"calling {name!r} of {getattr(function.value, '__module__', None)!r} is not "
                "supported: its effects are unknown",
            )


def _call_now(
    frame: Frame,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    from rewriter.evaluation.containers import adopt

    arguments = [known_object(state, value) for value in positional]
    named = {name: known_object(state, value) for name, value in keywords.items()}
    try:
        result = function.value(  # type: ignore[operator]
            *(known.value for known in arguments if known is not None),
            **{name: known.value for name, known in named.items() if known is not None},
        )
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, adopt(frame.run, state, result)


def _call_output(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """``print``, ``warnings.warn`` and logging: done by the host, in order."""
    try:
        expression = call_expression(
            render(frame.run, state, function),
            [render(frame.run, state, value) for value in positional],
            {name: render(frame.run, state, value) for name, value in keywords.items()},
        )
    except NotMaterial as error:
        frame.refuse("DYCL046", node, f"{error.reason} is printed")
    if any(isinstance(value, TensorValue) for value in [*positional, *keywords.values()]):
        frame.refuse(
            "DYCL046",
            node,
            "a tensor is printed: the host's arrays would print differently",
            "print numbers taken from it with .item()",
        )
    frame.run.host_effect(state, expression, frame.origin(node))
    yield state, Known(None)


def call_torch(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch: a leaf."""
    from rewriter.evaluation.host_tensors import host_made_tensor

    made = host_made_tensor(frame, node, state, function, positional, keywords)
    if made is not None:
        yield from made
        return
    values = [*positional, *keywords.values()]
    _refuse_global_effects(frame, node, function.value)
    if not _is_tensor_function(function.value) and all(
        known_object(state, value) is not None for value in values
    ):
        for after, made in _call_now(frame, state, function, positional, keywords):
            _refuse_weights(frame, node, made)
            yield after, made
        return
    try:
        expression = call_expression(
            render(frame.run, state, function),
            [render(frame.run, state, value) for value in positional],
            {name: render(frame.run, state, value) for name, value in keywords.items()},
        )
    except NotMaterial as error:
        name = getattr(function.value, "__name__", "torch")
        frame.refuse("DYCL030", node, f"{error.reason} is passed to {name}")
    yield from Operation(
        frame,
        node,
        state,
        function.value,  # type: ignore[arg-type]
        tuple(positional),
        keywords,
        expression,
        description=getattr(function.value, "__name__", "torch"),
    ).evaluate()


_GLOBAL_EFFECTS = frozenset(
    {"manual_seed", "seed", "initial_seed", "save", "load", "use_deterministic_algorithms",
     "compile", "set_rng_state", "backward", "grad"}
)  # fmt: skip


def _refuse_global_effects(frame: Frame, node: cst.CSTNode, function: object) -> None:
    """Refuse functions of torch that change or read global state."""
    name = getattr(function, "__name__", "")
    module = str(getattr(function, "__module__", ""))
    setter = name.startswith("set_") and not inspect.isclass(function)
    global_effect = name in _GLOBAL_EFFECTS and module != "torch.nn.functional"
    if setter or global_effect or module.startswith("torch.autograd"):
        if not inspect.isclass(function):
            frame.refuse(
                "DYCL045", node, f"torch's {name}() changes or reads state outside the model"
            )


def _refuse_weights(frame: Frame, node: cst.CSTNode, made: Value) -> None:
    content = made.value if isinstance(made, Known) else None
    if isinstance(content, torch.nn.Module) and (
        any(True for _ in content.parameters()) or any(True for _ in content.buffers())
    ):
        frame.refuse(
            "DYCL050",
            node,
            f"a module with weights ({type(content).__name__}) is made in the call",
            "create modules in __init__",
        )


def _is_tensor_function(function: object) -> bool:
    """Return whether a torch callable computes tensors (not a class such as ``torch.no_grad``)."""
    if inspect.isclass(function):
        return issubclass(function, torch.Tensor)
    return True
