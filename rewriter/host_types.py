"""The types of objects that exist at run time only, on the host: one description for all.

A type says what is known of every object that a place may hold: ``SequenceType(NumberType(int))``
is a list of integers, ``RecordType`` a dict of known keys or an instance of a user's class. A
mutable object keeps its type for life, so two names for one object never disagree about it.
What is not known when an object is made (the elements of ``[]``) is a ``TypeVariable``, which
its first use decides for everyone (Milner, 1978; without polymorphism).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch

from rewriter.builder import tensor_spec


@dataclass(slots=True, eq=False)
class TypeVariable:
    """A type that is not decided yet."""

    bound: "HostType | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class NumberType:
    """A number. ``kind`` is None where it may be of several types."""

    kind: type | None


@dataclass(frozen=True, slots=True, eq=False)
class ConstantType:
    """One object that is known at compile time, such as None."""

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class OptionalType:
    """None, or an object of a type."""

    item: "HostType"


@dataclass(frozen=True, slots=True, eq=False)
class ObjectType:
    """A string or a numpy array: an object of the same type, dtype and shape as a sample."""

    sample: object


@dataclass(frozen=True, slots=True, eq=False)
class TensorType:
    """A tensor like another one: dtype, shape and strides."""

    like: torch.Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TupleType:
    """A tuple of known length, or a named tuple."""

    items: "tuple[HostType, ...]"
    kind: type = tuple


@dataclass(frozen=True, slots=True, eq=False)
class SequenceType:
    """A list, deque or tuple of any length."""

    element: "HostType"
    kind: type = list


@dataclass(frozen=True, slots=True, eq=False)
class SetType:
    """A set."""

    element: "HostType"
    kind: type = set


@dataclass(frozen=True, slots=True, eq=False)
class MappingType:
    """A dict with any keys. A ``defaultdict`` is a plain dict on the host."""

    key: "HostType"
    value: "HostType"
    kind: type = dict


@dataclass(frozen=True, slots=True, eq=False)
class RecordType:
    """A dict with certain keys, or an instance of a user's class: a dict by attribute names."""

    fields: "tuple[tuple[object, HostType], ...]"
    kind: type = dict


Decided: TypeAlias = (
    NumberType
    | ConstantType
    | OptionalType
    | ObjectType
    | TensorType
    | TupleType
    | SequenceType
    | SetType
    | MappingType
    | RecordType
)
HostType: TypeAlias = Decided | TypeVariable
ContainerType: TypeAlias = SequenceType | SetType | MappingType | RecordType
"""Types of mutable objects, and of tuples of any length."""

TEXT = ObjectType("")
NOTHING = ConstantType(None)


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
    left: HostType, right: HostType, undecided: Callable[[HostType, HostType], bool]
) -> bool:
    left, right = resolved(left), resolved(right)
    if isinstance(left, TypeVariable) or isinstance(right, TypeVariable):
        return undecided(left, right)
    if left is right:
        return True
    if type(left) is not type(right) or _own(left) != _own(right):
        return False
    return all(
        _agree(one, other, undecided) for one, other in zip(parts(left), parts(right), strict=True)
    )


def parts(given: Decided) -> "tuple[HostType, ...]":
    """Return the types that a type is made of."""
    match given:
        case NumberType() | ConstantType() | ObjectType() | TensorType():
            return ()
        case OptionalType():
            return (given.item,)
        case TupleType():
            return given.items
        case SequenceType() | SetType():
            return (given.element,)
        case MappingType():
            return (given.key, given.value)
        case RecordType():
            return tuple(item for _, item in given.fields)


def _own(given: Decided) -> object:
    """Return what two types must have in common besides their parts."""
    match given:
        case NumberType():
            return given.kind
        case ConstantType():
            return (type(given.value), id(given.value))
        case ObjectType():
            sample = given.sample
            shape: object = getattr(sample, "shape", None)
            return (type(sample), str(getattr(sample, "dtype", "")), shape)
        case TensorType():
            spec = tensor_spec(given.like)
            strides = None if given.like.is_contiguous() else given.like.stride()
            return (spec, strides)
        case OptionalType():
            return None
        case TupleType():
            return (given.kind, len(given.items))
        case SequenceType() | SetType() | MappingType():
            return given.kind
        case RecordType():
            return (given.kind, tuple(name for name, _ in given.fields))


def _mentions(given: HostType, variable: TypeVariable) -> bool:
    found = resolved(given)
    if isinstance(found, TypeVariable):
        return found is variable
    return any(_mentions(part, variable) for part in parts(found))


def holds(given: HostType, test: Callable[[Decided], bool]) -> bool:
    """Return whether a type, or a part of it, passes a test."""
    found = decided(given)
    return found is not None and (test(found) or any(holds(part, test) for part in parts(found)))


def is_undecided(given: HostType) -> bool:
    """Return whether some part of a type is not decided yet."""
    found = decided(given)
    return found is None or any(is_undecided(part) for part in parts(found))


def has_tensor(given: HostType) -> bool:
    """Return whether objects of a type are or hold tensors or arrays: ``==`` has no one answer."""
    return holds(
        given,
        lambda part: (
            isinstance(part, TensorType)
            or (isinstance(part, ObjectType) and not isinstance(part.sample, str | bytes))
        ),
    )


def has_instance(given: HostType) -> bool:
    """Return whether objects of a type are or hold what the host has no class for."""
    return holds(
        given,
        lambda part: (
            (isinstance(part, RecordType) and part.kind is not dict)
            or (isinstance(part, TupleType) and part.kind is not tuple)
        ),
    )


def is_mutable(given: HostType) -> bool:
    """Return whether objects of a type are or hold containers that can be changed."""
    return holds(
        given,
        lambda part: (
            isinstance(part, SetType | MappingType | RecordType)
            or (isinstance(part, SequenceType) and part.kind is not tuple)
        ),
    )


def widened(left: HostType, right: HostType) -> HostType | None:
    """Return a type of objects of either type, None where there is none.

    Only for objects about to be made: those that exist keep their type.
    """
    one, other = decided(left), decided(right)
    if one is None or other is None:
        return left if unify(left, right) else None
    match one, other:
        case NumberType(), NumberType() if one.kind is not other.kind:
            return NumberType(None)
        case ConstantType(), (ConstantType() | OptionalType()) if one.value is None:
            return other
        case (OptionalType(), ConstantType()) if other.value is None:
            return one
        case ConstantType(), _ if one.value is None:
            return OptionalType(other)
        case _, ConstantType() if other.value is None:
            return OptionalType(one)
        case OptionalType(), _:
            return _optional(widened(one.item, other))
        case _, OptionalType():
            return _optional(widened(one, other.item))
        case TupleType(), TupleType() if _own(one) == _own(other):
            items = [widened(a, b) for a, b in zip(one.items, other.items, strict=True)]
            found = tuple(item for item in items if item is not None)
            return TupleType(found, one.kind) if len(found) == len(items) else None
        case _:
            return left if unify(left, right) else None


def _optional(item: HostType | None) -> HostType | None:
    return None if item is None else OptionalType(item)
