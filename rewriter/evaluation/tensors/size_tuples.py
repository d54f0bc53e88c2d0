"""``torch.Size`` made by the program, and what it adds to tuples."""

import libcst as cst
import torch

from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TupleValue, Value


@special(torch.Size)
def size_of_items(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.Size(sizes)`` of a list or tuple of integers."""
    items = sequence_items(state, positional[0]) if len(positional) == 1 else None
    if keywords or items is None or not all(map(_is_integer, items)):
        yield from call_library(frame, node, state, Known(torch.Size), positional, keywords)
    elif all(isinstance(item, Known) for item in items):
        yield state, Known(torch.Size([i.value for i in items if isinstance(i, Known)]))
    else:
        yield state, TupleValue(items, torch.Size)


def _is_integer(item: Value) -> bool:
    if isinstance(item, Known):
        return type(item.value) is int
    return isinstance(item, ScalarValue) and item.type is int
