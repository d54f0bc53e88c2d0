"""Whether a value of the evaluator may stand where a host type is asked."""

from dataclasses import replace
from functools import partial

import numpy

from rewriter.array_samples import covers
from rewriter.evaluation.host.host_typing import maker_of, record_of, type_of
from rewriter.host_type_relations import alike, decided, is_plain, is_whole, unify, widened
from rewriter.host_types import (
    PLAIN,
    ConstantType,
    Decided,
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
from rewriter.state import State
from rewriter.values import (
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


def fits(state: State, value: Value, wanted: HostType) -> bool:
    """Return whether a value may stand where a type is asked, deciding what is undecided."""
    target = decided(wanted)
    if target is None:
        state.places.decide(wanted, type_of(state, value))
        target = decided(wanted)
    if isinstance(value, TensorValue | TupleValue) and isinstance(target, OptionalType):
        return fits(state, value, target.item)
    if isinstance(target, TensorType | ObjectType) and not isinstance(value, Reference):
        return _fits_written(state, value, target)
    return _fits(state, value, wanted, target)


def _fits(state: State, value: Value, wanted: HostType, target: Decided | None) -> bool:
    items = _tuple_items(value)
    if isinstance(target, SequenceType) and target.kind is tuple and items is not None:
        return all(fits(state, item, target.element) for item in items)
    if isinstance(target, TupleType) and isinstance(value, TupleValue):
        same_kind = target.kind is value.kind and len(target.items) == len(value.items)
        return same_kind and all(map(partial(fits, state), value.items, target.items))
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    if target is None or cell is None or isinstance(cell, RunTimeCell):
        return _accepts(wanted, type_of(state, value))
    match target, cell:
        case OptionalType(), _:
            return fits(state, value, target.item)
        case SequenceType() | MixedListType(), ListCell():
            return _items_fit(state, cell, target)
        case SetType(), SetCell():
            as_ordered = cell.history.came_in is not None or not target.ordered
            return as_ordered and all(fits(state, Known(i), target.element) for i in cell.items)
        case MappingType(), DictCell() if target.kind is cell.kind:
            return target.maker == maker_of(cell) and all(
                fits(state, Known(key), target.key) and fits(state, item, target.value)
                for key, item in cell.items.items()
            )
        case RecordType(), DictCell() | ObjectCell() if isinstance(value, Reference):
            return target.kind is cell.kind and _fields_fit(state, value.identity, cell, target)
        case _:
            return False


def _fits_written(state: State, value: Value, target: TensorType | ObjectType) -> bool:
    """Return whether a value fits; one that is not written elsewhere may be so from here on."""
    given = type_of(state, value)
    if isinstance(given, TensorType | ObjectType) and target.written:
        given = replace(given, written=True)
    return _accepts(target, given)


def _items_fit(state: State, cell: ListCell, target: SequenceType | MixedListType) -> bool:
    if target.kind is not cell.kind:
        return False
    if isinstance(target, SequenceType):
        return all(fits(state, item, target.element) for item in cell.items)
    pairs = zip(cell.items, target.items, strict=False)
    return len(cell.items) == len(target.items) and all(fits(state, *pair) for pair in pairs)


def _fields_fit(
    state: State, identity: int, cell: DictCell | ObjectCell, target: RecordType
) -> bool:
    fields = record_of(cell)
    if fields is None:
        return False
    fitting = state.places.fitting
    if (identity, id(target)) in fitting:
        return True
    fitting.add((identity, id(target)))
    try:
        return tuple(fields) == tuple(name for name, _ in target.fields) and all(
            fits(state, fields[name], kind) for name, kind in target.fields
        )
    finally:
        fitting.remove((identity, id(target)))


def _tuple_items(value: Value) -> tuple[Value, ...] | None:
    """Return the items of a plain tuple of known length, None for other values."""
    if isinstance(value, TupleValue):
        return value.items if value.kind is tuple else None
    if isinstance(value, Known) and type(value.value) is tuple:
        return tuple(map(Known, value.value))
    return None


def takes(state: State, wanted: HostType, given: HostType) -> bool:
    """Return whether objects of one type may be put where another is asked; note why not."""
    state.places.decide(wanted, given)
    if _accepts(wanted, given):
        return True
    state.places.compare(wanted, given)
    return False


def _takes_number(wanted: NumberType, given: NumberType) -> bool:
    if wanted.kind is PLAIN:
        return is_plain(given.kind)
    if wanted.kind is numpy.integer:
        return given.kind is not None and issubclass(given.kind, numpy.integer)
    if wanted.kind is None:
        return is_whole(given) or not wanted.whole
    return wanted.kind is given.kind


def _accepts(wanted: HostType, given: HostType) -> bool:
    """Return whether objects of one type may stand where another is asked."""
    target, found = decided(wanted), decided(given)
    match target, found:
        case NumberType(), NumberType():
            return _takes_number(target, found)
        case OptionalType(), ConstantType() if found.value is None:
            return True
        case TensorType(), TensorType() if target.any_size:
            wider = widened(target, found)
            return (
                isinstance(wider, TensorType)
                and wider.any_size == target.any_size
                and found.written is target.written
                and alike(wider, target)
            )
        case ObjectType(), ObjectType() if covers(target.sample, found.sample):
            return target.written is found.written
        case OptionalType(), OptionalType():
            return _accepts(target.item, found.item)
        case (OptionalType(), _) if found is not None:
            return _accepts(target.item, found)
        case SequenceType(), TupleType() if target.kind is found.kind is tuple:
            return all(_accepts(target.element, item) for item in found.items)
        case TupleType(), TupleType() if (target.kind, len(target.items)) == (
            found.kind,
            len(found.items),
        ):
            return all(map(_accepts, target.items, found.items))
        case _:
            return unify(wanted, given)
