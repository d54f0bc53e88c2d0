"""Objects that exist at run time only: how they come about, and how parts are taken of them."""

import ast
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.host.array_memory import taken_array
from rewriter.evaluation.host.host_statements import (
    emit_host,
    host_effect,
    host_scalar,
    host_value,
)
from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.refilling import taken_tensor
from rewriter.host_type_relations import decided
from rewriter.host_types import (
    NOTHING,
    ConstantType,
    ContainerType,
    HandleType,
    HostType,
    MappingType,
    MixedListType,
    NumberType,
    ObjectType,
    OptionalType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.loose_types import Where, places_of, places_within
from rewriter.program import HostSpec
from rewriter.state import State
from rewriter.values import (
    Known,
    Reference,
    RunTimeCell,
    ScalarValue,
    TupleValue,
    Value,
)


def run_time_cell(state: State, value: Value) -> RunTimeCell | None:
    """Return the cell of an object that exists at run time only, None for other values."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    return cell if isinstance(cell, RunTimeCell) else None


def host_type(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> HostType:
    """Return the type of a value; refuse what no container of the host can hold."""
    try:
        return type_of(state, value)
    except NoHostType as error:
        frame.refuse("DYCL073", node, f"{error} in a container known only at run time")


def word_of(given: ContainerType) -> str:
    """Return what a variable that holds a container is called."""
    match given:
        case SequenceType() | MixedListType() | SetType():
            return "items"
        case MappingType():
            return "table"
        case RecordType():
            return "record"


def made(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: ast.expr,
    given: ContainerType,
    *,
    effect: bool = True,
    may_raise: bool = True,
) -> Reference:
    """Emit a host statement that gives a new container; return the object."""
    run = frame.run
    name = run.builder.variable(f"_{word_of(given)}", HostSpec(description=given.kind.__name__))
    emit_host(run, state, name, expression, frame.origin(node), effect, may_raise=may_raise)
    maker = given.maker if isinstance(given, MappingType) else None
    factory = Known(maker) if isinstance(maker, type) else None
    found = run.allocate(state, RunTimeCell(name, given, factory))
    if isinstance(given, SetType) and state.places.loses_order(found.identity):
        state.heap[found.identity] = RunTimeCell(name, replace(given, ordered=False), factory)
    return found


def taken(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, given: HostType,
    *, effect: bool = True, may_raise: bool = True, around: tuple[Where, ...] = (),
) -> Outcomes:  # fmt: skip
    """Yield the value of a host expression of a type; what it raises is raised at run time.

    ``effect`` says whether it must run even where nobody reads the value.
    """
    run, origin, places = frame.run, frame.origin(node), places_of(given, around)
    emitted = {"effect": effect, "may_raise": may_raise}
    match decided(given):
        case None:
            frame.refuse("DYCL073", node, "an element is read of a container that is never filled")
        case NumberType() as number:
            scalar = host_scalar(run, state, expression, number.kind, origin, **emitted)
            state.places.integers.update([scalar.name] if number.whole else [])
            yield state, scalar
        case ObjectType() as thing:
            found = host_value(run, state, expression, thing.sample, origin, **emitted)
            yield state, taken_array(frame, found, thing, places)
        case ConstantType() as constant:
            host_effect(run, state, expression, origin, may_raise=may_raise)
            yield state, Known(constant.value)
        case TensorType() as tensor:
            yield state, taken_tensor(run, state, expression, tensor, origin, places, **emitted)
        case TupleType() as whole:
            yield from _taken_tuple(frame, node, state, expression, whole, may_raise, places)
        case HandleType() as handle:
            owner = ast.Attribute(value=expression, attr="__self__", ctx=ast.Load())
            yield from taken(
                frame, node, state, owner, handle.item, effect=effect, may_raise=may_raise
            )
        case OptionalType() as optional:
            yield from _taken_optional(frame, node, state, expression, optional, may_raise, places)
        case (
            SequenceType() | MixedListType() | SetType() | MappingType() | RecordType()
        ) as container:
            yield state, made(frame, node, state, expression, container, may_raise=may_raise)


def _taken_tuple(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, given: TupleType,
    may_raise: bool, places: tuple[Where, ...],
) -> Outcomes:  # fmt: skip
    whole = host_value(
        frame.run, state, expression, (), frame.origin(node), effect=True, may_raise=may_raise
    )
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for position, kind in enumerate(given.items):
        part = ast.Subscript(
            value=name_expression(whole.name), slice=ast.Constant(value=position), ctx=ast.Load()
        )
        inner = places_within(given, places, position)
        pending = [
            (after, (*so_far, item))
            for before, so_far in pending
            for after, item in taken(
                frame, node, before, part, kind, effect=False, may_raise=False, around=inner
            )
        ]
    for after, items in pending:
        yield after, TupleValue(items, given.kind)


def _taken_optional(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, given: OptionalType,
    may_raise: bool, places: tuple[Where, ...],
) -> Outcomes:  # fmt: skip
    whole = host_value(
        frame.run, state, expression, None, frame.origin(node), effect=True, may_raise=may_raise
    )
    name = name_expression(whole.name)
    missing = ast.Compare(left=name, ops=[ast.Is()], comparators=[ast.Constant(value=None)])
    for arm, is_missing in frame.run.branch(state, missing, frame.origin(node)):
        if is_missing:
            yield arm, Known(NOTHING.value)
        else:
            yield from taken(frame, node, arm, name, given.item, may_raise=False, around=places)


def changeable(frame: Frame, node: cst.CSTNode, reference: Reference) -> None:
    """Refuse to change an object that belongs to the caller, and may not be changed."""
    frame.run.require_changeable(reference)
    frame.run.effects += 1


def length_of(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> ScalarValue:
    """Return ``len(value)`` of a host object: the number found before, if it is unchanged."""
    cell = run_time_cell(state, value)
    known = None if cell is None else state.remembered(cell.name, "length", frame.run.builder)
    if isinstance(known, ScalarValue):
        return known
    function = frame.run.builder.reference(len, "len")
    expression = call_expression(function, [render(frame.run, state, value)])
    length = host_scalar(frame.run, state, expression, int, frame.origin(node))
    frame.run.naturals.add(length.name)
    if cell is not None:
        state.remember(cell.name, "length", frame.run.builder, length)
    return length
