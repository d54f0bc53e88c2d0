"""``torch.Size`` made by the program, and what it adds to tuples."""

import libcst as cst
import torch

from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.containers import is_integer, sequence_items, tuple_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known


@special(torch.Size)
def size_of_items(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.Size(sizes)`` of a list or tuple of integers."""
    items = sequence_items(state, positional[0]) if len(positional) == 1 else None
    if keywords or items is None or not all(map(is_integer, items)):
        yield from call_library(frame, node, state, Known(torch.Size), positional, keywords)
    else:
        yield state, tuple_value(items, torch.Size)
