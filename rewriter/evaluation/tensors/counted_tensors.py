"""``F.one_hot`` and ``torch.arange`` whose size no leaf can tell: made of other operations."""

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.integer_arguments import with_integers
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.calls.torch_calls import call_torch
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import making_tensors
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value


@special(torch.nn.functional.one_hot)
def one_hot(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """A leaf where the number of classes is known."""
    positional, keywords = with_integers(frame, node, state, "one_hot", positional, keywords)
    classes = [*positional[1:], *keywords.values()]
    counted = bool(classes) and isinstance(classes[-1], Known) and classes[-1].value != -1
    if not counted and positional and isinstance(positional[0], TensorValue):
        function = Known(making_tensors.one_hot)
        return call_value(frame, node, state, function, positional, keywords)
    function = Known(torch.nn.functional.one_hot, "torch.nn.functional.one_hot")
    return call_torch(frame, node, state, function, positional, keywords)


@special(torch.arange)
def arange(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """A leaf but for floats of run time, where each element is an integer."""
    ends = [Known(0), *positional] if len(positional) == 1 else positional
    if not keywords and len(ends) == 2 and _counts(*ends):
        return call_value(frame, node, state, Known(making_tensors.arange), ends, {})
    function = Known(torch.arange, "torch.arange")
    return call_torch(frame, node, state, function, positional, keywords)


def _counts(start: Value, end: Value) -> bool:
    """Return whether a range goes by ones from a known integer to a float of run time."""
    known = isinstance(start, Known) and type(start.value) is int
    return known and isinstance(end, ScalarValue) and end.type is float
