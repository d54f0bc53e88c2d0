"""``torch.distributions``: what its source calls that is not evaluated as it stands."""

import libcst as cst
import torch
from torch.distributions import kl

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known


@special(kl.kl_divergence)
def kl_divergence(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``kl_divergence(p, q)``: the formula that is registered for their two classes."""
    both = [*positional, *(keywords[name] for name in ("p", "q") if name in keywords)]
    kinds = [class_of(state, each) for each in both]
    if len(kinds) != 2 or None in kinds:
        frame.refuse("DYCL039", node, "kl_divergence() of these objects is not supported")
    formula = kl._dispatch_kl(*kinds)  # type: ignore[no-untyped-call]
    if formula is NotImplemented:
        names = [kind.__name__ for kind in kinds if kind is not None]
        text = f"No KL(p || q) is implemented for p type {names[0]} and q type {names[1]}"
        frame.run.raise_known(state, NotImplementedError(text))
        return iter(())
    return call_value(frame, node, state, Known(formula), both, {})


@special(torch._is_all_true)
def is_all_true(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch._is_all_true(x)``: ``all``, which backends have."""
    del keywords
    tensor = tensor_of(positional[0])
    if tensor is None or tensor.dtype != torch.bool:
        frame.refuse("DYCL039", node, "_is_all_true() of what is no tensor of truths")
    return call_value(frame, node, state, Known(torch.all), positional, {})
