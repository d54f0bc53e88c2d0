"""Objects that exist at run time only: how they come about, and how parts are taken of them."""

import ast
import collections

import libcst as cst

from rewriter.evaluation.host.host_statements import (
    emit_host,
    host_effect,
    host_scalar,
    host_tensor,
    host_value,
)
from rewriter.evaluation.host.host_typing import NoHostType, fits, type_of
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_type_relations import decided, is_mutable_inside
from rewriter.host_types import (
    NOTHING,
    ConstantType,
    ContainerType,
    HostType,
    MappingType,
    NumberType,
    ObjectType,
    OptionalType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.program import HostSpec, HostStatement
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TensorValue,
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


def put(frame: Frame, node: cst.CSTNode, state: State, value: Value, wanted: HostType) -> ast.expr:
    """Return the expression of a value that goes into a container of the host.

    Mutable objects of known structure become run-time objects: from here on the container
    and the program's names lead to one object.
    """
    try:
        if not fits(state, value, wanted):
            frame.refuse(
                "DYCL073",
                node,
                "the elements of a container that changes at run time differ in structure",
            )
    except NoHostType as error:
        frame.refuse("DYCL073", node, f"{error} in a container known only at run time")
    return _moved(frame, node, state, value, wanted)


def _moved(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, wanted: HostType
) -> ast.expr:
    """Return the expression of a value that fits a type, moving mutable parts to the host."""
    target = decided(wanted)
    if isinstance(target, OptionalType):
        target = decided(target.item)
    if isinstance(value, TensorValue):
        frame.run.storages.hold(value.fake)
    if isinstance(value, TupleValue) and isinstance(target, TupleType):
        items = [
            _moved(frame, node, state, item, kind)
            for item, kind in zip(value.items, target.items, strict=True)
        ]
        return ast.Tuple(elts=items, ctx=ast.Load())
    if isinstance(value, TupleValue) and isinstance(target, SequenceType):
        parts = [_moved(frame, node, state, item, target.element) for item in value.items]
        return ast.Tuple(elts=parts, ctx=ast.Load())
    if isinstance(value, Reference) and value.identity in frame.run.lasting_cells:
        frame.refuse(
            "DYCL034",
            node,
            "a list or dict that is an argument of the call is kept in a run-time container",
            "copy it first",
        )
    if isinstance(value, Reference) and run_time_cell(state, value) is None:
        assert isinstance(target, SequenceType | SetType | MappingType | RecordType)
        make_run_time(frame, node, state, value, target)
    return render(frame.run, state, value)


def make_run_time(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, wanted: ContainerType
) -> None:
    """Let a mutable object of known structure exist at run time only, from here on."""
    run = frame.run
    if reference.identity in run.lasting_cells and is_mutable_inside(wanted):
        frame.refuse(
            "DYCL034", node, "a list or dict of the caller's is kept in a run-time container",
            "copy it first",
        )  # fmt: skip
    if reference.identity in run.argument_objects.places:
        frame.refuse("DYCL073", node, "an object that is an argument is kept in such a container")
    expression = _display(frame, node, state, reference, wanted)
    name = run.builder.variable(_word(wanted), HostSpec(description=wanted.kind.__name__))
    run.effects += 1
    run.builder.emit(
        state.block,
        HostStatement(target=name, expression=expression, origin=frame.origin(node), effect=True),
    )
    cell = state.heap[reference.identity]
    factory = cell.default_factory if isinstance(cell, DictCell) else None
    state.heap[reference.identity] = RunTimeCell(name, wanted, factory)
    # Walks take objects out of containers: a real cycle.
    from rewriter.evaluation.host.host_iterators import hand_over_walks

    hand_over_walks(frame, node, state, reference, cell)


def _word(given: ContainerType) -> str:
    match given:
        case SequenceType() | SetType():
            return "items"
        case MappingType():
            return "table"
        case RecordType():
            return "record"


def _display(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, wanted: ContainerType
) -> ast.expr:
    match state.heap[reference.identity], wanted:
        case ListCell() as cell, SequenceType():
            items = [_moved(frame, node, state, item, wanted.element) for item in cell.items]
            return _of_kind(frame, cell.kind, ast.List(elts=items, ctx=ast.Load()))
        case SetCell() as cell, SetType():
            return frame.run.builder.reference(set(cell.items), None)
        case DictCell() as cell, MappingType():
            values = [_moved(frame, node, state, v, wanted.value) for v in cell.items.values()]
            keys = [render(frame.run, state, Known(key)) for key in cell.items]
            return _of_kind(frame, cell.kind, ast.Dict(keys=list(keys), values=values))
        case DictCell() as cell, RecordType():
            values = [
                _moved(frame, node, state, cell.items[name], kind) for name, kind in wanted.fields
            ]
            keys = [render(frame.run, state, Known(name)) for name, _ in wanted.fields]
            return _of_kind(frame, cell.kind, ast.Dict(keys=list(keys), values=values))
        case ObjectCell() as cell, RecordType():
            values = [
                _moved(frame, node, state, cell.attributes[str(name)], kind)
                for name, kind in wanted.fields
            ]
            keys = [ast.Constant(value=str(name)) for name, _ in wanted.fields]
            return ast.Dict(keys=list(keys), values=values)
        case cell, _:
            raise AssertionError(f"{cell} does not fit {wanted}")


def _of_kind(frame: Frame, kind: type, display: ast.expr) -> ast.expr:
    if kind in (list, dict, collections.defaultdict):
        return display
    if kind not in (collections.deque, collections.OrderedDict, collections.Counter):
        raise AssertionError(f"not a container of the host: {kind}")
    reference = frame.run.builder.reference(kind, f"collections.{kind.__name__}")
    return call_expression(reference, [display])


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
    name = run.builder.variable(f"_{_word(given)}", HostSpec(description=given.kind.__name__))
    emit_host(run, state, name, expression, frame.origin(node), effect, may_raise=may_raise)
    return run.allocate(state, RunTimeCell(name, given))


def taken(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, given: HostType,
    *, may_raise: bool = True,
) -> Outcomes:  # fmt: skip
    """Yield the value of a host expression of a type; what it raises is raised at run time."""
    run, origin = frame.run, frame.origin(node)
    emitted = {"effect": True, "may_raise": may_raise}
    match decided(given):
        case None:
            frame.refuse("DYCL073", node, "an element is read of a container that is never filled")
        case NumberType() as number:
            yield state, host_scalar(run, state, expression, number.kind, origin, **emitted)
        case ObjectType() as thing:
            yield state, host_value(run, state, expression, thing.sample, origin, **emitted)
        case ConstantType() as constant:
            host_effect(run, state, expression, origin, may_raise=may_raise)
            yield state, Known(constant.value)
        case TensorType() as tensor:
            sizes = tensor.any_size
            found = host_tensor(
                run, state, expression, tensor.like, origin, sizes, may_raise=may_raise
            )
            yield state, found
        case TupleType() as whole:
            yield from _taken_tuple(frame, node, state, expression, whole, may_raise)
        case OptionalType() as optional:
            yield from _taken_optional(frame, node, state, expression, optional, may_raise)
        case SequenceType() | SetType() | MappingType() | RecordType() as container:
            yield state, made(frame, node, state, expression, container, may_raise=may_raise)


def _taken_tuple(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, given: TupleType,
    may_raise: bool,
) -> Outcomes:  # fmt: skip
    whole = host_value(
        frame.run, state, expression, (), frame.origin(node), effect=True, may_raise=may_raise
    )
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for position, kind in enumerate(given.items):
        part = ast.Subscript(
            value=name_expression(whole.name), slice=ast.Constant(value=position), ctx=ast.Load()
        )
        pending = [
            (after, (*so_far, item))
            for before, so_far in pending
            for after, item in taken(frame, node, before, part, kind, may_raise=False)
        ]
    for after, items in pending:
        yield after, TupleValue(items, given.kind)


def _taken_optional(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, given: OptionalType,
    may_raise: bool,
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
            yield from taken(frame, node, arm, name, given.item, may_raise=False)


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
