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
from rewriter.host_types import PLAIN, SequenceType, TensorType
from rewriter.prelude import making_tensors
from rewriter.size_expressions import Size
from rewriter.state import State
from rewriter.values import Known, Reference, RunTimeCell, ScalarValue, TupleValue, Value

_FUNCTIONS = {2: making_tensors.rows, 3: making_tensors.matrices}


def nested_tensor(
    frame: Frame, node: cst.CSTNode, state: State, data: Reference, dtype: torch.dtype | None
) -> Outcomes | None:
    """Return the tensor of a run-time list of lists or of tensors; None for other lists."""
    cell = run_time_cell(state, data)
    assert cell is not None and isinstance(cell.type, SequenceType)
    element = decided(cell.type.element)
    if isinstance(element, TensorType) and element.like.dim() == 0:
        if dtype is not None and not converts([element.like.dtype], dtype):
            return None
        arguments: list[Value] = [data, Known(dtype)]
        return call_value(frame, node, state, Known(making_tensors.of_tensors), arguments, {})
    found = nest_of(cell.type)
    if found is None or found[0] not in _FUNCTIONS:
        return None
    depth, kinds = found
    if dtype is not None or kinds <= {bool, int, float}:
        return _of_numbers(frame, node, state, data, dtype, depth, kinds)
    if None in kinds:
        return None  # integers alone, or with floats among them: another element type
    return _by_floats(frame, node, state, data, depth, kinds)


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
    assert isinstance(shape, TupleValue) and isinstance(dtype, Known)
    cell = run_time_cell(state, data)
    found = None if cell is None else nest_of(cell.type)
    kinds = {kind if kind in (bool, int) else float for kind in (found[1] if found else ())}
    sizes = tuple(_size(frame, size) for size in shape.items)
    expression = render(frame.run, state, data)
    yield state, tensor_from_host(frame, node, state, expression, dtype.value, sizes, kinds)


def _size(frame: Frame, value: Value) -> Size:
    if isinstance(value, Known):
        size: Size = value.value
        return size
    if not isinstance(value, ScalarValue):
        raise UsedPoison
    size = value.size if value.size is not None else frame.run.symbol_of(value.name)
    sized(frame.run, value, size)
    return size
