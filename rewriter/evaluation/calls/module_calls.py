"""Calls of nn.Module instances: hooks, replaced forwards, leaf or inline."""

import ast
import types
from dataclasses import replace

import libcst as cst
import torch
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.compile_time_calls import call_now
from rewriter.evaluation.calls.inlining import collapse_call, inline_function
from rewriter.evaluation.calls.leaf_modules import call_inherited_forward, call_leaf_module
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.module_conversions import CONVERTING, changes_nothing
from rewriter.evaluation.calls.module_forward import call_forward, call_sequential, call_with_hooks
from rewriter.evaluation.calls.packed_sequences import call_on_packed, takes_packed
from rewriter.evaluation.calls.torch_reads import (
    is_changed_here,
    is_leaf,
    refuse_changed_text,
    runs_users_code,
)
from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.instances.hooks import register_hook
from rewriter.evaluation.instances.known_attributes import read_tensors
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.rendering import NotMaterial, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.keeping.noting import resident
from rewriter.program_names import expression_names
from rewriter.source import unwrap
from rewriter.specs import ScalarSpec, TensorSpec, VariableSpec
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, Known, Value


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
    content: nn.Module = module.value
    own_call = user_method(type(content), "__call__")
    if own_call is not None and not inherited:
        yield from call_value(frame, node, state, Known(own_call), [module, *positional], keywords)
        return
    if isinstance(content, torch.jit.ScriptModule):
        frame.refuse("DYCL048", node, "a TorchScript module has no Python source to rewrite")
    is_hooked = frame.run.calls.hooks.differ(state, content.modules())
    if is_leaf(content) and not is_hooked and takes_packed(state, content, positional, keywords):
        # on each row, which calls it again
        yield from call_on_packed(frame, node, state, module, positional, keywords)
        return
    if is_leaf(content) and not is_changed_here(frame, node, state, content):
        yield from call_leaf_module(frame, node, state, module, positional, keywords)
        return
    start = (state.block, frame.run.builder.length(state.block))
    effects = frame.run.effects
    outcomes = list(call_with_hooks(frame, node, state, module, positional, keywords))
    taken_apart = frame.run.options.masks_to_branches
    straight = len(outcomes) == 1 and frame.run.effects == effects
    if straight and own_call is None and not taken_apart:
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
    builder = frame.run.builder
    callee = builder.reference(module.value, path)
    try:
        call = render_call(frame.run, state, callee, positional, keywords)
    except NotMaterial:
        return None
    given = (
        builder.variables[name] for name in expression_names(call) if name in builder.variables
    )
    return call if all(_is_for_tensor_code(variable.spec) for variable in given) else None


def _is_for_tensor_code(spec: VariableSpec) -> bool:
    """Return whether tensor code takes such a variable: a call stands for tensor code only.

    Code that is inlined may have left the argument out: ``if self.training: y = y / temperature``.
    """
    return isinstance(spec, TensorSpec) or (isinstance(spec, ScalarSpec) and spec.type is int)


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
    content: nn.Module = receiver.value
    name = getattr(function.value, "__name__", "")
    if name in ("__call__", "_wrapped_call_impl", "_call_impl"):
        yield from call_module(frame, node, state, receiver, positional, keywords, inherited=True)
    elif name == "forward":
        inherited = unwrap(function.value)
        if is_leaf(content) and not is_changed_here(frame, node, state, content, own_hooks=False):
            yield from call_leaf_module(frame, node, state, receiver, positional, keywords, name)
        elif inherited is nn.Sequential.forward:
            yield from call_sequential(frame, node, state, receiver, positional)
        elif inherited is not type(content).forward:
            yield from call_inherited_forward(
                frame, node, state, receiver, inherited, positional, keywords
            )
        else:
            yield from call_forward(
                frame, node, state, receiver, tuple_value(tuple(positional)), keywords
            )
    elif name in _CHECKS or (name in _LOOKUPS and isinstance(content, _CONTAINERS)):
        yield from _as_written(frame, node, state, receiver, function, positional, keywords)
    elif name in _EVALUATED:
        method = _EVALUATED[name]
        yield from method(frame, node, state, receiver, function, positional, keywords)
    elif name in _CHANGING:
        changed = is_changed_here(frame, node, state, content, unread="training")
        sure = not (frame.run.plan.keeps_tensors or changed)
        if not (sure and changes_nothing(content, name, positional, keywords)):
            frame.refuse("DYCL034", node, f"{name}() changes the model during the call")
        frame.run.effects += 1  # a call of the module around this would do it all the same
        yield state, receiver
    else:
        yield from _call_reader(frame, node, state, receiver, function, positional, keywords)


