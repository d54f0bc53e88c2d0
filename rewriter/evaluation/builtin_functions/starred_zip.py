"""``zip(*rows)`` where the number of rows is known only at run time: it gives known columns."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.host_type_relations import decided
from rewriter.host_types import SequenceType, TupleType
from rewriter.prelude import transposing
from rewriter.state import State
from rewriter.values import Known, Value


def is_starred_zip(node: cst.Call, function: Value) -> bool:
    """Return whether a call is ``zip(*rows)`` and nothing more."""
    alone = len(node.args) == 1 and node.args[0].star == "*"
    return alone and isinstance(function, Known) and function.value is zip


def starred_zip(frame: Frame, node: cst.Call, state: State) -> Iterator[tuple[State, Value, bool]]:
    """Yield the rows of ``zip(*rows)``, and whether they are a list of run time."""
    for after, rows in evaluate(frame, node.args[0].value, state):
        if not is_run_time(after, rows):
            yield after, rows, False
            continue
        for done, listed in call_value(frame, node, after, Known(transposing.listed), [rows], {}):
            yield done, listed, True


def columns_of(frame: Frame, node: cst.CSTNode, state: State, rows: Value) -> Outcomes:
    """Yield an iterator over the columns of a run-time list of tuples."""
    cell = run_time_cell(state, rows)
    element = decided(cell.type.element) if cell and isinstance(cell.type, SequenceType) else None
    if not isinstance(element, TupleType):
        frame.refuse(
            "DYCL041",
            node,
            "zip(*rows) needs to know how many columns there are, and the rows are no tuples of "
            "one known length",
        )
    width = Known(len(element.items))
    yield from call_value(frame, node, state, Known(transposing.columns), [rows, width], {})
