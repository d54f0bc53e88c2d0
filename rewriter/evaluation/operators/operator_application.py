"""Applying a Python operator: now, as a tensor operation, or on the host."""

import ast
import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import libcst as cst
import numpy
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.misfits_of_torch import misfit_of_tensors
from rewriter.evaluation.calls.number_operands import shown_function
from rewriter.evaluation.containers.containers import adopt, container_operator, containers_in
from rewriter.evaluation.control.autocasting import under_autocasts
from rewriter.evaluation.host.array_memory import is_host_array, is_made_on_host, note_made
from rewriter.evaluation.host.array_writes import arrays_in
from rewriter.evaluation.host.host_results import (
    error_of_types,
    host_result,
    is_real_power,
    try_on_samples,
)
from rewriter.evaluation.host.host_samples import Trial, sample_argument
from rewriter.evaluation.host.host_tensors import as_tensor_operands, refuse_integer_power
from rewriter.evaluation.host.numpy_numbers import gives_integer
from rewriter.evaluation.host.plain_numbers import typed_operand
from rewriter.evaluation.host.trying_functions import emit_tried, is_known_array, tried
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.operators.lists_beside_arrays import place_of_list
from rewriter.evaluation.operators.number_members import plain_operands
from rewriter.evaluation.operators.quotients import note_quotient
from rewriter.evaluation.operators.repeating import place_of_times
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import NotMaterial, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.size_relations import decided, relation_of
from rewriter.evaluation.tensors.size_values import computed_size, sized
from rewriter.evaluation.text.text_pieces import note_joined
from rewriter.prelude.halves import in_single_precision
from rewriter.prelude.numbers import number_over_tensor
from rewriter.prelude.powers import real_power
from rewriter.set_history import SetHistory
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    Poison,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
    set_cell,
)

_OF_HALVES = (operator.add, operator.sub, operator.mul, operator.truediv)
_MAKING = (operator.add, operator.mul, operator.or_)
"""Operators that make a container holding the very items of their operands."""


def apply_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
    *,
    may_raise: bool,
) -> Outcomes:
    """Apply a Python operator: now, as a tensor operation, or on the host."""
    if any(isinstance(operand, Poison) for operand in operands):
        raise UsedPoison
    operands = plain_operands(function, operands)
    converted = _converted(frame, node, state, operands, function)
    if converted is not None:
        for after, given in converted:
            yield from apply_operator(
                frame, node, after, given, function, residual, may_raise=may_raise
            )
        return
    knowns = [known_object(state, operand) for operand in operands]
    if any(isinstance(operand, TensorValue) or _is_tensor(operand) for operand in operands):
        yield from _tensor_operator(frame, node, state, operands, function, residual)
    elif (
        function in _MAKING
        and not all(known and isinstance(known.value, set | frozenset) for known in knowns)
        and (
            any(isinstance(operand, Reference | TupleValue) for operand in operands)
            or (None in knowns and any(map(_is_container, operands)))
        )
    ):
        yield from container_operator(frame, node, state, operands, function)
    elif all(known is not None for known in knowns) and not (
        any(map(is_known_array, operands)) and is_made_on_host(frame, node)
    ):
        yield from _known_operator(frame, node, state, operands, knowns, function)
    elif function is operator.pow and is_real_power(operands):
        yield from call_value(frame, node, state, Known(real_power), list(operands), {})
    elif all(isinstance(operand, Known | ScalarValue | HostValue) for operand in operands):
        yield from _host_operator(frame, node, state, operands, function, residual, may_raise)
    else:
        yield from container_operator(frame, node, state, operands, function)


def _converted(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
) -> Iterator[tuple[State, tuple[Value, ...]]] | None:
    """Yield operands that Python or numpy converts first: how often, lists beside arrays."""
    place, conversion = place_of_list(state, operands), Known(numpy.asarray)
    if place is None and function is operator.mul:
        place, conversion = place_of_times(state, operands), Known(operator.index)
    if place is None:
        return None
    before, behind = operands[:place], operands[place + 1 :]
    made = call_value(frame, node, state, conversion, [operands[place]], {})
    return ((after, (*before, value, *behind)) for after, value in made)


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, torch.Tensor)


