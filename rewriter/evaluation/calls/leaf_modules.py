"""Modules that are torch's own, with all their parts: called as one operation."""

import ast
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import libcst as cst
import sympy
from torch import nn

from rewriter.evaluation.calls.fast_attention import has_own_merging, masked_forward
from rewriter.evaluation.calls.inlining import inline_function
from rewriter.evaluation.calls.kept_statistics import keeps_statistics
from rewriter.evaluation.calls.torch_calls import needs_inlining
from rewriter.evaluation.calls.torch_reads import is_changed_here, runs_users_code
from rewriter.evaluation.control.autocasting import casting
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import NotMaterial, call_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.size_expressions import expression_of
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value


def call_leaf_module(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    method: str | None = None,
) -> Outcomes:
    """Emit one call of a module, or of a method of it where ``method`` is given."""
    content: nn.Module = module.value
    forward: Any = type(content).forward
    shown = _shown(frame, node, content, method, positional, keywords)
    if shown is not None:
        frame.run.effects += 1  # a call of the module is not this
        arguments = [module, *positional]
        yield from inline_function(frame, node, state, shown, arguments, keywords)
        return
    callee: ast.expr = frame.run.builder.reference(content, frame.run.path_of(module))
    if method is not None:
        callee = ast.Attribute(value=callee, attr=method, ctx=ast.Load())
    function = content if method is None else getattr(content, method)
    operation = _operation(frame, node, state, content, function, callee, positional, keywords)
    saved, mark = state.fork(state.block), Mark(frame.run, state)
    has_hooks = method is None and bool(content._forward_hooks or content._forward_pre_hooks)
    has_source = isinstance(forward, types.FunctionType) and not has_hooks
    refusal = outcomes = None
    try:
        outcomes = list(evaluate_operation(operation))
    except Refused as error:
        about_sizes = error.diagnostic.code == _SIZES and has_source
        if has_hooks or not (about_sizes or needs_inlining(forward, error)):
            raise
        refusal = error
    if outcomes is not None and not (
        has_source and _is_told_by_code(content, positional, outcomes)
    ):
        yield from outcomes
        return
    mark.restore()
    again = saved.fork(saved.block)
    try:
        yield from list(
            inline_function(frame, node, saved, forward, [module, *positional], keywords)
        )
    except Refused:
        if refusal is None:
            mark.restore()
            yield from evaluate_operation(replace(operation, state=again))
        elif refusal.diagnostic.code == _SIZES and has_source:
            raise refusal from None
        else:
            raise


def _shown(
    frame: Frame,
    node: cst.CSTNode,
    module: nn.Module,
    method: str | None,
    positional: list[Value],
    keywords: dict[str, Value],
) -> types.FunctionType | None:
    """Return the source that is evaluated in place of a call, None for most modules."""
    refuse_layer_under_autocast(frame, node, module)
    if method not in (None, "forward"):
        return None
    if frame.run.plan.differentiates and any(
        part._backward_hooks or part._backward_pre_hooks for part in module.modules()
    ):
        frame.refuse("DYCL049", node, "hooks of gradients, which the call computes, would not run")
    masked = masked_forward(type(module).forward, module, positional, keywords)
    if masked is not None and any(frame.run.grad_modes[-1:]):
        # PyTorch takes none of its kernels for masks under enable_grad
        frame.refuse("DYCL045", node, "masks count in another way where gradients are recorded")
    return masked or _keeping(module)


def _keeping(module: nn.Module) -> types.FunctionType | None:
    """Return the forward of a module that changes statistics, which an operation does not say."""
    forward: object = type(module).forward
    if module._forward_hooks or module._forward_pre_hooks or not keeps_statistics(module):
        return None
    return forward if isinstance(forward, types.FunctionType) else None


def _is_told_by_code(
    module: nn.Module, given: Sequence[Value], outcomes: Sequence[tuple[State, Value]]
) -> bool:
    """Return whether only the module's code tells of which sizes its results are."""
    return (
        _has_sizes_of_fractions(outcomes)
        or _is_rounded_up(module, given)
        or _may_stay_empty(module, given)
    )


