"""Dynamic tests: the truth of a value, and the branch where it is known only at run time."""

import ast
from collections.abc import Iterator

import libcst as cst
import sympy
import torch

from rewriter.array_samples import is_array
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.instances.user_classes import method_of, user_method
from rewriter.evaluation.operators.answers import of_bool, of_len
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.known_content import note_asked
from rewriter.evaluation.tensors.size_relations import assume_on_arm, by_relation, elements_of
from rewriter.host_types import MixedListType, RecordType
from rewriter.schemas import ObjectSample
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Poison,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def item_of(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue,
    otherwise: Exception | None = None,
) -> Outcomes:
    """Evaluate ``tensor.item()``: a number on the host.

    ``otherwise`` is what tensors of another size than one raise, where that is not item's error.
    """
    tensor = state.current(tensor)
    if tensor.constant is not None and tensor.constant.numel() == 1:
        note_asked(frame.run, tensor.constant)
        yield state, Known(tensor.constant.item())
        return
    elements = elements_of(tensor)
    for arm, is_one in by_relation(frame, node, state, sympy.Eq(elements, 1), tensor):
        if is_one:
            yield arm, _read(frame, node, arm, tensor)
            continue
        number = elements if elements.is_Integer else "other than 1"
        error = RuntimeError(f"a Tensor with {number} elements cannot be converted to Scalar")
        frame.run.raise_known(arm, otherwise or error)


def _read(frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue) -> ScalarValue:
    """Return the number that a tensor of one element holds, read on the host."""
    method = ast.Attribute(value=name_expression(tensor.name), attr="item", ctx=ast.Load())
    kind = scalar_type(tensor.fake.dtype)
    number = host_scalar(frame.run, state, call_expression(method, []), kind, frame.origin(node))
    if tensor.name in frame.run.ranges:
        frame.run.ranges[number.name] = frame.run.ranges[tensor.name]
    return number


def scalar_type(dtype: torch.dtype) -> type:
    """Return the Python type that ``.item()`` gives for a dtype."""
    if dtype is torch.bool:
        return bool
    if dtype.is_complex:
        return complex
    return float if dtype.is_floating_point else int


def truths(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, bool]]:
    """Yield the ways in which ``bool(value)`` can go, branching where it must."""
    match value:
        case Known():
            yield from _known_truth(frame, node, state, value)
        case TensorValue():
            yield from _tensor_truth(frame, node, state, value)
        case ScalarValue() | HostValue():
            yield from branch_on(frame, node, state, value)
        case TupleValue():
            yield from _object_truth(frame, node, state, value, bool(value.items))
        case Reference():
            yield from _cell_truth(frame, node, state, value)
        case RunTimeRange():
            yield from _range_truth(frame, node, state, value)
        case ViewValue():
            yield from _cell_truth(frame, node, state, Reference(value.identity))
        case FunctionValue() | MethodValue() | SuperValue() | SliceValue() | IteratorValue():
            yield state, True
        case Poison():
            raise UsedPoison


def _range_truth(
    frame: Frame, node: cst.CSTNode, state: State, value: RunTimeRange
) -> Iterator[tuple[State, bool]]:
    for after, size in call_value(frame, node, state, Known(len), [value], {}):
        yield from truths(frame, node, after, size)


def _known_truth(
    frame: Frame, node: cst.CSTNode, state: State, value: Known
) -> Iterator[tuple[State, bool]]:
    kind = type(value.value)
    if user_method(kind, "__bool__") or user_method(kind, "__len__"):
        yield from _object_truth(frame, node, state, value)
        return
    note_asked(frame.run, value.value)
    try:
        truth = bool(value.value)
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, truth


def _cell_truth(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference
) -> Iterator[tuple[State, bool]]:
    match state.heap[value.identity]:
        case RunTimeCell() as found if isinstance(found.type, RecordType):
            if found.kind is dict:
                yield state, bool(found.type.fields)
            else:
                yield from _object_truth(frame, node, state, value)
        case RunTimeCell(type=MixedListType(items=items)):
            yield state, bool(items)
        case RunTimeCell() as found:
            function = frame.run.builder.reference(len, "len")
            expression = call_expression(function, [name_expression(found.name)])
            size = host_scalar(frame.run, state, expression, int, frame.origin(node))
            yield from branch_on(frame, node, state, size)
        case ListCell() | DictCell() | SetCell() as cell:
            yield from _object_truth(frame, node, state, value, bool(cell.items))
        case ObjectCell():
            yield from _object_truth(frame, node, state, value)
        case IteratorCell():
            yield state, True


def _object_truth(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, otherwise: bool = True
) -> Iterator[tuple[State, bool]]:
    """Yield what the user's methods say, ``otherwise`` where the class defines none."""
    for name, checked in (("__bool__", of_bool), ("__len__", of_len)):
        method = method_of(state, value, name)
        if method is not None:
            for after, result in call_value(frame, node, state, method, [], {}):
                for answered, answer in checked(frame, node, after, result):
                    yield from truths(frame, node, answered, answer)
            return
    yield state, otherwise


def _tensor_truth(
    frame: Frame, node: cst.CSTNode, state: State, value: TensorValue
) -> Iterator[tuple[State, bool]]:
    name = state.current(value).name
    if name in state.facts:
        yield state, state.facts[name]
        return
    elements = elements_of(value)
    for arm, is_one in by_relation(frame, node, state, sympy.Eq(elements, 1), value):
        if is_one:
            for after, number in item_of(frame, node, arm, value):
                for tested, truth in truths(frame, node, after, number):
                    tested.facts[name] = truth
                    yield tested, truth
            continue
        for tested, is_none in by_relation(frame, node, arm, sympy.Eq(elements, 0), value):
            words = "no values" if is_none else "more than one value"
            error = RuntimeError(f"Boolean value of Tensor with {words} is ambiguous")
            frame.run.raise_known(tested, error)


def branch_on(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue
) -> Iterator[tuple[State, bool]]:
    """End the block by a test of a host variable, unless its outcome is known here."""
    if isinstance(value, HostValue) and isinstance(value.sample, ObjectSample):
        yield from _object_truth(frame, node, state, value)
        return
    if isinstance(value, HostValue) and is_array(value.sample):
        # what it holds may be written before the next test
        for arm, truth in frame.run.branch(
            state, render(frame.run, state, value), frame.origin(node)
        ):
            yield arm, truth
        return
    if value.name in state.facts:
        yield state, state.facts[value.name]
        return
    condition = render(frame.run, state, value)
    relation = frame.run.relations.get(value.name)
    block = state.block
    for arm, truth in frame.run.branch(state, condition, frame.origin(node)):
        arm.facts[value.name] = truth
        if relation is not None:
            assume_on_arm(frame.run, arm, relation, truth, block)
        yield arm, truth


def known_after(state: State, value: Value) -> Value:
    """Return a boolean as known where this path has tested it already."""
    if isinstance(value, ScalarValue) and value.type is bool and value.name in state.facts:
        return Known(state.facts[value.name])
    return value
