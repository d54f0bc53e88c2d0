"""Fields of records of the host that are None in one object and something in another.

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
    found: set[Field] = field(default_factory=set)
    found_of_own_class: set[Field] = field(default_factory=set)
    inside: dict[int, TypeVariable] = field(default_factory=dict)
    """Objects whose type is being found out, by heap identity."""
    fitting: set[tuple[int, int]] = field(default_factory=set)
    """Objects, and the types of which it is being found out whether they are of them."""

    def record(self, fields: tuple[tuple[object, HostType], ...], kind: type) -> RecordType:
        """Return the type of a record, in which some fields may be None."""
        own = TypeVariable()
        names = [name for name, _ in fields]
        widened: list[tuple[object, HostType]] = []
        for name, given in fields:
            place = field_of_record(kind, names, name)
            if place in self.optional:
                something = own if place in self.of_own_class else TypeVariable()
                widened.append((name, _optional(given, something)))
            else:
                widened.append((name, given))
        own.bound = RecordType(tuple(widened), kind)
        return own.bound

    def compare(self, left: HostType, right: HostType) -> None:
        """Take note of fields that are None in one of two types that should be the same."""
        for place, within, something in _fields_that_differ(left, right):
            held = decided(something)
            held = None if held is None else _without_none(held)
            self.note(place, of_own_class=held is not None and alike(within, held))

    def note(self, place: Field, *, of_own_class: bool) -> None:
        """Take note of a field that is None in some records, and something in others."""
        self.found.add(place)
        if of_own_class:
            self.found_of_own_class.add(place)

    @property
    def is_new(self) -> bool:
        """Return whether something was found that this evaluation did not know."""
        return not self.found <= self.optional

    def extended(self) -> "RecordFields":
        """Return what is known now."""
        return RecordFields(self.optional | self.found, self.of_own_class | self.found_of_own_class)


def _optional(given: HostType, something: HostType) -> HostType:
    found = resolved(given)
    if isinstance(found, OptionalType):
        return found
    if isinstance(found, ConstantType) and found.value is None:
        return OptionalType(something)
    return OptionalType(found)


def _fields_that_differ(
    left: HostType, right: HostType
) -> Iterator[tuple[Field, RecordType, HostType]]:
    """Yield the fields that are None in one type, their records, and what the other type has."""
    pending = [(left, right)]
    met: set[tuple[int, int]] = set()
    while pending:
        one, other = map(decided, pending.pop())
        if one is None or other is None or (id(one), id(other)) in met:
            continue
        met.add((id(one), id(other)))
        one, other = map(_without_none, (one, other))
        if one is None or other is None or not alike(one, other):
            continue
        pending += zip(parts(one), parts(other), strict=True)
        if isinstance(one, RecordType) and isinstance(other, RecordType):
            pairs = zip(one.fields, other.fields, strict=True)
            names = tuple(name for name, _ in one.fields)
            for (name, kind), (_, also) in pairs:
                if _is_none(kind) is not _is_none(also):
                    place = field_of_record(one.kind, names, name)
                    yield place, one, also if _is_none(kind) else kind


def _without_none(given: Decided) -> Decided | None:
    return decided(given.item) if isinstance(given, OptionalType) else given


def _is_none(given: HostType) -> bool:
    found = decided(given)
    return isinstance(found, ConstantType) and found.value is None