def _is_container(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, list | tuple | dict | set)


def _tensor_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
) -> Outcomes:
    doubtful = function is operator.matmul or any(isinstance(o, HostValue) for o in operands)
    if doubtful or frame.run.protecting:
        error = misfit_of_tensors(state, function, list(operands), {})
        if error is not None:
            frame.run.raise_known(state, error)
            return
    typed = typed_operand(frame, node, state, operands)
    if typed is not None:
        for arm, given in typed:
            yield from _tensor_operator(frame, node, arm, given, function, residual)
        return
    if function is operator.truediv and isinstance(operands[0], ScalarValue):
        yield from call_value(frame, node, state, Known(number_over_tensor), list(operands), {})
        return
    if function in _OF_HALVES and _are_half_and_number(operands):
        halves: list[Value] = [Known(function), *operands]
        yield from call_value(frame, node, state, Known(in_single_precision), halves, {})
        return
    power = shown_function("pow", operands, {}) if function is operator.pow else None
    if power is not None:
        yield from call_value(frame, node, state, power, list(operands), {})
        return
    if function is operator.pow:
        refuse_integer_power(frame, node, operands)
    operands = as_tensor_operands(frame, node, state, operands, operator=function)
    try:
        parts = [render(frame.run, state, operand) for operand in operands]
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is used in a tensor operation")
    yield from evaluate_operation(
        Operation(
            frame, node, state, function, operands, {}, residual(parts), description="an operator"
        )
    )


def _are_half_and_number(operands: tuple[Value, ...]) -> bool:
    kinds = {o.type if isinstance(o, ScalarValue) else _tensor_type(o) for o in operands}
    return torch.float16 in kinds and not kinds.isdisjoint({int, float})


def _tensor_type(value: Value) -> torch.dtype | None:
    content = value.fake if isinstance(value, TensorValue) else getattr(value, "value", None)
    return content.dtype if isinstance(content, torch.Tensor) else None


def _known_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    knowns: list[Known | None],
    function: Callable[..., Any],
) -> Outcomes:
    given = [known.value for known in knowns if known is not None]
    try:
        with under_autocasts(frame.run):
            result = function(*given)
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if type(result) is set:
        made = SetHistory(partial(function, *given))
        yield state, frame.run.allocate(state, set_cell(made))
        return
    note_made(frame, node, arrays_in(result), arrays_in(given))
    shared = containers_in(*given)
    yield state, adopt(frame.run, state, result, shared)


def _array_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
) -> Value:
    """Apply an operator of which an operand is an array."""

    def compute(trial: Trial) -> object:
        return function(*(sample_argument(state, operand, trial) for operand in operands))

    try:
        found = tried(frame, node, state, "an operator", compute)
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is used with an array")
    expression = residual([render(frame.run, state, operand) for operand in operands])
    return emit_tried(frame, node, state, "an operator", expression, found)


def _host_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
    may_raise: bool,
) -> Outcomes:
    if any(map(is_host_array, operands)) or any(map(is_known_array, operands)):
        yield state, _array_operator(frame, node, state, operands, function, residual)
        return
    run = frame.run
    relation = relation_of(run, function, operands)
    truth = None if relation is None else decided(run, state, relation)
    if truth is not None:
        yield state, Known(truth)
        return
    size = computed_size(run, state, function, operands)
    if isinstance(size, int):
        yield state, Known(size)
        return
    error = error_of_types(function, operands)
    if error is not None:
        run.raise_known(state, error)
        return
    parts = [render(run, state, operand) for operand in operands]
    sample = try_on_samples(function, operands)
    result = host_result(
        frame, node, state, residual(parts), sample, effect=may_raise and size is None
    )
    if isinstance(result, ScalarValue) and gives_integer(state, function, operands):
        state.places.integers.add(result.name)
    if relation is not None and isinstance(result, ScalarValue):
        run.relations[result.name] = relation
    if isinstance(result, ScalarValue):
        note_quotient(run, function, operands, result)
        result = result if size is None else sized(run, result, size)
    if function is operator.add and isinstance(result, HostValue) and type(result.sample) is str:
        note_joined(run, result, operands)
    yield state, result
