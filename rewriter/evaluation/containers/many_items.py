"""Containers of many objects of which a value of run time chooses one: they move to the host."""

import libcst as cst

from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_mappings import mapping_item, with_any_keys
from rewriter.evaluation.run_time.run_time_sequences import sequence_item, to_run_time
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import DictCell, Reference, Value


def chosen_of_many(
    frame: Frame, node: cst.CSTNode, state: State, table: Value | None, index: Value, among: str
) -> Outcomes:
    """Index a list or dict of more objects than there may be paths.

    One that the call has made exists at run time only from here on. ``among`` says of how many
    is chosen where it is another one.
    """
    if not isinstance(table, Reference) or not _may_move(frame, state, table):
        frame.refuse("DYCL020", node, f"a run-time {among} objects")
    if isinstance(state.heap[table.identity], DictCell):
        with_any_keys(frame, node, state, table)
        yield from mapping_item(frame, node, state, table, index)
        return
    moved = to_run_time(frame, node, state, table)
    assert isinstance(moved.type, SequenceType)
    yield from sequence_item(frame, node, state, moved, moved.type, index)


def _may_move(frame: Frame, state: State, table: Reference) -> bool:
    """Return whether the host can hold a container that is nobody else's."""
    if table.identity in frame.run.lasting_cells:
        return False
    try:
        type_of(state, table)
    except NoHostType:
        return False
    return True
