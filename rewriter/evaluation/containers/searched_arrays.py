"""``in`` of tensors and arrays: whether any element is equal."""

import libcst as cst
import numpy
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.array_memory import is_host_array
from rewriter.evaluation.host.trying_functions import is_known_array
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, MethodValue, ScalarValue, TensorValue, Value


def comparable(values: tuple[Value, ...]) -> bool:
    """Return whether ``==`` between tensors and what else is there is a tensor operation."""
    if not any(isinstance(value, TensorValue) for value in values):
        return True
    return all(
        isinstance(value, TensorValue | ScalarValue)
        or (isinstance(value, Known) and isinstance(value.value, bool | int | float | torch.Tensor))
        for value in values
    )


def is_array(value: Value) -> bool:
    """Return whether a value is an array."""
    return is_known_array(value) or is_host_array(value)


def _is_number(value: Value) -> bool:
    """Return whether an array of numbers may be searched for a value."""
    if isinstance(value, Known):
        return isinstance(value.value, bool | int | float | numpy.generic)
    return isinstance(value, ScalarValue) or is_host_array(value)


def in_tensor(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    item: Value,
    container: Value,
    negated: bool,
) -> Outcomes:
    """Evaluate ``item in tensor``, or in an array: whether any element is equal."""
    if not (
        comparable((item, container)) if isinstance(container, TensorValue) else _is_number(item)
    ):
        frame.refuse("DYCL053", node, "`in` is not supported between these values")
    for after, equal in ordered(frame, node, state, cst.Equal, item, container):
        for found, some in call_value(frame, node, after, MethodValue(equal, "any"), [], {}):
            for tested, truth in truths(frame, node, found, some):
                yield tested, Known(truth is not negated)
