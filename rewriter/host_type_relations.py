"""How host types relate: equal, made equal, wider."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy

from rewriter.builder import tensor_spec
from rewriter.host_types import (
    PLAIN,
    ConstantType,
    Decided,
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
    TypeVariable,
)
from rewriter.size_expressions import is_dense_layout, keys_of


@dataclass(frozen=True, slots=True, eq=False)
class TypeToken:
    """A type as part of a state's shape: equal to every type that is the same now."""

    type: "HostType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeToken) and same(self.type, other.type)

    def __hash__(self) -> int:
        return hash(type(resolved(self.type)).__name__)


def resolved(given: HostType) -> HostType:
    """Return what a type has been decided to be; an undecided variable stays."""
    while isinstance(given, TypeVariable) and given.bound is not None:
        given = given.bound
    return given


def decided(given: HostType) -> Decided | None:
    """Return a type that is decided, else None."""
    found = resolved(given)
    return None if isinstance(found, TypeVariable) else found


def same(left: HostType, right: HostType) -> bool:
    """Return whether two types are equal as far as they are decided."""
    return _agree(left, right, lambda one, other: one is other)


def unify(left: HostType, right: HostType) -> bool:
    """Decide undecided parts so that two types are equal; return whether they are now."""
    return _agree(left, right, _bind)


def _bind(left: HostType, right: HostType) -> bool:
    if left is right:
        return True
    variable, other = (left, right) if isinstance(left, TypeVariable) else (right, left)
    assert isinstance(variable, TypeVariable)
    if _mentions(other, variable):
        return False
    variable.bound = other
    return True


def _agree(
    left: HostType,
    right: HostType,
    undecided: Callable[[HostType, HostType], bool],
    assumed: frozenset[tuple[int, int]] = frozenset(),
) -> bool:
    """Compare two types; ``assumed`` are pairs of records on the way to which they agree."""
    left, right = resolved(left), resolved(right)
    if isinstance(left, TypeVariable) or isinstance(right, TypeVariable):
        return undecided(left, right)
    if left is right or (id(left), id(right)) in assumed:
        return True
    if not alike(left, right):
        return False
    if isinstance(left, RecordType):
        assumed |= {(id(left), id(right))}
    return all(
        _agree(one, other, undecided, assumed)
        for one, other in zip(parts(left), parts(right), strict=True)
    )


def parts(given: Decided) -> "tuple[HostType, ...]":
    """Return the types that a type is made of."""
    match given:
        case NumberType() | ConstantType() | ObjectType() | TensorType():
            return ()
        case OptionalType() | HandleType():
            return (given.item,)
        case TupleType() | MixedListType():
            return given.items
        case SequenceType() | SetType():
            return (given.element,)
        case MappingType():
            return (given.key, given.value)
        case RecordType():
            return tuple(item for _, item in given.fields)


def alike(left: Decided, right: Decided) -> bool:
    """Return whether two types are the same but for their parts."""
    return type(left) is type(right) and _own(left) == _own(right)


def sample_kind(sample: object) -> Hashable:
    """Return what two samples have in common that stand for objects of one kind.

    Two objects of an argument's class are of two kinds where two arguments hold them: what
    is asked of the one is not asked of the other.
    """
    return (type(sample), str(getattr(sample, "dtype", "")), getattr(sample, "shape", None))


def _own(given: Decided) -> object:
    """Return what two types must have in common besides their parts."""
    match given:
        case NumberType():
            return (given.kind, given.whole)
        case ConstantType():
            return (type(given.value), id(given.value))
        case ObjectType():
            return (sample_kind(given.sample), given.written)
        case TensorType():
            spec = tensor_spec(given.like)
            shape = tuple(
                None if place in given.any_size else size for place, size in enumerate(spec.shape)
            )
            strides = None if is_dense_layout(given.like) else keys_of(given.like.stride())
            return (spec.dtype, shape, strides, given.written)
        case OptionalType() | HandleType():
            return None
        case TupleType() | MixedListType():
            return (given.kind, len(given.items))
        case SetType():
            return (given.kind, given.ordered)
        case SequenceType() | MappingType():
            return (given.kind, given.maker if isinstance(given, MappingType) else None)
        case RecordType():
            return (given.kind, tuple(name for name, _ in given.fields))


def _mentions(given: HostType, variable: TypeVariable) -> bool:
    """Return whether a type is made of a variable; what is within a record refers to objects."""
    found = resolved(given)
    if isinstance(found, TypeVariable):
        return found is variable
    if isinstance(found, RecordType):
        return False
    return any(_mentions(part, variable) for part in parts(found))


