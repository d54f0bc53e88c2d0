"""``table[i][j]`` where the row is known only at run time: one look-up by the host.

A row that is chosen gets a path of its own, as it may be changed, or asked which it is. One that is
only looked into at once needs none: the host has the numbers in a display.
"""

import ast
from typing import TypeAlias

import libcst as cst

from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.host.host_typing import NoHostType, common_type
from rewriter.evaluation.operators.truth import scalar_type
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import taken
from rewriter.host_type_relations import decided
from rewriter.host_types import PLAIN, HostType, NumberType
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Reference,
    ScalarValue,
    TensorValue,
    Value,
)

Rows: TypeAlias = tuple[tuple[Value, ...], ...]


def is_calm(node: cst.Subscript) -> bool:
    """Return whether an index may be evaluated before what it is an index of: a name, a number."""
    if len(node.slice) != 1 or isinstance(node.slice[0].comma, cst.Comma):
        return False
    part = node.slice[0].slice
    return isinstance(part, cst.Index) and isinstance(part.value, cst.Name | cst.Integer)


def rows_of(frame: Frame, state: State, table: Value, place: Value) -> Rows | None:
    """Return the rows among which a run-time number chooses, None where each gets a path.

    So it is where a ``try`` may catch that there is none: what raises is known then.
    """
    if frame.run.guarded or not _is_run_time_integer(place):
        return None
    rows = _items(state, table)
    found = [] if rows is None else [_items(state, row) for row in rows]
    if not found or None in found:
        return None
    whole = tuple(row for row in found if row)
    lengths = {len(row) for row in whole}
    if len(whole) != len(found) or len(lengths) != 1 or number_type(state, sum(whole, ())) is None:
        return None
    return whole


def number_type(state: State, numbers: tuple[Value, ...]) -> HostType | None:
    """Return the type of numbers that are of one type, some of run time; None for others.

    Where all are known, the chosen one is worth a path on which it is known: it may be a size, or
    decide what is called. So is what equals a size.
    """
    if not any(isinstance(number, ScalarValue) for number in numbers):
        return None
    if not all(map(_is_open, numbers)):
        return None
    try:
        found = common_type(state, numbers)
    except NoHostType:
        return None
    kind = decided(found)
    return found if isinstance(kind, NumberType) and kind.kind not in (None, PLAIN) else None


def _is_open(number: Value) -> bool:
    if isinstance(number, Known):
        return type(number.value) in (bool, int, float)
    return isinstance(number, ScalarValue) and number.size is None and number.type is not None


def _is_run_time_integer(place: Value) -> bool:
    if isinstance(place, TensorValue):
        return place.fake.dim() == 0 and scalar_type(place.fake.dtype) is int
    return isinstance(place, ScalarValue) and place.type is int


def _items(state: State, table: Value) -> tuple[Value, ...] | None:
    """Return the items of a list of Python's own, None for anything else."""
    match table:
        case Reference() if isinstance(cell := state.heap[table.identity], ListCell):
            return cell.items if cell.kind is list else None
        case Known() if type(table.value) is list:
            return sequence_items(state, table)
        case _:
            return None


def looked_up(
    frame: Frame, node: cst.CSTNode, state: State, rows: Rows, place: Value, index: Value
) -> Outcomes | None:
    """Return the outcomes of ``rows[place][index]``; None where the index is no number."""
    found = number_type(state, sum(rows, ()))
    assert found is not None
    chosen = render(frame.run, state, place)
    if isinstance(index, Known) and type(index.value) is int:
        try:
            column = [row[index.value] for row in rows]
        except IndexError:
            return None
        display = _display([render(frame.run, state, number) for number in column])
        return taken(frame, node, state, _item(display, chosen), found)
    if not isinstance(index, ScalarValue) or index.type is not int:
        return None
    lists = [_display([render(frame.run, state, number) for number in row]) for row in rows]
    row = _item(_display(lists), chosen)
    return taken(frame, node, state, _item(row, render(frame.run, state, index)), found)


def _display(parts: list[ast.expr]) -> ast.expr:
    return ast.List(elts=parts, ctx=ast.Load())


def _item(display: ast.expr, place: ast.expr) -> ast.expr:
    return ast.Subscript(value=display, slice=place, ctx=ast.Load())
