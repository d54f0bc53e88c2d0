"""Fields of records of the host that are None in one object and something in another.

Or an integer in one and a float in another: ``score = 0`` in the first hypothesis of a beam.
An object's type is fixed once it exists on the host, so a field that is None then (``left`` of a
tree's new node, ``previous`` of the first one) must be known to hold something later. A program
that is refused is evaluated again with what was found; classes may refer to themselves so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from rewriter.host_type_relations import alike, decided, parts, resolved
from rewriter.host_types import (
    ConstantType,
    Decided,
    HostType,
    NumberType,
    OptionalType,
    RecordType,
    TypeVariable,
)

Field: TypeAlias = tuple[str, tuple[object, ...], object]
"""A field of the records of a class: its name, the names of all fields, the name of this one."""


def field_of_record(kind: type, names: Iterable[object], name: object) -> Field:
    """Return a field; a class in a function is another one in each evaluation."""
    return f"{kind.__module__}.{kind.__qualname__}", tuple(names), name


@dataclass(slots=True)
class RecordFields:
    """What is known of fields that may be None, and what this evaluation found."""

    optional: frozenset[Field] = frozenset()
    of_own_class: frozenset[Field] = frozenset()
    """Those that hold other records of the class, where they hold something."""
    any_number: frozenset[Field] = frozenset()
    """Fields that hold numbers of several types."""
    found: set[Field] = field(default_factory=set)
    found_of_own_class: set[Field] = field(default_factory=set)
    found_numbers: set[Field] = field(default_factory=set)
    inside: dict[int, TypeVariable] = field(default_factory=dict)
    """Objects whose type is being found out, by heap identity."""
    fitting: set[tuple[int, int]] = field(default_factory=set)
    """Objects, and the types of which it is being found out whether they are of them."""

    def record(self, fields: tuple[tuple[object, HostType], ...], kind: type) -> RecordType:
        """Return the type of a record, in which some fields may be None."""
        own = TypeVariable()
        names = [name for name, _ in fields]
        widened: list[tuple[object, HostType]] = []
        for name, known in fields:
            place = field_of_record(kind, names, name)
            given = _any_number(known) if place in self.any_number else known
            if place in self.optional:
                something = own if place in self.of_own_class else TypeVariable()
                widened.append((name, _optional(given, something)))
            else:
                widened.append((name, given))
        own.bound = RecordType(tuple(widened), kind)
        return own.bound

    def compare(self, left: HostType, right: HostType) -> None:
        """Take note of fields that differ in two types that should be the same."""
        for place, within, one, other in _fields_of_both(left, right):
            if _is_none(one) is not _is_none(other):
                held = _something(other if _is_none(one) else one)
                self.note(place, of_own_class=held is not None and alike(within, held))
            else:
                self.note_numbers(place, one, other)

    def note_numbers(self, place: Field, one: HostType, other: HostType) -> None:
        """Take note of a field if it holds numbers of two types."""
        first, second = _something(one), _something(other)
        if not isinstance(first, NumberType) or not isinstance(second, NumberType):
            return
        if first.kind is not second.kind:
            self.found_numbers.add(place)

    def note(self, place: Field, *, of_own_class: bool) -> None:
        """Take note of a field that is None in some records, and something in others."""
        self.found.add(place)
        if of_own_class:
            self.found_of_own_class.add(place)

    @property
    def is_new(self) -> bool:
        """Return whether something was found that this evaluation did not know."""
        return not (self.found <= self.optional and self.found_numbers <= self.any_number)

    def extended(self) -> "RecordFields":
        """Return what is known now."""
        return RecordFields(
            self.optional | self.found,
            self.of_own_class | self.found_of_own_class,
            self.any_number | self.found_numbers,
        )


def _any_number(given: HostType) -> HostType:
    found = decided(given)
    if isinstance(found, OptionalType):
        return OptionalType(_any_number(found.item))
    return NumberType(None) if isinstance(found, NumberType) else given


def _optional(given: HostType, something: HostType) -> HostType:
    found = resolved(given)
    if isinstance(found, OptionalType):
        return found
    if isinstance(found, ConstantType) and found.value is None:
        return OptionalType(something)
    return OptionalType(found)


def _fields_of_both(
    left: HostType, right: HostType
) -> Iterator[tuple[Field, RecordType, HostType, HostType]]:
    """Yield the fields of records that are in both types: the record, and what they hold."""
    pending = [(left, right)]
    met: set[tuple[int, int]] = set()
    while pending:
        one, other = map(decided, pending.pop())
        if one is None or other is None or (id(one), id(other)) in met:
            continue
        met.add((id(one), id(other)))
        one, other = map(_something, (one, other))
        if one is None or other is None or not alike(one, other):
            continue
        pending += zip(parts(one), parts(other), strict=True)
        if isinstance(one, RecordType) and isinstance(other, RecordType):
            pairs = zip(one.fields, other.fields, strict=True)
            names = tuple(name for name, _ in one.fields)
            for (name, kind), (_, also) in pairs:
                yield field_of_record(one.kind, names, name), one, kind, also


def _something(given: HostType) -> Decided | None:
    """Return a type without None."""
    found = decided(given)
    return decided(found.item) if isinstance(found, OptionalType) else found


def _is_none(given: HostType) -> bool:
    found = decided(given)
    return isinstance(found, ConstantType) and found.value is None
