"""Which host type a value of the evaluator has, and whether it may stand where a type is asked."""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping

import numpy
import torch

from rewriter.host_type_properties import are_mixed
from rewriter.host_type_relations import unify, widened
from rewriter.host_types import (
    NOTHING,
    OWN_MAKER,
    PLAIN,
    TEXT,
    HostType,
    MappingType,
    MixedListType,
    NumberType,
    ObjectType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
    TypeVariable,
)
from rewriter.plain_objects import looks_up_itself
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
    is_none,
)

_DICTS = (dict, OrderedDict, defaultdict, Counter)
_NUMBERS = (bool, int, float, complex)


class NoHostType(Exception):
    """A value cannot be kept in a container of the host; the text says what it is."""


def type_of(state: State, value: Value) -> HostType:
    """Return the type of a value as an object of the host. Raises NoHostType."""
    match value:
        case ScalarValue():
            kind = PLAIN if value.plain else value.type
            return NumberType(kind, kind is None and value.name in state.places.integers)
        case HostValue():
            return ObjectType(value.sample)
        case TensorValue():
            tensor = state.current(value)
            return _tensor_type(tensor.fake, written=state.home(tensor) is not None)
        case TupleValue():
            return TupleType(tuple(type_of(state, item) for item in value.items), value.kind)
        case Known():
            return _known_type(value.value)
        case Reference():
            return _object_type(state, value.identity)
        case _:
            raise NoHostType("a function, iterator or view")


def _tensor_type(fake: torch.Tensor, *, written: bool) -> TensorType:
    """Return the type of a tensor: a size known only at run time is another in each element."""
    changing = frozenset(i for i, size in enumerate(fake.shape) if not isinstance(size, int))
    steps_known = all(isinstance(step, int) for step in fake.stride())
    if changing and not (steps_known or is_dense_layout(fake)):
        raise NoHostType("a view of a tensor of run-time size")
    return TensorType(fake, changing, written)


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


def _object_type(state: State, identity: int) -> HostType:
    """Return the type of an object, which may lead to itself."""
    cell, inside = state.heap[identity], state.places.inside
    if isinstance(cell, RunTimeCell):
        return cell.type
    if identity in inside:
        return inside[identity]
    own = inside[identity] = TypeVariable()
    try:
        made = _cell_type(state, identity, cell)
    finally:
        del inside[identity]
    if not unify(own, made):
        raise NoHostType("an object that contains itself")
    return made


def _cell_type(state: State, identity: int, cell: Cell) -> HostType:
    match cell:
        case ListCell() if cell.kind in (list, deque):
            is_record = cell.kind is list and not state.places.items_may_be_none(identity)
            mixed = _mixed_list(state, identity, cell) if is_record else None
            if mixed is not None:
                return mixed
            return SequenceType(element_of_list(state, Reference(identity)), cell.kind)
        case SetCell():
            element = common_type(state, tuple(map(Known, cell.items)))
            lost = cell.history.came_in is None or state.places.loses_order(identity)
            return SetType(element, cell.kind, ordered=not lost)
        case DictCell() | ObjectCell() if (fields := record_of(cell)) is not None:
            items = tuple((name, type_of(state, item)) for name, item in fields.items())
            return state.places.record(items, cell.kind)
        case DictCell() if cell.kind in _DICTS:
            return mapping_type(state, identity, cell)
        case _:
            raise NoHostType("an iterator or an object of a class of containers")


def _mixed_list(state: State, identity: int, cell: ListCell) -> MixedListType | None:
    """Return the type of a list whose items have nothing in common, None for others."""
    items = [type_of(state, item) for item in cell.items]
    if not are_mixed(items):
        return None
    part = state.places.part
    return MixedListType(tuple(part(t, identity, f"item {i}") for i, t in enumerate(items)))


def record_of(cell: Cell) -> Mapping[object, Value] | None:
    """Return the fields of an object that is a record on the host, None for other objects."""
    match cell:
        case DictCell() if cell.kind is dict and cell.items and _are_words(cell.items):
            return cell.items
        case ObjectCell() if not looks_up_itself(cell.kind):
            return {name: cell.attributes[name] for name in sorted(cell.attributes)}
        case _:
            return None


def is_record_like(state: State, value: Value, other: Cell) -> bool:
    """Return whether a value is a record with the class and fields of another one."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    return cell is not None and _record_names(cell) == _record_names(other) is not None


def _record_names(cell: Cell) -> tuple[type, tuple[object, ...]] | None:
    if isinstance(cell, RunTimeCell):
        fields = cell.type.fields if isinstance(cell.type, RecordType) else None
        return None if fields is None else (cell.kind, tuple(name for name, _ in fields))
    own = record_of(cell)
    if own is None or not isinstance(cell, DictCell | ObjectCell):
        return None
    return cell.kind, tuple(own)


def _are_words(keys: Iterable[object]) -> bool:
    return all(isinstance(key, str) for key in keys)


def mapping_type(state: State, identity: int, cell: DictCell) -> MappingType:
    """Return the type of a dict whose keys are about to be run-time values. Raises NoHostType."""
    if cell.kind not in (dict, OrderedDict, defaultdict, Counter):
        raise NoHostType(f"the class {cell.kind.__name__}")
    keys = common_type(state, tuple(map(Known, cell.items)))
    values = common_type(state, tuple(cell.items.values()))
    part = state.places.part
    key, value = part(keys, identity, "keys"), part(values, identity, "values")
    return MappingType(key, value, cell.kind, maker_of(cell))


def maker_of(cell: DictCell) -> object:
    """Return what a type says of how missing values of a dict are made."""
    factory = cell.default_factory
    if not isinstance(factory, Known):
        return None if factory is None else OWN_MAKER
    content = factory.value
    is_class = any(content is kind for kind in _MAKERS)
    return content if content is None or is_class else OWN_MAKER


_MAKERS = (list, dict, tuple, set, frozenset, str, bytes, int, float, bool, complex)


def element_of_list(state: State, listed: Reference) -> HostType:
    """Return the type of what a list of known length holds. Raises NoHostType."""
    items = state.cell(listed, ListCell).items
    if state.places.items_may_be_none(listed.identity):
        items = tuple(item for item in items if not is_none(item)) or items
    element = common_type(state, items)
    return state.places.part(element, listed.identity)


def common_type(state: State, items: tuple[Value, ...]) -> HostType:
    """Return a type of all items, undecided where there are none. Raises NoHostType."""
    found: HostType = TypeVariable()
    for item in items:
        given = type_of(state, item)
        wider = widened(found, given)
        if wider is None:
            state.places.compare(found, given)
            raise NoHostType("objects of different types")
        found = wider
    return found
