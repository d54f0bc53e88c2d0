"""``@torch.no_grad()`` and the like over functions that are defined in the call."""

import dataclasses

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import grad_modes
from rewriter.state import State
from rewriter.values import FunctionValue, Known


def decorating_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of such a mode that exists at compile time, None for others."""
    modes = (torch.no_grad, torch.enable_grad, torch.inference_mode)
    if type(content) not in modes and not isinstance(content, torch.autocast):
        return None

    def decorate(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if keywords or not _are_plain(positional):
            return call_library(frame, node, state, Known(content), positional, keywords)
        return _under(frame, node, state, content, positional)

    return decorate


def _without_parentheses(mode: type) -> SpecialRule:
    """Return the rule for ``@torch.no_grad``, which is ``@torch.no_grad()``."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if keywords or not _are_plain(positional):
            return call_library(frame, node, state, Known(mode), positional, keywords)
        return _under(frame, node, state, mode(), positional)

    return call


for _mode in (torch.no_grad, torch.enable_grad):
    special(_mode)(_without_parentheses(_mode))


def _are_plain(positional: Positional) -> bool:
    """Return whether a single function is given that runs to its end when it is called."""
    return len(positional) == 1 and all(
        isinstance(value, FunctionValue) and not value.source.scope.is_generator
        for value in positional
    )


def _under(
    frame: Frame, node: cst.CSTNode, state: State, mode: object, positional: Positional
) -> Outcomes:
    (given,) = positional
    arguments = [Known(mode), given]
    for after, made in call_value(frame, node, state, Known(grad_modes.under), arguments, {}):
        assert isinstance(made, FunctionValue) and isinstance(given, FunctionValue)
        source = dataclasses.replace(made.source, name=given.source.name)
        yield after, dataclasses.replace(made, source=source)
