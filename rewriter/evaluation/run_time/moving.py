"""Objects of known structure that move to the host: from then on they exist at run time only."""

import ast
import collections
from collections.abc import Iterable

import libcst as cst

from rewriter.evaluation.host.array_memory import put_array
from rewriter.evaluation.host.host_fitting import fits
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.host.host_typing import NoHostType, record_of, type_of
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.refilling import put_tensor
from rewriter.evaluation.run_time.run_time_objects import run_time_cell, word_of
from rewriter.flattening import Flattening, Roots
from rewriter.host_type_properties import is_mutable_inside
from rewriter.host_type_relations import decided
from rewriter.host_types import (
    ContainerType,
    HostType,
    MappingType,
    MixedListType,
    ObjectType,
    OptionalType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.loose_types import Where, places_of, places_within
from rewriter.program import HostSpec, HostStatement
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
)


def put(frame: Frame, node: cst.CSTNode, state: State, value: Value, wanted: HostType) -> ast.expr:
    """Return the expression of a value that goes into a container of the host.

    Mutable objects of known structure become run-time objects: from here on the container
    and the program's names lead to one object.
    """
    try:
        if not fits(state, value, wanted):
            state.places.compare(type_of(state, value), wanted)
            frame.refuse(
                "DYCL073",
                node,
                "the elements of a container that changes at run time differ in structure",
            )
    except NoHostType as error:
        frame.refuse("DYCL073", node, f"{error} in a container known only at run time")
    return _moved(frame, node, state, value, wanted)


def _moved(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Value,
    wanted: HostType,
    around: tuple[Where, ...] = (),
) -> ast.expr:
    """Return the expression of a value that fits a type, moving mutable parts to the host."""
    target, places = decided(wanted), places_of(wanted, around)
    if isinstance(target, OptionalType):
        something = target.item
        target, places = decided(something), places_of(something, places)
    if isinstance(target, TensorType):
        home = put_tensor(frame, node, state, value, target)
        if home is not None:
            return home
    if isinstance(target, ObjectType):
        put_array(frame, node, value, target, places)
    if isinstance(value, TensorValue):
        frame.run.storages.hold(value.fake)
        frame.run.storages.note_places(value.fake, places)
    if isinstance(value, TupleValue) and isinstance(target, TupleType):
        items = [
            _moved(frame, node, state, item, kind, places_within(target, places, step))
            for step, (item, kind) in enumerate(zip(value.items, target.items, strict=True))
        ]
        return ast.Tuple(elts=items, ctx=ast.Load())
    if isinstance(value, TupleValue) and isinstance(target, SequenceType):
        inner = places_within(target, places, 0)
        parts = [_moved(frame, node, state, item, target.element, inner) for item in value.items]
        return ast.Tuple(elts=parts, ctx=ast.Load())
    if isinstance(value, Reference) and value.identity in frame.run.lasting_cells:
        frame.refuse(
            "DYCL034",
            node,
            "a list or dict that is an argument of the call is kept in a run-time container",
            "copy it first",
        )
    if isinstance(value, Reference) and run_time_cell(state, value) is None:
        assert isinstance(target, ContainerType)
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
    _require_no_table(frame, node, state, reference)
    cell = state.heap[reference.identity]
    hollow = _leads_back(state, reference)
    if hollow:
        expression = _hollow(frame, node, state, cell)
    else:
        expression = _display(frame, node, state, reference, wanted)
    name = run.builder.variable(word_of(wanted), HostSpec(description=wanted.kind.__name__))
    run.effects += 1
    run.builder.emit(
        state.block,
        HostStatement(target=name, expression=expression, origin=frame.origin(node), effect=True),
    )
    factory = cell.default_factory if isinstance(cell, DictCell) else None
    state.heap[reference.identity] = RunTimeCell(name, wanted, factory)
    if hollow:
        _fill(frame, node, state, name, cell, wanted)
    # Walks take objects out of containers: a real cycle.
    from rewriter.evaluation.host.host_iterators import hand_over_walks

    hand_over_walks(frame, node, state, reference, cell)


def _require_no_table(frame: Frame, node: cst.CSTNode, state: State, reference: Reference) -> None:
    """Refuse to move an object, or its ``__dict__``, away from the other one."""
    left = frame.run.containers.attributes.belonging(state, reference.identity)
    if not left:
        return
    roots = Roots(
        frames=frame.run.live_frames(), attributes=tuple(state.attributes), extra=state.on_the_way
    )
    if left.isdisjoint(Flattening(state, roots).run().cells):
        return
    frame.refuse("DYCL073", node, "an object known only at run time has a __dict__ that is used")


