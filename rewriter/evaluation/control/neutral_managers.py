"""Context managers of libraries that do not change what is computed."""

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterator

import libcst as cst
import numpy
import torch
import torch.fx.traceback
from torch.nn.attention import SDPBackend

from rewriter import grad_modes_around
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.preluding import inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.control.autocasting import refuse_stale_casts
from rewriter.evaluation.control.entered_once import enter
from rewriter.evaluation.control.kernel_flags import KernelFlags
from rewriter.evaluation.control.numpy_settings import settings_of
from rewriter.evaluation.control.warning_filters import is_scope, refuse_records
from rewriter.evaluation.inference_modes import refuse_inference
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import annotations, attention_kernels
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, Value

_GIVING_NOTHING = (torch.no_grad, torch.enable_grad, torch.inference_mode, torch.set_grad_enabled)
_GIVING_THEMSELVES = (torch.autograd.profiler.record_function, torch.device, torch.autocast)


def is_neutral(state: State, manager: Value) -> bool:
    """Return whether a context manager does not change what is computed."""
    if isinstance(manager, Reference):
        cell = state.heap[manager.identity]
        kinds = (contextlib.nullcontext, warnings.catch_warnings, numpy.errstate)
        return isinstance(cell, ObjectCell) and cell.kind in kinds
    if not isinstance(manager, Known):
        return False
    match manager.value:
        case torch.device():
            # Known values and programs are on the CPU, where PyTorch puts what is made without a
            # device already.
            return manager.value.type == torch.get_default_device().type == "cpu"
        case _:
            neutral = (*_GIVING_NOTHING, *_GIVING_THEMSELVES, contextlib.nullcontext, KernelFlags)
            return isinstance(manager.value, neutral)


def given_by(frame: Frame, node: cst.CSTNode, state: State, manager: Value) -> Outcomes:
    """Return what a neutral manager gives to ``with manager as name``."""
    content = manager.value if isinstance(manager, Known) else None
    if isinstance(content, _GIVING_NOTHING):
        yield state, Known(None)
    elif isinstance(content, _GIVING_THEMSELVES):
        if isinstance(content, torch.autocast):
            refuse_stale_casts(frame, node, content)
        yield state, manager
    elif isinstance(content, KernelFlags):
        if content.is_entered:
            frame.refuse("DYCL064", node, "a context manager is used twice")
        content.is_entered = True
        yield state, Known(None)
    elif is_scope(state, manager) or settings_of(state, manager) is not None:
        if is_scope(state, manager):
            refuse_records(frame, node, state, manager)
        yield enter(frame, node, state, manager), Known(None)
    else:
        yield from get_attribute(frame, node, state, manager, "enter_result")


def mode_set(manager: Value) -> bool | None:
    """Return whether gradients are computed under a manager, None where it leaves that as it is."""
    return grad_modes_around.mode_set(manager.value) if isinstance(manager, Known) else None


@contextlib.contextmanager
def in_force(frame: Frame, state: State, manager: Value) -> Iterator[None]:
    """While a suite under ``torch.no_grad()`` or ``catch_warnings()`` is executed, say so."""
    modes, scopes = list(frame.run.grad_modes), list(frame.run.warning_scopes)
    errors, autocasts = list(frame.run.numpy_errors), list(frame.run.autocasts)
    if (settings := settings_of(state, manager)) is not None:
        frame.run.numpy_errors.append(settings)
    if isinstance(manager, Reference) and is_scope(state, manager):
        frame.run.warning_scopes.append(manager)
    mode = mode_set(manager)
    if mode is not None:
        frame.run.grad_modes.append(mode)
    content = manager.value if isinstance(manager, Known) else None
    refuse_inference(frame, frame.statement or frame.source.node, [content])
    if isinstance(content, torch.autocast):
        frame.run.autocasts.append(content)
    try:
        with content.set() if isinstance(content, KernelFlags) else contextlib.nullcontext():
            yield
    finally:
        frame.run.grad_modes[:] = modes
        frame.run.warning_scopes[:] = scopes
        frame.run.numpy_errors[:] = errors
        frame.run.autocasts[:] = autocasts


@special(contextlib.nullcontext)
def nullcontext_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``nullcontext(given)``: an object that holds what it gives."""
    given = [*positional, *(v for name, v in keywords.items() if name == "enter_result")]
    if len(given) != len(positional) + len(keywords) or len(given) > 1:
        function = Known(contextlib.nullcontext)
        yield from call_library(frame, node, state, function, positional, keywords)
        return
    result = given[0] if given else Known(None)
    cell = ObjectCell(contextlib.nullcontext, {"enter_result": result})
    yield state, frame.run.allocate(state, cell)


def _choosing(chooser: Callable[..., object], substitute: Callable[..., object]) -> None:
    """Have PyTorch's choice of kernels for attention change nothing."""

    @special(chooser)
    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if not _may_be_math(state, substitute, positional, keywords):
            frame.refuse("DYCL064", node, "attention is kept from its plain kernel (MATH)")
        return call_value(frame, node, state, Known(substitute), positional, keywords)


def _may_be_math(
    state: State, chooser: Callable[..., object], positional: Positional, keywords: Keywords
) -> bool:
    """Return whether the kernel that works for all operands is among those chosen.

    Others raise for some. Which one is taken makes a difference of rounding only.
    """
    try:
        bound = inspect.signature(chooser).bind(*positional, **keywords)
    except TypeError:
        return True  # the call raises
    if "backends" not in bound.signature.parameters:
        enabled = bound.arguments.get("enable_math", Known(True))
        return isinstance(enabled, Known) and enabled.value is True
    given = known_object(state, bound.arguments["backends"])
    backends = given.value if given is not None else []
    return SDPBackend.MATH in (backends if isinstance(backends, list) else [backends])


_choosing(torch.nn.attention.sdpa_kernel, attention_kernels.sdpa_kernel)
_choosing(torch.backends.cuda.sdp_kernel, attention_kernels.sdp_kernel)
special(torch.fx.traceback.annotate)(inlined(annotations.annotate))