def widened(left: HostType, right: HostType) -> HostType | None:
    """Return a type of objects of either type, None where there is none.

    Only for objects about to be made: those that exist keep their type.
    """
    found = _widened(left, right)
    while found is not None and found is not left and isinstance(left, TypeVariable):
        found = found if left.place is None else TypeVariable(found, left.place)
        if left.bound is None:
            break
        left = left.bound
    return found


def _widened(left: HostType, right: HostType) -> HostType | None:
    one, other = decided(left), decided(right)
    if one is None or other is None:
        return left if unify(left, right) else None
    match one, other:
        case NumberType(), NumberType() if not alike(one, other):
            return _of_either(one, other)
        case (ConstantType() | OptionalType(), _) | (_, ConstantType() | OptionalType()):
            return _widened_optional(one, other)
        case (TupleType() | SequenceType(), TupleType() | SequenceType()) if not alike(one, other):
            return _tuple_of_any_length(one, other)
        case SetType(), SetType() if one.kind is other.kind and unify(one.element, other.element):
            return SetType(one.element, one.kind, ordered=one.ordered and other.ordered)
        case TensorType(), TensorType() if not alike(one, other):
            return _of_any_size(one, other)
        case TupleType(), TupleType():
            items = [widened(a, b) for a, b in zip(one.items, other.items, strict=True)]
            found = tuple(item for item in items if item is not None)
            return TupleType(found, one.kind) if len(found) == len(items) else None
        case _:
            return left if unify(left, right) else None


def _widened_optional(one: Decided, other: Decided) -> HostType | None:
    match one, other:
        case ConstantType(), (ConstantType() | OptionalType()) if one.value is None:
            return other
        case (OptionalType(), ConstantType()) if other.value is None:
            return one
        case ConstantType(), _ if one.value is None:
            return OptionalType(other)
        case _, ConstantType() if other.value is None:
            return OptionalType(one)
        case OptionalType(), OptionalType():
            return _optional(widened(one.item, other.item))
        case OptionalType(), _:
            return _optional(widened(one.item, other))
        case _, OptionalType():
            return _optional(widened(one, other.item))
        case _:
            return one if unify(one, other) else None


def _tuple_of_any_length(
    left: TupleType | SequenceType, right: TupleType | SequenceType
) -> SequenceType | None:
    """Return the type of tuples of different lengths whose elements are alike."""
    if left.kind is not tuple or right.kind is not tuple:
        return None
    element: HostType = TypeVariable()
    for part in (*parts(left), *parts(right)):
        wider = widened(element, part)
        if wider is None:
            return None
        element = wider
    return SequenceType(element, tuple)


def _of_either(left: NumberType, right: NumberType) -> NumberType:
    """Return the type of numbers of two types: PLAIN, integers, those of numpy's only, or any."""
    if is_plain(left.kind) and is_plain(right.kind):
        return NumberType(PLAIN)
    of_numpy = all(
        one.kind is not None and issubclass(one.kind, numpy.integer) for one in (left, right)
    )
    return NumberType(
        numpy.integer if of_numpy else None, is_whole(left) and is_whole(right) and not of_numpy
    )


def is_plain(kind: type | None) -> bool:
    """Return whether numbers of a kind are integers or floats of Python's own."""
    return kind in (int, float, PLAIN)


def is_whole(number: NumberType) -> bool:
    """Return whether numbers of a type are integers of Python's or of numpy's, and no truths."""
    return number.whole or number.kind is int or issubclass(number.kind or bool, numpy.integer)


def _of_any_size(left: TensorType, right: TensorType) -> TensorType | None:
    """Return the type of tensors that differ in some sizes only."""
    one, other = tensor_spec(left.like), tensor_spec(right.like)
    if one.dtype is not other.dtype or len(one.shape) != len(other.shape):
        return None
    dense = [is_dense_layout(left.like), is_dense_layout(right.like)]
    if not all(dense) and keys_of(left.like.stride()) != keys_of(right.like.stride()):
        return None
    differing = {
        place
        for place, (size, also) in enumerate(zip(one.shape, other.shape, strict=True))
        if size != also
    }
    like = left.like if all(dense) or not dense[0] else right.like
    any_size = left.any_size | right.any_size | differing
    return TensorType(like, any_size, left.written or right.written)


def _optional(item: HostType | None) -> HostType | None:
    return None if item is None else OptionalType(item)
