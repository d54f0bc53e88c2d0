"""``torch.tensor`` of run-time lists of rows, of lists of rows, and of tensors of one element."""

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.host.host_tensors import tensor_from_host
from rewriter.evaluation.host.plain_numbers import has_floats, nest_of
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.evaluation.tensors.element_tensors import converts
from rewriter.evaluation.tensors.size_values import sized
from rewriter.host_type_relations import decided
from rewriter.host_types import PLAIN, HostType, SequenceType, TensorType, TupleType
from rewriter.prelude import making_tensors
from rewriter.size_expressions import Size
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TupleValue,
    Value,
)

_FUNCTIONS = {2: making_tensors.rows, 3: making_tensors.matrices}


def nested_tensor(
    frame: Frame, node: cst.CSTNode, state: State, data: Reference, dtype: torch.dtype | None
) -> Outcomes | None:
    """Return the tensor of a run-time list of lists or of tensors; None for other lists."""
    cell = run_time_cell(state, data)
    assert cell is not None and isinstance(cell.type, SequenceType)
    element = decided(cell.type.element)
    row = _row_items(element)
    sources = {_element_type(item) for item in ((element,) if row is None else row)}
    source = sources.pop() if len(sources) == 1 else None
    if source is not None:
        if dtype is not None and not converts([source], dtype):
            return None
        made = making_tensors.of_tensors if row is None else making_tensors.rows_of_tensors
        return call_value(frame, node, state, Known(made), [data, Known(dtype)], {})
    found = nest_of(cell.type)
    if found is None or found[0] not in _FUNCTIONS:
        return None
    depth, kinds = found
    if dtype is not None or kinds <= {bool, int, float}:
        return _of_numbers(frame, node, state, data, dtype, depth, kinds)
    if None in kinds:
        return None  # integers alone, or with floats among them: another element type
    return _by_floats(frame, node, state, data, depth, kinds)


def _row_items(element: HostType | None) -> tuple[HostType | None, ...] | None:
    """Return the types of what is in a row, one for a list of any length; None for other types."""
    match element:
        case SequenceType(element=item, kind=kind) if kind in (list, tuple):
            return (decided(item),)
        case TupleType(items=items) if element.kind is tuple:
            return tuple(map(decided, items))
        case _:
            return None


def _element_type(item: HostType | None) -> torch.dtype | None:
    """Return the element type of tensors without dimensions, None for other types."""
    return item.like.dtype if isinstance(item, TensorType) and item.like.dim() == 0 else None


def _of_numbers(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    data: Reference,
    dtype: torch.dtype | None,
    depth: int,
    kinds: set[type | None],
) -> Outcomes:
    of_integers = torch.int64 if int in kinds else torch.bool
    made = torch.get_default_dtype() if float in kinds else of_integers
    given: list[Value] = [data, Known(dtype), Known(made)]
    return call_value(frame, node, state, Known(_FUNCTIONS[depth]), given, {})


def tensor_of_rows(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    data: Value,
    dtype: torch.dtype | None,
) -> Outcomes | None:
    """Return the tensor of rows, some of run-time length or of another; None for other nests."""
    rows = _items(state, data) or ()
    if not any(run_time_cell(state, row) for row in rows) and not _are_ragged(state, rows):
        return None
    kinds = _kinds_of_rows(state, rows)
    if kinds is None or (dtype is None and not kinds <= {bool, int, float}):
        return None
    of_integers = torch.int64 if int in kinds else torch.bool
    made = torch.get_default_dtype() if float in kinds else of_integers
    given: list[Value] = [data, Known(dtype), Known(made)]
    return call_value(frame, node, state, Known(making_tensors.rows), given, {})


def _are_ragged(state: State, rows: tuple[Value, ...]) -> bool:
    """Return whether rows of known lengths, which hold numbers of run time, have several."""
    found = [_items(state, row) for row in rows]
    numbers = [item for row in found for item in row or ()]
    lengths = {None if row is None else len(row) for row in found}
    return len(lengths) > 1 and any(isinstance(number, ScalarValue) for number in numbers)


def _kinds_of_rows(state: State, rows: tuple[Value, ...]) -> set[type | None] | None:
    found = [_kinds(state, row) for row in rows]
    return None if None in found else {kind for row in found for kind in (row or ())}


def _items(state: State, data: Value) -> tuple[Value, ...] | None:
    """Return the items of a list or tuple of known length, None for other values."""
    match data:
        case TupleValue() if data.kind is tuple:
            return data.items
        case Reference() if isinstance(cell := state.heap[data.identity], ListCell):
            return cell.items if cell.kind in (list, tuple) else None
        case Known() if type(data.value) in (list, tuple):
            return tuple(map(Known, data.value))
        case _:
            return None


def _kinds(state: State, row: Value) -> set[type | None] | None:
    """Return the types of the numbers of a row, None for what is no row of numbers."""
    cell = run_time_cell(state, row)
    if cell is not None:
        nest = nest_of(cell.type)
        return None if nest is None or nest[0] != 1 else nest[1]
    items = _items(state, row)
    if items is None:
        return None
    kinds = {_kind(item) for item in items}
    return kinds if kinds <= {bool, int, float} else None


def _kind(item: Value) -> type | None:
    match item:
        case ScalarValue():
            return item.type if not item.plain else None
        case Known():
            return type(item.value)
        case _:
            return None


def _by_floats(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    data: Reference,
    depth: int,
    kinds: set[type | None],
) -> Outcomes:
    """Make a tensor of floats where there is one, else one of integers."""
    others = kinds - {PLAIN}
    if float in others:
        yield from _of_numbers(frame, node, state, data, None, depth, others)
        return
    for arm, some in has_floats(frame, node, state, state.cell(data, RunTimeCell), depth):
        number = float if some else int
        yield from _of_numbers(frame, node, arm, data, None, depth, {*others, number})


@special(making_tensors.filled)
def filled(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Make a tensor of a nest of lists on the host, whose shape is known to be regular."""
    del keywords
    data, shape, dtype = positional
    assert isinstance(shape, TupleValue | Known) and isinstance(dtype, Known)
    given = shape.items if isinstance(shape, TupleValue) else map(Known, shape.value)
    kinds = {kind if kind in (bool, int) else float for kind in _kinds_within(state, data)}
    sizes = tuple(_size(frame, size) for size in given)
    expression = render(frame.run, state, data)
    yield state, tensor_from_host(frame, node, state, expression, dtype.value, sizes, kinds)


def _kinds_within(state: State, data: Value) -> set[type | None]:
    cell = run_time_cell(state, data)
    if cell is None:
        return _kinds_of_rows(state, _items(state, data) or ()) or set()
    found = nest_of(cell.type)
    return found[1] if found else set()


def _size(frame: Frame, value: Value) -> Size:
    if isinstance(value, Known):
        size: Size = value.value
        return size
    if not isinstance(value, ScalarValue):
        raise UsedPoison
    size = value.size if value.size is not None else frame.run.symbol_of(value.name)
    sized(frame.run, value, size)
    return size
