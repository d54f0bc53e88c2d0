"""Augmented assignment to elements of tensors at integers of run time: ``y[i] += x``."""

import libcst as cst
import torch

from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.operators.operators import binary
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.chosen_overlaps import may_overlap_partly
from rewriter.size_expressions import keys_of
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Value


def combined_apart(
    frame: Frame, node: cst.AugAssign, state: State, old: Value, plain: type[cst.CSTNode]
) -> Outcomes:
    """Combine elements selected by run-time integers, which share no memory with the tensor."""
    before = tensor_of(old)
    assert before is not None
    for after, value in evaluate(frame, node.value, state):
        _refuse_overlap(frame, node, before, tensor_of(value))
        for done, new in binary(frame, node, after, plain, old, value):
            if (made := tensor_of(new)) is None or not _fits(made, before):
                frame.refuse(
                    "DYCL057",
                    node,
                    "elements chosen by run-time integers are combined in place with something of "
                    "another shape or type",
                )
            frame.finish_reading(done)
            yield done, new


def _refuse_overlap(
    frame: Frame, node: cst.AugAssign, before: torch.Tensor, value: torch.Tensor | None
) -> None:
    """Refuse an operand that PyTorch may read after it has written some of its elements."""
    storages = frame.run.storages
    chosen = storages.chosen.get(storage_key(before))
    if chosen and value is not None and may_overlap_partly(storages, chosen, value):
        frame.refuse(
            "DYCL035",
            node,
            "elements chosen by run-time integers are combined in place with what may be some of "
            "them",
            "clone() what is read",
        )


def _fits(made: torch.Tensor, before: torch.Tensor) -> bool:
    """Return whether an operator in place would give this: the shape stays, the type holds it."""
    same = keys_of(made.shape) == keys_of(before.shape)
    return same and torch.can_cast(made.dtype, before.dtype)
