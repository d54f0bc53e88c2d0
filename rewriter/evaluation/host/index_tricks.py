"""numpy's objects that join what is between their brackets: ``np.r_[a, b]``, ``np.mgrid[0:n]``."""

import libcst as cst
import numpy

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, TupleValue, Value

_JOINING = (*type(numpy.r_).__bases__, *type(numpy.mgrid).__bases__)


def is_trick(value: object) -> bool:
    """Return whether an object makes an array of what is between its brackets."""
    return isinstance(value, _JOINING)


def trick_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes | None:
    """Evaluate ``value[index]`` of these objects, None for others.

    It is a call that makes an array. ``np.s_[a:b]`` is what is in its brackets.
    """
    if not isinstance(value, Known):
        return None
    trick = value.value
    if is_trick(trick):
        path = None if value.path is None else f"{value.path}.__getitem__"
        taking = Known(trick.__getitem__, path)
        return call_value(frame, node, state, taking, [index], {})
    if isinstance(trick, type(numpy.s_)):
        whole = isinstance(index, TupleValue) or (
            isinstance(index, Known) and isinstance(index.value, tuple)
        )
        one = trick.maketuple and not whole
        return iter([(state, TupleValue((index,)) if one else index)])
    return None