def _as_written(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a method as its source says."""
    shown = unwrap(function.value)
    if not isinstance(shown, types.FunctionType):
        name = getattr(function.value, "__name__", "")
        frame.refuse("DYCL067", node, f"{name}() of a layer that is not as torch made it")
    yield from inline_function(frame, node, state, shown, [receiver, *positional], keywords)


def _apply_function(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call ``apply``: the function runs on each module, as the source of ``apply`` walks them."""
    if _has_other_modes(state, receiver.value):
        frame.refuse("DYCL034", node, "apply() of a model whose modules the call has changed")
    frame.run.effects += 1  # the function may do what a call of the module around does not
    yield from _as_written(frame, node, state, receiver, function, positional, keywords)


def _set_mode(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call ``eval`` or ``train``: as their source says, where they may change anything."""
    content: nn.Module = receiver.value
    sure = not (frame.run.plan.keeps_modes or _has_other_modes(state, content))
    if sure and changes_nothing(content, function.value.__name__, positional, keywords):
        frame.run.effects += 1  # a call of the module around this would do it all the same
        yield state, receiver
        return
    yield from _as_written(frame, node, state, receiver, function, positional, keywords)


def _update_flat_weights(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Recurrent layers list their weights anew where these were replaced: in a call none are."""
    receiver.value._update_flat_weights()
    yield state, Known(None)


def _has_other_modes(state: State, module: nn.Module) -> bool:
    """Return whether the call has changed which modules are in training, or which there are."""
    parts = {id(part): part for part in module.modules()}
    return any(
        name == "training"
        or isinstance(getattr(parts[identity], name, None), nn.Module)
        or (isinstance(value, Known) and isinstance(value.value, nn.Module))
        for (identity, name), value in state.attributes.items()
        if identity in parts
    )


def _call_reader(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a method that leaves the module as it is."""
    name = getattr(function.value, "__name__", "")
    content: nn.Module = receiver.value
    if name in _TENSOR_READERS:
        read_tensors(frame, node, content, name, "() is called on")
    if name.startswith(("register_", "_register_")):
        frame.refuse("DYCL034", node, f"{name}() changes the model during the call")
    if name in _TEXTS:
        refuse_changed_text(frame, node, state, content)
    elif name not in _READERS and (
        is_changed_here(frame, node, state, content)
        or (not name.startswith("__") and runs_users_code(content))
    ):
        yield from _as_written(frame, node, state, receiver, function, positional, keywords)
        return
    bound = Known(types.MethodType(function.value, content))
    if name in _READERS:
        for after, value in call_now(frame, node, state, bound, positional, keywords):
            yield after, _with_residents(frame, after, value)
    else:
        yield from call_library(frame, node, state, bound, positional, keywords)


def _with_residents(frame: Frame, state: State, value: Value) -> Value:
    """Return what walks over a model's parts, with its tensors that are kept as they are now."""
    cell = state.heap[value.identity] if isinstance(value, IteratorValue) else None
    if isinstance(value, IteratorValue) and isinstance(cell, IteratorCell):
        items = tuple(resident(frame.run, state, item) for item in cell.items)
        state.heap[value.identity] = replace(cell, items=items)
    return value


_EVALUATED = {
    "apply": _apply_function,
    "eval": _set_mode,
    "train": _set_mode,
    "register_forward_hook": register_hook,
    "register_forward_pre_hook": register_hook,
    "_update_flat_weights": _update_flat_weights,
}
"""Methods of torch's with rules of their own."""
_CHANGING = frozenset(
    {"to", "cpu", "requires_grad_", "zero_grad", "add_module",
     "load_state_dict", *CONVERTING}
)  # fmt: skip
_CHECKS = frozenset({"_check_input_dim", "check_input", "check_hidden_size", "check_forward_args"})
"""Methods of torch's modules that only raise what does not fit: read like the user's own."""
_CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
_LOOKUPS = frozenset(
    {"__getitem__", "__contains__", "get", "_key_to_attr", "_get_abs_string_index",
     "_get_item_by_idx"}
)  # fmt: skip
"""Methods of containers that look a place or name up, which may be known at run time only."""
_TENSOR_READERS = ("parameters", "named_parameters", "buffers", "named_buffers", "state_dict",
                   "get_parameter", "get_buffer")  # fmt: skip
_TEXTS = ("extra_repr", "__repr__", "__str__")
_READERS = frozenset(
    {"parameters", "named_parameters", "modules", "named_modules", "children", "named_children",
     "buffers", "named_buffers", "state_dict", "get_submodule", "get_parameter", "extra_repr",
     "__len__", "__getitem__", "__iter__", "__contains__", "keys", "values", "items", "__dir__",
     "flatten_parameters", "_get_name"}
)  # fmt: skip
