"""What calling a module with user code runs: its hooks and its ``forward``."""

import types
from functools import partial

import libcst as cst
from torch import nn

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.fast_attention import forward_over_layers, masked_forward
from rewriter.evaluation.calls.inlining import inline_function
from rewriter.evaluation.calls.leaf_modules import (
    call_leaf_module,
    refuse_hooked_kernels,
    refuse_own_merging,
)
from rewriter.evaluation.calls.running_hooks import items_of, run_before, run_behind
from rewriter.evaluation.calls.torch_reads import is_changed_here, runs_users_code
from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.inference_modes import refuse_inference
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.grad_modes_around import grad_modes_around, managers_around, under_modes
from rewriter.known_paths import is_of_library
from rewriter.source import unwrap
from rewriter.state import State
from rewriter.values import Known, Value


def call_with_hooks(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a module's hooks and, between them, its ``forward``."""
    content: nn.Module = module.value
    goes_on = frame.run.protecting or frame.run.plan.roots
    if content._forward_hooks_always_called and goes_on:  # after an error of ``forward``
        frame.refuse("DYCL049", node, "hooks are called where forward raises (always_call)")
    hooks = frame.run.calls.hooks
    if hooks.differ(state, [content]):
        frame.run.effects += 1  # the result is not that of the module as it is stored
    before = hooks.called(state, content, "_forward_pre_hooks")
    if _has_others(content) and frame.run.plan.differentiates:
        frame.refuse("DYCL049", node, "hooks of gradients, which the call computes, would not run")
    looks = bool(before or hooks.called(state, content, "_forward_hooks") or _has_others(content))
    arguments = tuple_value(tuple(positional))
    for after, given, named in run_before(frame, node, state, module, arguments, keywords, before):
        for done, result in call_forward(frame, node, after, module, given, named):
            behind = hooks.called(done, content, "_forward_hooks") if looks else []
            yield from run_behind(frame, node, done, module, given, named, result, behind)


def _has_others(module: nn.Module) -> bool:
    """Return whether a module has hooks of gradients: else it asks before its call only."""
    return bool(module._backward_hooks or module._backward_pre_hooks)


def call_forward(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    keywords: dict[str, Value],
) -> Outcomes:
    """Call ``forward``: replaced in this call, set on the instance, or of the class."""
    content = module.value
    positional = list(items_of(state, given) or ())
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
    declared = class_member(type(content), "forward")
    if isinstance(declared, staticmethod | classmethod):
        bound = declared.__get__(None, type(content))
        yield from call_value(frame, node, state, Known(bound), positional, keywords)
        return
    forward = type(content).forward
    modes: list[bool] = []
    if isinstance(forward, types.FunctionType):
        refuse_inference(frame, node, managers_around(forward))
        modes, forward = list(grad_modes_around(forward)), unwrap(forward)
    if is_of_library(forward) and not isinstance(content, nn.Sequential):
        yield from _call_library_forward(frame, node, state, module, forward, positional, keywords)
        return
    if isinstance(content, nn.Sequential) and forward is nn.Sequential.forward:
        yield from call_sequential(frame, node, state, module, positional)
        return
    given_all = [module, *positional]
    called = partial(call_value, frame, node, state, Known(forward), given_all, keywords)
    yield from under_modes(frame.run.grad_modes, modes, called)


def _call_library_forward(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    forward: object,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call torch's ``forward``: as one operation if nothing it runs is the user's or changed."""
    content: nn.Module = module.value
    refuse_own_merging(frame, node, content)
    has_leaves = not runs_users_code(content)
    own = forward if isinstance(forward, types.FunctionType) else None
    inlined = None
    if own is not None and (
        not has_leaves or is_changed_here(frame, node, state, content, own_hooks=False)
    ):
        masked = masked_forward(own, content, positional, keywords)
        if masked is not None:
            refuse_hooked_kernels(frame, node, state, content)
        inlined = masked or forward_over_layers(forward) or own
    if inlined is not None:
        frame.run.effects += 1  # what is evaluated may not be what a call of the module does
        arguments = [module, *positional]
        yield from inline_function(frame, node, state, inlined, arguments, keywords)
    elif has_leaves:
        yield from call_leaf_module(frame, node, state, module, positional, keywords, "forward")
    else:
        frame.refuse(
            "DYCL049", node, f"torch's {type(content).__name__} holds modules of the user's"
        )


def call_sequential(
    frame: Frame, node: cst.CSTNode, state: State, module: Known, positional: list[Value]
) -> Outcomes:
    """Call the parts of an ``nn.Sequential`` one after the other."""
    content: nn.Sequential = module.value
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
