"""Indices that containers of known structure do not take."""

import libcst as cst

from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_index
from rewriter.evaluation.containers.containers import describe, sequence_items
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, TupleValue, Value, ViewValue


def no_item(frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value) -> None:
    """Raise what Python raises for an index of a kind that sequences do not take."""
    empty: object = () if sequence_kind(value) == "tuple" else []
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    others = isinstance(cell, ListCell) and cell.kind not in (list, tuple)
    in_row = sequence_items(state, value) is not None and not others
    error = misfit_of_index(state, empty, index) if in_row else None
    if error is None:
        refused = f"{describe(state, value)} is indexed by {describe(state, index)}"
        frame.refuse("DYCL056", node, refused)
    frame.run.raise_known(state, error)


def class_without_items(value: Value) -> str | None:
    """Return the class of a value that is no container of elements, None for others."""
    if isinstance(value, ViewValue):
        return f"dict_{value.part}"
    if isinstance(value, Known) and not _has_items(value.value):
        return type(value.value).__name__
    return None


def _has_items(content: object) -> bool:
    """Return whether an object has elements at all, or is a class, as ``list[int]``."""
    return hasattr(type(content), "__getitem__") or isinstance(content, type)


def sequence_kind(value: Value) -> str:
    """Return what Python calls a container in the text of an IndexError."""
    content = value.value if isinstance(value, Known) else None
    if isinstance(value, TupleValue) or isinstance(content, tuple):
        return "tuple"
    return "string" if isinstance(content, str) else "list"
