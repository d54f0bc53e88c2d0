"""``slice(a, b)`` with bounds known only at run time: what ``a:b`` between brackets is."""

import libcst as cst

from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known, SliceValue, Value

_BOUNDS: dict[int, tuple[int | None, int | None, int | None]] = {
    1: (None, 0, None),
    2: (0, 1, None),
    3: (0, 1, 2),
}
"""Where start, stop and step stand among so many arguments."""


@special(slice)
def slice_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Make a slice; one of known bounds now."""
    known = all(known_object(state, value) is not None for value in positional)
    if known or keywords or len(positional) not in _BOUNDS:
        return call_library(frame, node, state, Known(slice), positional, keywords)
    start, stop, step = (_at(positional, place) for place in _BOUNDS[len(positional)])
    return iter([(state, SliceValue(start, stop, step))])


def _at(positional: Positional, place: int | None) -> Value:
    return NONE if place is None else positional[place]
