"""Changes of arrays that the host has, made by numpy: ``array[i] = x``, ``array += x``."""

import ast
import operator

import libcst as cst

from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.host.array_elements import sample_index
from rewriter.evaluation.host.array_memory import note_writes
from rewriter.evaluation.host.host_arrays import host_argument
from rewriter.evaluation.host.host_samples import Trial, sample_argument, sample_converted
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.host.numpy_numbers import plain_index
from rewriter.evaluation.host.tensor_indices import without_tensors
from rewriter.evaluation.host.trying_functions import tried
from rewriter.evaluation.refusals import AlwaysRaised
from rewriter.evaluation.rendering import NotMaterial, call_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, SliceValue, TupleValue, Value


def set_array_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value, item: Value
) -> list[State]:
    """Execute ``array[index] = item`` on the host."""
    item = host_argument(frame, node, state, item)
    index = without_tensors(frame, node, state, plain_index(frame, node, state, index))

    def compute(trial: Trial) -> object:
        array = sample_argument(state, value, trial)
        place = sample_index(frame, node, state, index, trial)
        # numpy converts any number to the array's type
        operator.setitem(array, place, sample_converted(state, item, trial))
        return True

    try:
        nothing = _holds_nothing(state, item)
        tried(frame, node, state, "an assignment to elements", compute, may_always_raise=nothing)
        place = render(frame.run, state, spelled(index))
        content = render(frame.run, state, item)
        array = render(frame.run, state, value)
    except AlwaysRaised as found:
        frame.run.raise_known(state, found.error)
        return []
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is written into an array, or its index")
    note_writes(frame, node, state, [value])
    method = ast.Attribute(value=array, attr="__setitem__", ctx=ast.Load())
    expression = call_expression(method, [place, content])
    host_effect(frame.run, state, expression, frame.origin(node), may_raise=True)
    return [state]


def _holds_nothing(state: State, item: Value) -> bool:
    """Return whether None is written: an array of numbers takes none."""
    parts = sequence_items(state, item)
    if parts is not None:
        return any(_holds_nothing(state, part) for part in parts)
    return isinstance(item, Known) and item.value is None


def spelled(index: Value) -> Value:
    """Return an index with known slices in parts, which an argument of a call is made of."""
    match index:
        case Known(value=slice() as given):
            return SliceValue(Known(given.start), Known(given.stop), Known(given.step))
        case Known(value=tuple() as parts):
            return TupleValue(tuple(spelled(Known(part)) for part in parts))
        case TupleValue():
            return TupleValue(tuple(map(spelled, index.items)))
        case _:
            return index


def array_inplace(
    frame: Frame, node: cst.CSTNode, state: State, old: Value, value: Value, name: str
) -> Outcomes:
    """Change an array on the host by numpy's operator."""
    function = getattr(operator, name)
    value = host_argument(frame, node, state, value)

    def compute(trial: Trial) -> object:
        array = sample_argument(state, old, trial)
        if function(array, sample_argument(state, value, trial)) is not array:
            frame.refuse("DYCL059", node, "an operator in place gives another object")
        return True

    try:
        tried(frame, node, state, "an operator in place", compute)
        parts = [render(frame.run, state, part) for part in (old, value)]
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is used with an array")
    note_writes(frame, node, state, [old])
    callee = frame.run.builder.reference(function, f"operator.{name}")
    expression = call_expression(callee, parts)
    host_effect(frame.run, state, expression, frame.origin(node), may_raise=True)
    yield state, old
