"""Calls of library functions: torch's are leaves, pure ones run now or on the host."""

import inspect
import types
from collections.abc import Iterator
from itertools import islice
from typing import TypeGuard

import libcst as cst
import numpy
import torch
import torch.utils.checkpoint

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import adopt, containers_in
from rewriter.evaluation.generated_methods import is_argument_object
from rewriter.evaluation.host_objects import call_on_host
from rewriter.evaluation.host_statements import host_effect
from rewriter.evaluation.host_tensors import host_made_tensor
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.library import LibraryKind, library_kind
from rewriter.evaluation.list_tensors import tensor_of_list
from rewriter.evaluation.refusals import Refused, UsedPoison
from rewriter.evaluation.rendering import (
    NotMaterial,
    any_tensor,
    call_expression,
    known_object,
    render,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.special_calls import special
from rewriter.evaluation.tensor_mentions import holds_tensor
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import Known, Poison, Reference, Value

_MOST_ITEMS = 1_000_000
_PLAIN = (
    bool, int, float, complex, str, bytes, range, slice, type, torch.dtype, torch.device,
    torch.Tensor, numpy.ndarray, numpy.generic,
)  # fmt: skip


def call_library(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch, numpy or the standard library."""
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
            return call_now(frame, node, state, function, positional, keywords)
        case LibraryKind.PURE:
            return call_on_host(frame, node, state, function, positional, keywords)
        case LibraryKind.OUTPUT:
            return _call_output(frame, node, state, function, positional, keywords)
        case LibraryKind.UNKNOWN:
            name = _full_name(function.value)
            frame.refuse("DYCL045", node, f"{name}() is not supported: its effects are unknown")


def _full_name(function: object) -> str:
    """Return a function's name with the module that it, or its class, is from."""
    owner = getattr(function, "__self__", None)
    home = getattr(function, "__module__", None) or getattr(owner, "__module__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    return f"{home}.{name}" if isinstance(home, str) and home != "builtins" else name


def call_now(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function whose arguments are known, at compile time."""
    arguments = [known_object(state, value) for value in positional]
    named = {name: known_object(state, value) for name, value in keywords.items()}
    try:
        result = function.value(
            *(known.value for known in arguments if known is not None),
            **{name: known.value for name, known in named.items() if known is not None},
        )
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    drawn = tuple(islice(result, _MOST_ITEMS)) if isinstance(result, Iterator) else result
    shared = containers_in(
        getattr(function.value, "__self__", None),
        *(known.value for known in (*arguments, *named.values()) if known is not None),
    )
    if any(isinstance(value, Reference) for value in (*positional, *keywords.values())) and (
        containers_in(drawn) & shared or not _is_plain(drawn)
    ):
        # The function was given copies of the program's lists: what it keeps is not they.
        frame.refuse(
            "DYCL045",
            node,
            f"the result of {getattr(function.value, '__name__', 'this call')}() holds lists or "
            "other objects that it was given",
            "write it as a loop, a comprehension or a lambda",
        )
    made = iter(drawn) if isinstance(result, Iterator) else result
    yield state, adopt(frame.run, state, made, shared)


def _is_plain(content: object) -> bool:
    """Return whether an object is made of numbers, strings and plain containers only."""
    if type(content) in (list, tuple, set, frozenset):
        return all(map(_is_plain, content))  # type: ignore[call-overload]
    if type(content) is dict:
        return all(map(_is_plain, content.values()))
    return content is None or isinstance(content, _PLAIN)


def _call_output(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """``print``, ``warnings.warn`` and logging: done by the host, in order."""
    # Text is made by calls of methods: a real cycle.
    from rewriter.evaluation.printing_objects import printed_values

    if function.value is not print:
        if any(map(is_argument_object, [*positional, *keywords.values()])):
            frame.refuse("DYCL046", node, "an object that is an argument is logged")
        yield from _call_output_of_values(frame, node, state, function, positional, keywords)
        return
    for after, values in printed_values(frame, node, state, positional):
        yield from _call_output_of_values(frame, node, after, function, values, keywords)


def _call_output_of_values(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    if function.value is print:
        positional = [_printed(state, value) for value in positional]
    try:
        expression = call_expression(
            render(frame.run, state, function),
            [render(frame.run, state, value) for value in positional],
            {name: render(frame.run, state, value) for name, value in keywords.items()},
        )
    except NotMaterial as error:
        frame.refuse("DYCL046", node, f"{error.reason} is printed")
    if holds_tensor(state, *positional, *keywords.values()):
        frame.refuse(
            "DYCL046",
            node,
            "a tensor is printed: the host's arrays would print differently",
            "print numbers taken from it with .item()",
        )
    host_effect(frame.run, state, expression, frame.origin(node))
    yield state, Known(None)


def _printed(state: State, value: Value) -> Value:
    """Return the text of an object that the host may not have, such as a ``torch.Size``."""
    known = known_object(state, value)
    if known is None or isinstance(known.value, torch.Tensor):
        return value
    return known if isinstance(known.value, str | int | float) else Known(str(known.value))


def call_torch(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch: a leaf."""
    made = host_made_tensor(frame, node, state, function, positional, keywords)
    if made is not None:
        yield from made
        return
    listed = tensor_of_list(frame, node, state, function.value, positional, keywords)
    if listed is not None:
        yield from listed
        return
    values = [*positional, *keywords.values()]
    _refuse_global_effects(frame, node, function.value)
    _refuse_callbacks(frame, node, state, function.value, values)
    if not _is_tensor_function(function.value) and all(
        known_object(state, value) is not None for value in values
    ):
        for after, result in call_now(frame, node, state, function, positional, keywords):
            _refuse_weights(frame, node, result)
            yield after, result
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
    operation = Operation(
        frame,
        node,
        state,
        function.value,
        tuple(positional),
        keywords,
        expression,
        description=getattr(function.value, "__name__", "torch"),
    )
    try:
        outcomes = list(evaluate_operation(operation))
    except Refused as refusal:
        # Torch's own Python source may test a value that is known here.
        if not needs_inlining(refusal, function.value):
            raise
        # Statements use library calls: a real cycle.
        from rewriter.evaluation.inlining import inline_function

        outcomes = list(inline_function(frame, node, state, function.value, positional, keywords))
    yield from outcomes


def needs_inlining(refusal: Refused, function: object) -> TypeGuard[types.FunctionType]:
    """Return whether a leaf failed on a run-time test, and has Python source to evaluate."""
    return refusal.diagnostic.code == "DYCL031" and isinstance(function, types.FunctionType)


@special(torch.utils.checkpoint.checkpoint)
def checkpoint(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """``checkpoint(function, arguments)``: the call itself, as nothing is trained."""
    own = {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"}
    rest = {name: value for name, value in keywords.items() if name not in own}
    return call_value(frame, node, state, positional[0], positional[1:], rest)


def _refuse_callbacks(
    frame: Frame, node: cst.CSTNode, state: State, function: object, values: list[Value]
) -> None:
    """Refuse user code handed to torch: its effects and tests would not be seen."""
    for value in values:
        known = known_object(state, value)
        content = known.value if known is not None else None
        own = isinstance(content, types.FunctionType | types.MethodType | torch.nn.Module)
        module = content.__class__.__module__ if isinstance(content, torch.nn.Module) else (
            getattr(content, "__module__", None)
        )  # fmt: skip
        if own and not is_library(module):
            name = getattr(function, "__name__", "torch")
            frame.refuse("DYCL045", node, f"a function of the user's is passed to torch's {name}()")


_GLOBAL_EFFECTS = frozenset(
    {"manual_seed", "seed", "initial_seed", "save", "load", "use_deterministic_algorithms",
     "compile", "set_rng_state", "backward", "grad"}
)  # fmt: skip


def _refuse_global_effects(frame: Frame, node: cst.CSTNode, function: object) -> None:
    """Refuse functions of torch that change or read global state."""
    name = getattr(function, "__name__", "")
    module = str(getattr(function, "__module__", ""))
    setter = name.startswith("set_")
    global_effect = name in _GLOBAL_EFFECTS and module != "torch.nn.functional"
    autograd = module.startswith("torch.autograd")
    if (setter or global_effect or autograd) and not inspect.isclass(function):
        frame.refuse("DYCL045", node, f"torch's {name}() changes or reads state outside the model")


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
