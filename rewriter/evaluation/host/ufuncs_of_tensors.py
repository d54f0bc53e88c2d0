"""numpy's functions of tensors, which give tensors: ``np.sqrt(x)``, ``np.argmax(x)``."""

import libcst as cst
import numpy
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import wrapping_arrays
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value

_ASKING = (
    (numpy.argmax, wrapping_arrays.argmax, {"axis"}),
    (numpy.argmin, wrapping_arrays.argmin, {"axis"}),
    (numpy.argsort, wrapping_arrays.argsort, {"axis", "kind"}),
)
"""Functions that ask a tensor for its own method first, what they come to, and names to give."""


def answered_by_tensor(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Call a function of numpy that hands its result to a tensor; None for other calls."""
    if not positional or not any(_is_tensor(state, value) for value in positional):
        return None
    if isinstance(function.value, numpy.ufunc) and not keywords:
        if len(positional) != function.value.nin:
            return None  # an array that is given for the result
        computed = Known(wrapping_arrays.computed)
        return call_value(frame, node, state, computed, [function, *positional], {})
    for library, asked, names in _ASKING:
        along = set(keywords) <= names and len(positional) + ("axis" in keywords) <= 2
        if function.value is library and along and _is_tensor(state, positional[0]):
            return call_value(frame, node, state, Known(asked), positional, keywords)
    return None


def _is_tensor(state: State, value: Value) -> bool:
    if isinstance(value, TensorValue):
        return True
    known = known_object(state, value) if isinstance(value, Known) else None
    return known is not None and isinstance(known.value, torch.Tensor)
