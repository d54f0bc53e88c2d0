"""``Function.apply``: custom autograd functions are their forward when nothing is trained."""

import types

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Value


class Context:
    """What a forward sees as ``ctx``: it can be written, and is never read by a backward."""

    def save_for_backward(self, *tensors: object) -> None:
        """Nothing is trained: nothing is kept."""

    def save_for_forward(self, *tensors: object) -> None:
        """Nothing is trained: nothing is kept."""

    def mark_dirty(self, *tensors: object) -> None:
        """Writes in place are seen by the evaluator itself."""

    def mark_non_differentiable(self, *tensors: object) -> None:
        """Nothing is trained."""

    def set_materialize_grads(self, value: object) -> None:
        """Nothing is trained."""


def applied_function(function: object) -> type[torch.autograd.Function] | None:
    """Return the autograd function that a bound ``apply`` belongs to, else None."""
    owner = getattr(function, "__self__", None)
    if (
        isinstance(function, types.MethodType | types.BuiltinMethodType)
        and isinstance(owner, type)
        and issubclass(owner, torch.autograd.Function)
        and function.__name__ == "apply"
    ):
        return owner
    return None


def apply_function(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[torch.autograd.Function],
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``kind.apply(arguments)``: the forward, with a context unless it is set up apart."""
    if frame.run.plan.differentiates and any(frame.run.grad_modes[-1:]):
        frame.refuse(
            "DYCL045",
            node,
            f"{kind.__name__} says itself how gradients are computed, and the call computes some",
            "write it with operations of torch, or call it under torch.no_grad()",
        )
    separate = kind.setup_context is not torch.autograd.Function.setup_context
    if not separate:
        context = frame.run.allocate(state, ObjectCell(Context, {}))
        positional = [context, *positional]
    return call_value(frame, node, state, Known(kind.forward), positional, keywords)
