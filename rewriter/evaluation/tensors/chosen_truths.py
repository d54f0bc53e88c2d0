"""Truths known only at run time as parts of a tensor's index: ``x[n > 2, :, 1] = 0``.

PyTorch takes all, or nothing, in a dimension of its own, so that sizes depend on it: each is
known on a path of its own.
"""

import libcst as cst

from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_indexing import replaced_parts
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value


def with_chosen_truths(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Outcomes:
    """Yield an index in which every truth is known."""

    def chosen(before: State, part: Value) -> Outcomes:
        if not _is_truth(part):
            yield before, part
            return
        for after, truth in truths(frame, node, before, part):
            yield after, Known(truth)

    return replaced_parts(state, index, _is_truth, chosen)


def _is_truth(part: Value) -> bool:
    return isinstance(part, ScalarValue) and part.type is bool
