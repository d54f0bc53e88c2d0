"""Calls of torch's functions: leaves, inlined where their own Python source tests a known value."""

import inspect
import types
from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst
import torch
import torch.utils.checkpoint

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.chosen_arguments import by_choice
from rewriter.evaluation.calls.compile_time_calls import call_now
from rewriter.evaluation.calls.given_results import resized_results
from rewriter.evaluation.calls.integer_arguments import with_integers
from rewriter.evaluation.calls.kept_statistics import with_statistics
from rewriter.evaluation.calls.number_operands import plain_operands, with_number
from rewriter.evaluation.calls.scripted_functions import advising, as_written, tried_on_fakes
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.calls.torch_reads import is_changed_here, is_leaf
from rewriter.evaluation.host.array_tensors import made_of_array
from rewriter.evaluation.host.tensors_of_numbers import host_made_tensor, with_grad_left_out
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import NotMaterial, known_object, render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.conditions import with_truths
from rewriter.evaluation.tensors.element_tensors import tensor_of_elements
from rewriter.evaluation.tensors.fill_values import is_filling, with_fill_number
from rewriter.evaluation.tensors.list_tensors import tensor_of_list
from rewriter.evaluation.tensors.spelled_out import or_spelled_out
from rewriter.evaluation.tensors.splitting import split_by_list
from rewriter.evaluation.tensors.unique_dimensions import counted_from_the_front
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import Known, Value


