"""Objects whose structure differs between paths or iterations: run-time objects of one type."""

import libcst as cst

from rewriter.evaluation.host.host_fitting import fits
from rewriter.evaluation.host.host_typing import NoHostType, mapping_type, type_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.moving import make_run_time
from rewriter.flattening import Flattening
from rewriter.host_type_relations import alike, parts, unify, widened
from rewriter.host_types import (
    ContainerType,
    HostType,
    MappingType,
    MixedListType,
    RecordType,
    SequenceType,
    SetType,
)
from rewriter.state import State
from rewriter.values import DictCell, IteratorCell, Reference, RunTimeCell


def type_for_both(
    left: State, one: Reference, right: State, other: Reference
) -> ContainerType | None:
    """Return the type that two objects have, one of them on another path; None for none."""
    try:
        first, second = _type(left, one), _type(right, other)
        if _is_mapping(first) is not _is_mapping(second) or not _alike(first, second):
            first, second = _mapping(left, one, first), _mapping(right, other, second)
    except NoHostType:
        return None
    if alike(first, second):
        for part, also in zip(parts(first), parts(second), strict=True):
            left.places.decide(part, also)
            left.places.decide(also, part)
    wider = _widened(first, second)
    if wider is None:
        left.places.compare(first, second)
    return wider


def _type(state: State, reference: Reference) -> ContainerType:
    cell = state.heap[reference.identity]
    if isinstance(cell, IteratorCell):
        raise NoHostType("an iterator")
    found = type_of(state, reference)
    assert isinstance(found, ContainerType)
    return found


def _is_mapping(given: ContainerType) -> bool:
    return isinstance(given, MappingType)


def _alike(left: ContainerType, right: ContainerType) -> bool:
    """Return whether two records have the same fields."""
    if not isinstance(left, RecordType) or not isinstance(right, RecordType):
        return True
    return [name for name, _ in left.fields] == [name for name, _ in right.fields]


def _mapping(state: State, reference: Reference, given: ContainerType) -> ContainerType:
    identity = reference.identity
    cell = state.heap[identity]
    return mapping_type(state, identity, cell) if isinstance(cell, DictCell) else given


def _widened(left: ContainerType, right: ContainerType) -> ContainerType | None:
    match left, right:
        case SequenceType(), SequenceType() if left.kind is right.kind:
            element = widened(left.element, right.element)
            return None if element is None else SequenceType(element, left.kind)
        case MappingType(), MappingType() if left.kind is right.kind and left.maker == right.maker:
            key, value = widened(left.key, right.key), widened(left.value, right.value)
            if key is None or value is None:
                return None
            return MappingType(key, value, left.kind, left.maker)
        case RecordType(), RecordType() if _alike(left, right) and left.kind is right.kind:
            fields: list[tuple[object, HostType]] = []
            for (name, one), (_, other) in zip(left.fields, right.fields, strict=True):
                wider = widened(one, other)
                if wider is None:
                    return None
                fields.append((name, wider))
            return RecordType(tuple(fields), left.kind)
        case MixedListType(), MixedListType() if len(left.items) == len(right.items):
            found = [
                widened(one, other) for one, other in zip(left.items, right.items, strict=True)
            ]
            items = tuple(item for item in found if item is not None)
            return MixedListType(items) if len(items) == len(found) else None
        case SetType(), SetType() if left.kind is right.kind and unify(left.element, right.element):
            return SetType(left.element, left.kind, ordered=left.ordered and right.ordered)
        case _:
            return None


def settle_as(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, wanted: ContainerType
) -> bool:
    """Let an object exist at run time only, of a type; return whether it is of that type now."""
    cell = state.heap.get(reference.identity)
    if cell is None or isinstance(cell, IteratorCell):
        return False
    if isinstance(cell, RunTimeCell):
        return unify(cell.type, wanted)
    try:
        if not fits(state, reference, wanted):
            state.places.compare(type_of(state, reference), wanted)
            return False
    except NoHostType:
        return False
    make_run_time(frame, node, state, reference, wanted)
    return True


def settle_objects(frame: Frame, states: list[Flattening], position: int, wanted: bool) -> bool:
    """Make the objects at a position of several states run-time objects of one type.

    Only where one of them is one already, or it is wanted; returns whether all are now.
    """
    node = frame.statement or frame.source.node
    objects = [(each.state, Reference(each.objects_at[position])) for each in states]
    cells = [state.heap[reference.identity] for state, reference in objects]
    run_time = [cell.type for cell in cells if isinstance(cell, RunTimeCell)]
    if len(run_time) == len(cells):
        return all(unify(run_time[0], kind) for kind in run_time[1:])
    if not run_time and not wanted:
        return False
    found: ContainerType | None
    if run_time:
        found = run_time[0]
    else:
        (first, one), (last, other) = objects[0], objects[-1]
        found = type_for_both(first, one, last, other)
    if found is None or not all(_can_be(state, one, found) for state, one in objects):
        return False
    return all(settle_as(frame, node, state, one, found) for state, one in objects)


def _can_be(state: State, reference: Reference, wanted: ContainerType) -> bool:
    cell = state.heap[reference.identity]
    if isinstance(cell, IteratorCell):
        return False
    if isinstance(cell, RunTimeCell):
        return unify(cell.type, wanted)
    try:
        return fits(state, reference, wanted)
    except NoHostType:
        return False
