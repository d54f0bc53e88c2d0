"""How the types of objects at one place differ, and types that are loose enough for all of them.

A place is what the containers hold that one statement makes, or a field of a class's records.
What is noted of it says which part of the type (a path through tuples) is loose, and how: it may
be None, is a number of any type, an integer or float, or an integer of Python's or numpy's, a tuple
of any length, a tensor of any size in some dimensions, or one that is written in place, a set that
is not walked.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from rewriter.array_samples import is_array
from rewriter.host_type_relations import alike, decided, is_plain, is_whole, parts, widened
from rewriter.host_types import (
    PLAIN,
    ConstantType,
    Decided,
    HostType,
    NumberType,
    ObjectType,
    OptionalType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
    TypeVariable,
)

Path: TypeAlias = tuple[int, ...]
"""Which items of tuples within each other; in tuples of any length every number says the same."""
Where: TypeAlias = tuple[Hashable, Path]


@dataclass(frozen=True, slots=True)
class Note:
    """That the type of a part is loose."""

    place: Hashable
    path: Path
    how: str | frozenset[int]
    """``optional``, ``number``, ``plain`` (an integer or float), ``integer``, ``length``,
    ``unordered`` or ``written``; or dimensions that are of any size."""


def differences(left: HostType, right: HostType) -> Iterator[Note]:
    """Yield how two types differ where they should be the same."""
    pending: list[tuple[HostType, HostType, tuple[Where, ...], tuple[Where, ...]]]
    pending = [(left, right, (), ())]
    met: set[tuple[int, int]] = set()
    while pending:
        one, other, here, there = pending.pop()
        here, there = places_of(one, here), places_of(other, there)
        first, second = decided(one), decided(other)
        if first is None or second is None or (id(first), id(second)) in met:
            continue
        met.add((id(first), id(second)))
        how = _how(first, second)
        if how is not None:
            yield from (Note(place, path, how) for place, path in dict.fromkeys((*here, *there)))
        first, second = something(first), something(second)
        if first is None or second is None:
            continue
        for step, (part, also) in enumerate(_common_parts(first, second)):
            inner = places_within(first, here, step), places_within(second, there, step)
            pending.append((part, also, *inner))


def places_of(given: HostType, around: tuple[Where, ...]) -> tuple[Where, ...]:
    """Return where the objects of a type are kept: by the variables that lead to it."""
    found: list[Where] = []
    while isinstance(given, TypeVariable):
        if given.place is not None:
            found.append((given.place, ()))
        if given.bound is None:
            break
        given = given.bound
    return tuple(found) or around


def places_within(given: Decided, around: tuple[Where, ...], step: int) -> tuple[Where, ...]:
    """Return where an item of a tuple is kept; what is in mutable objects has places of its own."""
    if not isinstance(given, TupleType) and not _is_tuple(given):
        return ()
    return tuple((place, (*path, step)) for place, path in around)


def _kind_of_number(one: NumberType, other: NumberType) -> str:
    if is_plain(one.kind) and is_plain(other.kind):
        return "plain"
    return "integer" if is_whole(one) and is_whole(other) else "number"


def _how(one: Decided, other: Decided) -> str | frozenset[int] | None:
    if _may_be_none(one) is not _may_be_none(other):
        return "optional"
    first, second = something(one), something(other)
    match first, second:
        case NumberType(), NumberType() if not alike(first, second):
            return _kind_of_number(first, second)
        case (TupleType() | SequenceType(), _) if second is not None and not alike(first, second):
            return "length" if _is_tuple(first) and _is_tuple(second) else None
        case SetType(), SetType() if first.ordered is not second.ordered:
            return "unordered"
        case TensorType(), TensorType() if first.written is not second.written:
            return "written"
        case ObjectType(), ObjectType() if first.written is not second.written:
            return "written"
        case TensorType(), TensorType() if not alike(first, second):
            wider = widened(first, second)
            return wider.any_size if isinstance(wider, TensorType) else None
        case _:
            return None


def _may_be_none(given: Decided) -> bool:
    return isinstance(given, OptionalType) or is_nothing(given)


def is_nothing(given: HostType) -> bool:
    """Return whether objects of a type are None."""
    found = decided(given)
    return isinstance(found, ConstantType) and found.value is None


def something(given: HostType) -> Decided | None:
    """Return a type without None."""
    found = decided(given)
    return decided(found.item) if isinstance(found, OptionalType) else found


def _common_parts(one: Decided, other: Decided) -> Iterator[tuple[HostType, HostType]]:
    """Yield the parts that correspond to each other, of tuples of different lengths as well."""
    if alike(one, other):
        yield from zip(parts(one), parts(other), strict=True)
    elif _is_tuple(one) and _is_tuple(other):
        items = (*parts(one), *parts(other))
        yield from ((items[0], item) for item in items[1:])


def _is_tuple(given: Decided) -> bool:
    return isinstance(given, TupleType | SequenceType) and given.kind is tuple


def loosened(given: HostType, path: Path, how: str | frozenset[int]) -> HostType:
    """Return a type whose part at a path is loose."""
    found = decided(given)
    if isinstance(found, OptionalType):
        loose_already = how == "optional" and not path
        return found if loose_already else OptionalType(loosened(found.item, path, how))
    if not path:
        return given if found is None else _loose(found, how)
    step, *rest = path
    if isinstance(found, SequenceType) and found.kind is tuple:
        return SequenceType(loosened(found.element, tuple(rest), how), tuple)
    if not isinstance(found, TupleType) or step >= len(found.items):
        return given
    items = list(found.items)
    items[step] = loosened(items[step], tuple(rest), how)
    return replace(found, items=tuple(items))


def _loose(found: Decided, how: str | frozenset[int]) -> HostType:
    match found:
        case NumberType() if how in ("integer", "number", "plain"):
            whole = how == "integer" and is_whole(found)
            return NumberType(PLAIN if how == "plain" and is_plain(found.kind) else None, whole)
        case TupleType() if how == "length" and found.kind is tuple:
            element: HostType | None = TypeVariable()
            for item in found.items:
                element = None if element is None else widened(element, item)
            return found if element is None else SequenceType(element, tuple)
        case SetType() if how == "unordered":
            return replace(found, ordered=False)
        case TensorType() if how == "written":
            return replace(found, written=True)
        case ObjectType() if how == "written" and is_array(found.sample):
            return replace(found, written=True)
        case TensorType() if isinstance(how, frozenset):
            return replace(found, any_size=found.any_size | how)
        case _ if how == "optional":
            return OptionalType(TypeVariable() if is_nothing(found) else found)
        case _:
            return found
