"""Dicts made of dicts of which one exists at run time only: ``{**table, key: item}``, ``a | b``."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.containers.containers import is_plain_dict
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_mappings import mapping_method
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.host_types import MappingType
from rewriter.state import State
from rewriter.values import DictCell, Reference, Value


def is_run_time_mapping(state: State, value: Value) -> bool:
    """Return whether a value is a dict whose keys are known only at run time."""
    cell = run_time_cell(state, value)
    return cell is not None and isinstance(cell.type, MappingType)


def put_all(
    frame: Frame, node: cst.CSTNode, state: State, table: Reference, given: Value
) -> Iterator[State]:
    """Put all items of one dict into another one, which nobody else holds yet."""
    for after, _ in mapping_method(frame, node, state, table, "update", [given], {}):
        yield after


def mapping_operator(
    frame: Frame, node: cst.CSTNode, state: State, name: str, left: Value, right: Value
) -> Outcomes | None:
    """Return the outcomes of ``a | b`` of plain dicts, None for anything else."""
    if name != "or_" or not (_is_plain(state, left) and _is_plain(state, right)):
        return None
    return _merged(frame, node, state, left, right)


def _merged(frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value) -> Outcomes:
    table = frame.run.allocate(state, DictCell({}))
    for first in put_all(frame, node, state, table, left):
        for after in put_all(frame, node, first, table, right):
            yield after, table


def _is_plain(state: State, value: Value) -> bool:
    cell = run_time_cell(state, value)
    if cell is None:
        return is_plain_dict(state, value)
    return isinstance(cell.type, MappingType) and cell.type.kind is dict and not cell.type.maker
