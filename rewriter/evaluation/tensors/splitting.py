"""Tensors split by a list of sizes that only exists at run time: as the prelude's loops."""

from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.host_types import SequenceType
from rewriter.prelude import parting
from rewriter.state import State
from rewriter.values import Known, Value

_BY_SIZES: dict[str, tuple[Callable[..., object], str]] = {
    "split": (parting.split, "split_size_or_sections"),
    "split_with_sizes": (parting.split_with_sizes, "split_sizes"),
}
"""What splits in the prelude, by name, and how it calls the sizes."""


def split_by_list(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return the parts of a tensor that a run-time list tells, None for other calls."""
    if name not in _BY_SIZES:
        return None
    function, keyword = _BY_SIZES[name]
    if keyword == "split_size_or_sections" and "split_size" in keywords:  # as the method calls it
        keywords = {**keywords, keyword: keywords["split_size"]}
        del keywords["split_size"]
    sizes = positional[1] if len(positional) > 1 else keywords.get(keyword)
    cell = None if sizes is None else run_time_cell(state, sizes)
    if cell is None or not isinstance(cell.type, SequenceType):
        return None
    return call_value(frame, node, state, Known(function), positional, keywords)