def _hollow(frame: Frame, node: cst.CSTNode, state: State, cell: Cell) -> ast.expr:
    """Return the display of an object that leads to itself, without what is in it."""
    fields = record_of(cell)
    if fields is not None:
        keys = [render(frame.run, state, Known(name)) for name in fields]
        return ast.Dict(keys=list(keys), values=[ast.Constant(value=None) for _ in keys])
    if not isinstance(cell, ListCell) or cell.kind is not list:
        frame.refuse("DYCL073", node, "a container that contains itself is known at run time only")
    return ast.List(elts=[], ctx=ast.Load())


def _fill(
    frame: Frame, node: cst.CSTNode, state: State, name: str, cell: Cell, wanted: ContainerType
) -> None:
    """Fill an object that leads to itself: its parts refer to what exists already."""
    method: str
    pairs: list[tuple[list[ast.expr], Value, HostType]]
    if isinstance(wanted, RecordType):
        method, fields = "__setitem__", record_of(cell) or {}
        keys = {name: render(frame.run, state, Known(name)) for name in fields}
        pairs = [([keys[field]], fields[field], kind) for field, kind in wanted.fields]
    elif isinstance(wanted, MixedListType):
        assert isinstance(cell, ListCell)
        method = "append"
        pairs = [([], *pair) for pair in zip(cell.items, wanted.items, strict=True)]
    else:
        assert isinstance(wanted, SequenceType) and isinstance(cell, ListCell)
        method, pairs = "append", [([], item, wanted.element) for item in cell.items]
    for key, value, kind in pairs:
        content = _moved(frame, node, state, value, kind)
        called = ast.Attribute(value=name_expression(name), attr=method, ctx=ast.Load())
        effect = call_expression(called, [*key, content])
        host_effect(frame.run, state, effect, frame.origin(node), may_raise=False)


def _leads_back(state: State, reference: Reference) -> bool:
    """Return whether an object can be reached from its own parts."""
    pending = list(_parts(state.heap[reference.identity]))
    met: set[int] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, TupleValue):
            pending += value.items
        elif isinstance(value, Reference) and value.identity not in met:
            if value.identity == reference.identity:
                return True
            met.add(value.identity)
            pending += _parts(state.heap[value.identity])
    return False


def _parts(cell: Cell) -> Iterable[Value]:
    match cell:
        case ListCell() | DictCell():
            items = cell.items.values() if isinstance(cell, DictCell) else cell.items
            return (*items, *cell.attributes.values())
        case ObjectCell():
            return cell.attributes.values()
        case _:
            return ()


def _display(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, wanted: ContainerType
) -> ast.expr:
    match state.heap[reference.identity], wanted:
        case ListCell() as cell, SequenceType():
            items = [_moved(frame, node, state, item, wanted.element) for item in cell.items]
            bound = [] if cell.bound is None else [ast.Constant(value=cell.bound)]
            return _of_kind(frame, cell.kind, ast.List(elts=items, ctx=ast.Load()), *bound)
        case ListCell() as cell, MixedListType():
            kinds = zip(cell.items, wanted.items, strict=True)
            return ast.List(
                elts=[_moved(frame, node, state, item, kind) for item, kind in kinds],
                ctx=ast.Load(),
            )
        case SetCell() as cell, SetType():
            return set_expression(frame, cell)
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


def set_expression(frame: Frame, cell: SetCell) -> ast.expr:
    """Return a new set on the host, which is walked as the set is where that is known to be so."""
    came_in = cell.history.came_in
    if came_in is None or len(cell.items) < 2:
        return frame.run.builder.reference(set(cell.items), None)
    one_by_one = frame.run.builder.reference(came_in, None)
    return call_expression(frame.run.builder.reference(set, "set"), [one_by_one])


def _of_kind(frame: Frame, kind: type, display: ast.expr, *further: ast.expr) -> ast.expr:
    if kind in (list, dict, collections.defaultdict):
        return display
    if kind not in (collections.deque, collections.OrderedDict, collections.Counter):
        raise AssertionError(f"not a container of the host: {kind}")
    reference = frame.run.builder.reference(kind, f"collections.{kind.__name__}")
    return call_expression(reference, [display, *further])
