"""Copies of objects that exist at run time only: the host makes them as Python does."""

import copy

import libcst as cst

from rewriter.evaluation.containers.container_classes import SAYING_COPIES
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_objects import made
from rewriter.host_type_properties import holds
from rewriter.host_types import Decided, HandleType, RecordType, SequenceType
from rewriter.state import State
from rewriter.values import Reference, RunTimeCell


def copied_on_host(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, *, deep: bool
) -> Reference:
    """Return a copy of an object of the host, with the same parts or with copies of them."""
    cell = state.cell(value, RunTimeCell)
    if deep and holds(cell.type, lambda part: isinstance(part, HandleType)):
        frame.refuse("DYCL059", node, "a deep copy of a dict or set of objects of a class")
    if holds(cell.type, _says_copies) if deep else _says_copies(cell.type):
        frame.refuse("DYCL059", node, "a copy of an object whose class says how it is copied")
    if not deep and isinstance(cell.type, SequenceType) and cell.kind is tuple:
        return value
    function = copy.deepcopy if deep else copy.copy
    called = frame.run.builder.reference(function, f"copy.{function.__name__}")
    whole = call_expression(called, [name_expression(cell.name)])
    found = made(frame, node, state, whole, cell.type, may_raise=False)
    new = state.cell(found, RunTimeCell)
    state.heap[found.identity] = RunTimeCell(new.name, new.type, cell.factory)
    return found


def _says_copies(given: Decided) -> bool:
    return isinstance(given, RecordType) and any(
        user_method(given.kind, name) is not None for name in SAYING_COPIES
    )
