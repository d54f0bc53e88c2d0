"""Objects of the program with an ``__index__``, as indices and bounds of slices: asked for it."""

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.containers.hashed_keys import keys_of
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.rendering import known_object, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)

_INSTANCES = (ObjectCell, RunTimeCell)


def with_integers(
    frame: Frame, node: cst.CSTNode, state: State, container: Value, index: Value
) -> Outcomes | None:
    """Yield an index with what its objects say for them, None where it has none of these.

    Dicts take objects themselves. PyTorch may ask more than once: such an object only answers.
    """
    if not _has_object(state, index) or not _takes_integers(state, container):
        return None
    return _asked(frame, node, state, index, once=tensor_of(container) is None)


def _takes_integers(state: State, container: Value) -> bool:
    match container:
        case TensorValue() | TupleValue():
            return True
        case Reference():
            cell = state.heap[container.identity]
            on_host = run_time_cell(state, container)
            is_host_list = on_host is not None and isinstance(on_host.type, SequenceType)
            return isinstance(cell, ListCell) or is_host_list
        case Known():
            kinds = (torch.Tensor, list, tuple, str, bytes, range)
            return isinstance(container.value, kinds) and keys_of(state, container) is None
        case _:
            return False


def _method(state: State, value: Value) -> MethodValue | None:
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    return method_of(state, value, "__index__") if isinstance(cell, _INSTANCES) else None


def _parts(index: Value) -> tuple[Value, ...] | None:
    match index:
        case TupleValue():
            return index.items
        case SliceValue():
            return (index.start, index.stop, index.step)
        case _:
            return None


def _has_object(state: State, index: Value) -> bool:
    parts = _parts(index)
    if parts is not None:
        return any(_has_object(state, part) for part in parts)
    return _method(state, index) is not None


def _asked(frame: Frame, node: cst.CSTNode, state: State, index: Value, *, once: bool) -> Outcomes:
    if not _has_object(state, index):
        yield state, index
        return
    parts = _parts(index)
    if parts is None:
        yield from _answer(frame, node, state, index, once=once)
        return
    if isinstance(index, SliceValue):  # Python asks for the step first, which must not be zero
        step = parts[2]
        if _has_object(state, step) or not _is_step(state, step):
            frame.refuse("DYCL030", node, "a slice by objects with an __index__ and such a step")
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for part in parts:
        pending = [
            (after, (*done, asked))
            for before, done in pending
            for after, asked in _asked(frame, node, before, part, once=once)
        ]
    for after, done in pending:
        yield after, _like(after, index, done)


def _is_step(state: State, step: Value) -> bool:
    known = known_object(state, step)
    return known is not None and known.value != 0


def _like(state: State, index: Value, parts: tuple[Value, ...]) -> Value:
    if isinstance(index, TupleValue):
        return tuple_value(parts)
    start, stop, step = parts
    knowns = [known_object(state, part) for part in parts]
    if None in knowns:
        return SliceValue(start, stop, step)
    return Known(slice(*(known.value for known in knowns if known is not None)))


def _answer(frame: Frame, node: cst.CSTNode, state: State, value: Value, *, once: bool) -> Outcomes:
    method = _method(state, value)
    assert method is not None
    effects = frame.run.effects
    for after, number in call_value(frame, node, state, method, [], {}):
        is_known = isinstance(number, Known) and type(number.value) is int
        if not is_known and not (isinstance(number, ScalarValue) and number.type is int):
            frame.refuse("DYCL030", node, "an __index__ gives something else than an integer")
        if not once and frame.run.effects != effects:
            frame.refuse("DYCL030", node, "an __index__ that is an index of a tensor does more")
        yield after, number
