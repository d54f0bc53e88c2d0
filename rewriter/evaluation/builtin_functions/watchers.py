"""What PyTorch asks of those who watch its calls: what is compiled runs, and nobody does."""

import libcst as cst
import torch

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known


@special(
    torch._C._is_tracing,
    torch._C._are_functorch_transforms_active,
    torch._C._is_torch_function_mode_enabled,
    torch._C._has_torch_function,
    torch._C._has_torch_function_unary,
    torch._C._has_torch_function_variadic,
)
def is_watched(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch._C._is_tracing()`` and the like: what is compiled runs, and nobody follows it."""
    del frame, node, positional, keywords
    yield state, Known(False)


@special(torch._C._get_tracing_state, torch._C._get_dispatch_mode)
def tracing_state(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch._C._get_tracing_state()`` and the like: as for ``_is_tracing``."""
    del frame, node, positional, keywords
    yield state, NONE


@special(torch._C._log_api_usage_once)
def log_api_usage(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch._C._log_api_usage_once(name)``: PyTorch counts its callers, and does nothing else."""
    del frame, node, positional, keywords
    yield state, NONE
