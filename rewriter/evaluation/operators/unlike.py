"""``==`` between a container and what is none: a number, a text, None."""

from collections import Counter, OrderedDict, defaultdict, deque

import libcst as cst

from rewriter.evaluation.run import Outcomes
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TupleValue,
    Value,
)


def never_equal(
    state: State, kind: type[cst.CSTNode], left: Value, right: Value
) -> Outcomes | None:
    """Compare a list, dict, set or tuple with None, a text or a number: these are never equal."""
    if kind not in (cst.Equal, cst.NotEqual):
        return None
    for one, other in ((left, right), (right, left)):
        cell = state.heap[other.identity] if isinstance(other, Reference) else None
        has_items = isinstance(other, TupleValue) or isinstance(cell, ListCell | DictCell | SetCell)
        has_items = has_items or (isinstance(cell, RunTimeCell) and cell.kind in _CONTAINERS)
        if has_items and _has_no_items(one):
            return iter([(state, Known(kind is cst.NotEqual))])
    return None


_CONTAINERS = (list, dict, set, deque, Counter, OrderedDict, defaultdict)


def _has_no_items(value: Value) -> bool:
    match value:
        case Known(value=content):
            return type(content) in (type(None), bool, int, float, str)
        case ScalarValue(type=kind):
            return kind in (bool, int, float)
        case HostValue(sample=sample):
            return type(sample) is str
        case _:
            return False