def _may_stay_empty(module: nn.Module, given: Sequence[Value]) -> bool:
    """Return whether an image of no elements may stay as it is, unlike a fake tensor."""
    sizes = [size for value in given if isinstance(value, TensorValue) for size in value.fake.shape]
    may_be_empty = not all(isinstance(size, int) and size for size in sizes)
    return may_be_empty and any(isinstance(part, nn.PixelUnshuffle) for part in module.modules())


def _is_rounded_up(module: nn.Module, given: Sequence[Value]) -> bool:
    """Return whether windows of images of open sizes may go beyond them, in one of the parts."""
    images = [value.fake.shape[-2:] for value in given if isinstance(value, TensorValue)]
    is_open = any(not isinstance(size, int) for image in images for size in image)
    return is_open and any(getattr(part, "ceil_mode", False) for part in module.modules())


def _has_sizes_of_fractions(outcomes: Sequence[tuple[State, Value]]) -> bool:
    """Return whether a result has a size that is computed of a fraction: its code must tell it."""
    tensors = [value.fake for _, value in outcomes if isinstance(value, TensorValue)]
    return any(expression_of(size).has(sympy.Float) for x in tensors for size in x.shape)


_SIZES = "DYCL075"
"""A function that the module calls may be spelled out for sizes known only at run time."""


def call_inherited_forward(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    forward: types.FunctionType,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Emit ``LayerNorm.forward(module, x)``: what a user's subclass finds by ``super()``."""
    content: nn.Module = module.value
    refuse_own_merging(frame, node, content)
    refuse_layer_under_autocast(frame, node, content)
    inlined = masked_forward(forward, content, positional, keywords)
    if inlined is not None:
        refuse_hooked_kernels(frame, node, state, content)
        frame.run.effects += 1  # a call of the module is not this
    elif is_changed_here(frame, node, state, content, own_hooks=False) or runs_users_code(content):
        inlined = forward
    if inlined is not None:
        arguments = [module, *positional]
        yield from inline_function(frame, node, state, inlined, arguments, keywords)
        return
    owner = next(kind for kind in type(content).__mro__ if vars(kind).get("forward") is forward)
    reference = frame.run.builder.reference
    callee = ast.Attribute(value=reference(owner, None), attr="forward", ctx=ast.Load())
    first = reference(content, frame.run.path_of(module))
    bound = types.MethodType(forward, content)
    yield from evaluate_operation(
        _operation(frame, node, state, content, bound, callee, positional, keywords, first)
    )


def refuse_own_merging(frame: Frame, node: cst.CSTNode, module: nn.Module) -> None:
    """Refuse attention that merges masks in a way of the user's: the fast path alone does."""
    if has_own_merging(module):
        frame.refuse(
            "DYCL049", node, f"torch's {type(module).__name__} has a merge_masks() of its own"
        )


def refuse_layer_under_autocast(frame: Frame, node: cst.CSTNode, module: nn.Module) -> None:
    """Refuse encoder layers where autocasting is on: the kernel that PyTorch may take has none."""
    layers = (isinstance(part, nn.TransformerEncoderLayer) for part in module.modules())
    if casting(frame.run) is not None and any(layers):
        what = "a TransformerEncoderLayer gives other types without gradients under autocast"
        frame.refuse("DYCL064", node, what, 'put it under torch.autocast("cpu", enabled=False)')


def refuse_hooked_kernels(frame: Frame, node: cst.CSTNode, state: State, module: nn.Module) -> None:
    """Refuse masks where an encoder layer has hooks of the call, so that no kernel is called."""
    layers = (part for part in module.modules() if isinstance(part, nn.TransformerEncoderLayer))
    if frame.run.calls.hooks.differ(state, (part for one in layers for part in one.modules())):
        frame.refuse("DYCL049", node, "an encoder layer with hooks of the call is given masks")


def _operation(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    content: nn.Module,
    function: Callable[..., object],
    callee: ast.expr,
    positional: list[Value],
    keywords: dict[str, Value],
    *leading: ast.expr,
) -> Operation:
    try:
        expression = call_expression(
            callee,
            [*leading, *(render(frame.run, state, value) for value in positional)],
            {name: render(frame.run, state, value) for name, value in keywords.items()},
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is passed to {type(content).__name__}")

    def compute(*arguments: object, **named: object) -> object:
        with _unchanged(content):
            return function(*arguments, **named)

    return Operation(
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
