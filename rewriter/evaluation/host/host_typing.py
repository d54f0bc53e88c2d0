"""Which host type a value of the evaluator has, and whether it may stand where a type is asked."""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable

import numpy
import torch

from rewriter.host_type_relations import decided, unify, widened
from rewriter.host_types import (
    NOTHING,
    TEXT,
    ConstantType,
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
    TypeVariable,
)
from rewriter.size_expressions import is_dense_layout
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    HostValue,
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

_DICTS = (dict, OrderedDict, defaultdict, Counter)
_NUMBERS = (bool, int, float, complex)


class NoHostType(Exception):
    """A value cannot be kept in a container of the host; the text says what it is."""


def type_of(state: State, value: Value) -> HostType:
    """Return the type of a value as an object of the host. Raises NoHostType."""
    match value:
        case ScalarValue():
            return NumberType(value.type)
        case HostValue():
            return ObjectType(value.sample)
        case TensorValue():
            return _tensor_type(state.current(value).fake)
        case TupleValue():
            return TupleType(tuple(type_of(state, item) for item in value.items), value.kind)
        case Known():
            return _known_type(value.value)
        case Reference():
            return _cell_type(state, value, state.heap[value.identity])
        case _:
            raise NoHostType("a function, iterator or view")


def _tensor_type(fake: torch.Tensor) -> TensorType:
    """Return the type of a tensor: a size known only at run time is another in each element."""
    changing = frozenset(i for i, size in enumerate(fake.shape) if not isinstance(size, int))
    if changing and not is_dense_layout(fake):
        raise NoHostType("a view of a tensor of run-time size")
    return TensorType(fake, changing)


def _known_type(content: object) -> HostType:
    match content:
        case None:
            return NOTHING
        case str():
            return TEXT
        case torch.Tensor():
            return TensorType(content)
        case tuple() if type(content) is tuple:
            return TupleType(tuple(_known_type(item) for item in content))
    if type(content) in _NUMBERS or isinstance(content, numpy.generic):
        return NumberType(type(content))
    if isinstance(content, numpy.ndarray | bytes):
        return ObjectType(content)
    raise NoHostType(f"a {type(content).__name__} made before the call")


def _cell_type(state: State, value: Reference, cell: Cell) -> HostType:
    match cell:
        case RunTimeCell():
            return cell.type
        case ListCell() if cell.kind in (list, deque):
            return SequenceType(common_type(state, cell.items), cell.kind)
        case SetCell():
            element = common_type(state, tuple(map(Known, cell.items)))
            ordered = len(cell.items) < 2 and cell.history.only_grew
            return SetType(element, cell.kind, ordered=ordered)
        case DictCell() if cell.kind is dict and cell.items and _are_words(cell.items):
            fields = tuple((key, type_of(state, item)) for key, item in cell.items.items())
            return RecordType(fields, cell.kind)
        case DictCell() if cell.kind in _DICTS:
            return mapping_type(state, cell)
        case ObjectCell():
            names = sorted(cell.attributes)
            fields = tuple((name, type_of(state, cell.attributes[name])) for name in names)
            return RecordType(fields, cell.kind)
        case _:
            raise NoHostType("an iterator or an object of a class of containers")


def _are_words(keys: Iterable[object]) -> bool:
    return all(isinstance(key, str) for key in keys)


def mapping_type(state: State, cell: DictCell) -> MappingType:
    """Return the type of a dict whose keys are about to be run-time values."""
    keys = common_type(state, tuple(map(Known, cell.items)))
    return MappingType(keys, common_type(state, tuple(cell.items.values())), cell.kind)


def common_type(state: State, items: tuple[Value, ...]) -> HostType:
    """Return a type of all items, undecided where there are none. Raises NoHostType."""
    found: HostType = TypeVariable()
    for item in items:
        wider = widened(found, type_of(state, item))
        if wider is None:
            raise NoHostType("objects of different types")
        found = wider
    return found


def fits(state: State, value: Value, wanted: HostType) -> bool:
    """Return whether a value may stand where a type is asked, deciding what is undecided."""
    target = decided(wanted)
    if isinstance(target, SequenceType) and target.kind is tuple:
        items = _tuple_items(value)
        if items is not None:
            return all(fits(state, item, target.element) for item in items)
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    if target is None or cell is None or isinstance(cell, RunTimeCell):
        return _accepts(wanted, type_of(state, value))
    match target, cell:
        case OptionalType(), _:
            return fits(state, value, target.item)
        case SequenceType(), ListCell() if target.kind is cell.kind:
            return all(fits(state, item, target.element) for item in cell.items)
        case SetType(), SetCell():
            return all(fits(state, Known(item), target.element) for item in cell.items)
        case MappingType(), DictCell() if target.kind is cell.kind:
            return all(
                fits(state, Known(key), target.key) and fits(state, item, target.value)
                for key, item in cell.items.items()
            )
        case RecordType(), DictCell() if target.kind is cell.kind:
            names = tuple(name for name, _ in target.fields)
            return tuple(cell.items) == names and all(
                fits(state, cell.items[name], kind) for name, kind in target.fields
            )
        case RecordType(), ObjectCell() if target.kind is cell.kind:
            names = tuple(name for name, _ in target.fields)
            return tuple(sorted(cell.attributes)) == names and all(
                fits(state, cell.attributes[str(name)], kind) for name, kind in target.fields
            )
        case _:
            return False


def _tuple_items(value: Value) -> tuple[Value, ...] | None:
    """Return the items of a plain tuple of known length, None for other values."""
    if isinstance(value, TupleValue):
        return value.items if value.kind is tuple else None
    if isinstance(value, Known) and type(value.value) is tuple:
        return tuple(map(Known, value.value))
    return None


def _accepts(wanted: HostType, given: HostType) -> bool:
    """Return whether objects of one type may stand where another is asked."""
    target, found = decided(wanted), decided(given)
    match target, found:
        case NumberType(), NumberType() if target.kind is None:
            return True
        case OptionalType(), ConstantType() if found.value is None:
            return True
        case TensorType(), TensorType() if target.any_size:
            wider = widened(target, found)
            return isinstance(wider, TensorType) and wider.any_size == target.any_size
        case OptionalType(), OptionalType():
            return _accepts(target.item, found.item)
        case (OptionalType(), _) if found is not None:
            return _accepts(target.item, found)
        case TupleType(), TupleType() if (target.kind, len(target.items)) == (
            found.kind,
            len(found.items),
        ):
            return all(map(_accepts, target.items, found.items))
        case _:
            return unify(wanted, given)