def call_torch(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch: a leaf."""
    value = function.value
    written = as_written(frame, state, value, positional, keywords)
    if written is not None:
        yield from call_value(frame, node, state, written, positional, keywords)
        return
    name = getattr(value, "__name__", "torch")
    positional, keywords = with_integers(frame, node, state, name, positional, keywords)
    positional, keywords = counted_from_the_front(name, positional, keywords)
    made = resized_results(frame, node, state, function, positional, keywords)
    made = made or _made_otherwise(frame, node, state, function, positional, keywords)

    def leaf(before: State) -> Outcomes:
        return _leaf_or_inlined(frame, node, before, function, positional, keywords)

    with advising(value):
        yield from made or or_spelled_out(frame, node, state, value, positional, keywords, leaf)


def _leaf_or_inlined(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch as a leaf, or as its source in Python says."""
    name = getattr(function.value, "__name__", "torch")
    values = [*positional, *keywords.values()]
    _refuse_global_effects(frame, node, function.value)
    unlike = _not_as_stored(frame, node, state, values)
    if unlike is not None:
        yield from _shown(frame, node, state, function.value, positional, keywords, unlike)
        return
    if not _is_tensor_function(function.value) and all(
        known_object(state, value) is not None for value in values
    ):
        for after, result in call_now(frame, node, state, function, positional, keywords):
            _refuse_weights(frame, node, result)
            yield after, result
        return
    try:
        expression = render_call(
            frame.run, state, render(frame.run, state, function), positional, keywords
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is passed to {name}")
    operation = Operation(
        frame,
        node,
        state,
        tried_on_fakes(function.value),
        tuple(positional),
        keywords,
        expression,
        description=name,
    )
    block, mark = state.block, Mark(frame.run, state)
    try:
        outcomes = list(evaluate_operation(operation))
    except Refused as refusal:
        # Torch's own Python source may test a value that is known here.
        if not needs_inlining(function.value, refusal) or state.block != block:
            raise
        mark.restore()
        # Statements use library calls: a real cycle.
        from rewriter.evaluation.calls.inlining import inline_function

        try:
            outcomes = list(
                inline_function(frame, node, state, function.value, positional, keywords)
            )
        except Refused:
            if refusal.diagnostic.code == _GIVES_NOTHING:
                raise refusal from None
            raise
    yield from outcomes


def _made_otherwise(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return the outcomes of calls that take what no leaf can take, None for other calls."""
    keywords = with_grad_left_out(function.value, keywords)
    arguments = plain_operands(frame, node, state, function.value, positional, keywords)
    positional, keywords = arguments
    if (spelled := with_statistics(function.value, *arguments)) is not None:
        return call_value(frame, node, state, spelled[0], [], spelled[1])
    other = with_number(function.value, *arguments)
    if other is not None:
        return call_value(frame, node, state, *other, keywords)
    made = (
        tensor_of_elements(frame, node, state, function.value, *arguments)
        or made_of_array(frame, node, state, function, *arguments)
        or tensor_of_list(frame, node, state, function.value, *arguments)
        or host_made_tensor(frame, node, state, function, *arguments)
    )
    name = getattr(function.value, "__name__", "")
    truths = with_truths(frame, node, state, name, *arguments, place=0)
    if made is None and truths is not None:
        return _called_anew(frame, node, function, truths)
    made = made or split_by_list(frame, node, state, name, *arguments)
    if made is None and is_filling(function.value):
        filled = with_fill_number(frame, node, state, name, positional, keywords)
        if filled is not None:
            return _called_anew(frame, node, function, filled)
    chosen = (
        None
        if made is not None
        else by_choice(frame, node, state, name, *arguments, function.value)
    )
    return made if chosen is None else _called_anew(frame, node, function, chosen)


def _called_anew(
    frame: Frame,
    node: cst.CSTNode,
    function: Known,
    arguments: Iterator[tuple[State, list[Value], dict[str, Value]]],
) -> Outcomes:
    """Yield the outcomes of a call with what was made of its arguments."""
    for after, positional, keywords in arguments:
        yield from call_torch(frame, node, after, function, positional, keywords)


_GIVES_NOTHING = "DYCL045"
"""A call that gives None: it was made for its effect, or chose to give nothing."""


def needs_inlining(function: object, refusal: Refused) -> TypeGuard[types.FunctionType]:
    """Return whether a leaf failed on a run-time test, or gave None, and has Python source."""
    inlined = ("DYCL031", _GIVES_NOTHING)
    return refusal.diagnostic.code in inlined and isinstance(function, types.FunctionType)


@special(torch.utils.checkpoint.checkpoint)
def checkpoint(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """``checkpoint(function, arguments)``: the call itself, as nothing is trained."""
    asked = [name for name in ("context_fn", "debug") if name in keywords]
    if asked:
        frame.refuse("DYCL045", node, f"checkpoint() is given {asked[0]}: its effect is unknown")
    own = {"use_reentrant", "preserve_rng_state", "determinism_check"}
    rest = {name: value for name, value in keywords.items() if name not in own}
    return call_value(frame, node, state, positional[0], positional[1:], rest)


def _not_as_stored(
    frame: Frame, node: cst.CSTNode, state: State, values: list[Value]
) -> tuple[str, str] | None:
    """Return why torch must not run on values unseen: a code, and what they are. None if it may.

    The effects and tests of the user's code would not be seen, and not what the call has changed.
    """
    for value in values:
        content = (known_object(state, value) or Known(None)).value
        if _is_users(content):
            return "DYCL045", "a function of the user's"
        if isinstance(content, torch.nn.Module) and is_changed_here(frame, node, state, content):
            return "DYCL067", f"a {type(content).__name__} that the call has changed"
    return None


def _is_users(content: object) -> bool:
    if isinstance(content, torch.nn.Module):
        return not is_leaf(content)
    functions = types.FunctionType | types.MethodType
    return isinstance(content, functions) and not is_library(getattr(content, "__module__", None))


def _shown(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: object,
    positional: list[Value],
    keywords: dict[str, Value],
    unlike: tuple[str, str],
) -> Outcomes:
    """Call a function of torch as its source shows, where torch's source calls it: a hook's.

    What the user's calls may do more than its code shows, and is refused.
    """
    from rewriter.evaluation.calls.inlining import inline_function

    shown = getattr(function, "__func__", function)
    from_torch = is_library(str(frame.globals.get("__name__")))
    if from_torch and isinstance(shown, types.FunctionType):
        receiver = [] if shown is function else [Known(getattr(function, "__self__", None))]
        return inline_function(frame, node, state, shown, [*receiver, *positional], keywords)
    name = getattr(function, "__name__", "torch")
    code, what = unlike
    frame.refuse(code, node, f"{what} is passed to torch's {name}()")


_GLOBAL_EFFECTS = frozenset(
    {"manual_seed", "seed", "initial_seed", "save", "load", "use_deterministic_algorithms",
     "compile", "set_rng_state", "backward", "grad"}
)  # fmt: skip
_ABOUT_MODES = frozenset(
    {"_len_torch_function_stack", "_len_torch_dispatch_stack", "detect_fake_mode",
     "_get_current_dispatch_mode", "_get_current_function_mode", "active_fake_mode"}
)  # fmt: skip
"""Functions that tell of modes, which are others while a program is compiled."""


def _refuse_global_effects(frame: Frame, node: cst.CSTNode, function: object) -> None:
    """Refuse functions of torch that change or read global state, or decide by contents."""
    name = getattr(function, "__name__", "")
    if name.startswith("_nested_tensor_from_mask"):  # fake tensors answer as if they knew
        help_ = "make the TransformerEncoder with enable_nested_tensor=False"
        frame.refuse("DYCL032", node, "a nested tensor is made of a mask", help_)
    module = str(getattr(function, "__module__", ""))
    setter = name.startswith("set_")
    global_effect = name in _GLOBAL_EFFECTS and module != "torch.nn.functional"
    from_torch = is_library(str(frame.globals.get("__name__")))
    global_effect |= name in _ABOUT_MODES and not from_torch
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
