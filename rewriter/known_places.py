"""What several evaluations found out of the objects that a place holds.

An object's type is fixed once it exists on the host, so a field that is None then (``left`` of a
tree's new node, ``previous`` of the first one) must be known to hold something later, and a list
that gets ``(0, "a")`` first that it gets ``(0.5, "b")`` next. A program that is refused is
evaluated again with what was found; classes may refer to themselves so.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from rewriter.host_type_relations import alike, decided, parts
from rewriter.host_types import HostType, OptionalType, RecordType, TypeVariable
from rewriter.loose_types import Note, differences, is_nothing, loosened, something
from rewriter.origin import Origin

Field: TypeAlias = tuple[str, tuple[object, ...], object]
"""A field of the records of a class: its name, the names of all fields, the name of this one."""


def field_of_record(kind: type, names: Iterable[object], name: object) -> Field:
    """Return a field; a class in a function is another one in each evaluation."""
    return f"{kind.__module__}.{kind.__qualname__}", tuple(names), name


class PlacesFound(BaseException):
    """Something was found of a place that is better known from the start.

    No ``Exception``: it must not be taken for one that the user's program raises.
    """


@dataclass(slots=True)
class KnownPlaces:
    """What is known of places whose objects differ, and what this evaluation found."""

    notes: frozenset[Note] = frozenset()
    of_own_class: frozenset[Field] = frozenset()
    """Fields that hold other records of the class, where they hold something."""
    patient: bool = False
    """Whether the evaluation goes on whatever is found."""
    found: set[Note] = field(default_factory=set)
    found_of_own_class: set[Field] = field(default_factory=set)
    makers: dict[int, Origin] = field(default_factory=dict)
    """The statements that made the objects of this evaluation, by heap identity."""
    inside: dict[int, TypeVariable] = field(default_factory=dict)
    """Objects whose type is being found out, by heap identity."""
    integers: set[str] = field(default_factory=set)
    """Numbers of this evaluation that are Python's integers or numpy's, by the path."""
    fitting: set[tuple[int, int]] = field(default_factory=set)
    """Objects, and the types of which it is being found out whether they are of them."""

    def is_optional(self, place: Field) -> bool:
        """Return whether a field may be None."""
        return Note(place, (), "optional") in self.notes

    def record(self, fields: tuple[tuple[object, HostType], ...], kind: type) -> RecordType:
        """Return the type of a record, in which some fields are loose."""
        own = TypeVariable()
        names = [name for name, _ in fields]
        widened: list[tuple[object, HostType]] = []
        for name, given in fields:
            place = field_of_record(kind, names, name)
            if self.is_optional(place) and (is_nothing(given) or decided(given) is None):
                held = own if place in self.of_own_class else TypeVariable()
                given = OptionalType(held if is_nothing(given) else given)
            widened.append((name, self.kept(given, place)))
        own.bound = RecordType(tuple(widened), kind)
        return own.bound

    def kept(self, given: HostType, place: Hashable) -> HostType:
        """Return the type of what a place holds: as loose as it is known to be."""
        return TypeVariable(self._loosened(given, place), place)

    def part(self, given: HostType, identity: int, part: str = "items") -> HostType:
        """Return the type of what is in a container, by the statement that made it."""
        maker = self.makers.get(identity)
        return given if maker is None else self.made_at(given, maker, part)

    def items_may_be_none(self, identity: int) -> bool:
        """Return whether a list is known to hold None in some places and not in others."""
        return self._nothing_among(identity) in self.notes

    def note_items(self, *identities: int) -> None:
        """Take note of lists with None where others have something: paths multiply by them."""
        self.found.update(map(self._nothing_among, identities))
        self.prefer_what_was_found()

    def prefer_what_was_found(self) -> None:
        """Start anew if anything was found, before what may take long without it."""
        if self.is_new and not self.patient:
            raise PlacesFound

    def loses_order(self, identity: int) -> bool:
        """Return whether a set is known to be changed so that it may not be walked as in eager."""
        return self._about(identity, "set", "unordered") in self.notes

    def note_lost_order(self, identity: int) -> None:
        """Take note of a set that is changed so."""
        self.found.add(self._about(identity, "set", "unordered"))

    def _nothing_among(self, identity: int) -> Note:
        return self._about(identity, "items", "optional")

    def _about(self, identity: int, part: str, how: str) -> Note:
        maker = self.makers.get(identity)
        return Note(maker and (maker.file, maker.line, maker.column, part), (), how)

    def made_at(self, given: HostType, maker: Origin, part: str = "items") -> HostType:
        """Return the type of what is in containers that a statement makes."""
        return self.kept(given, (maker.file, maker.line, maker.column, part))

    def decide(self, wanted: HostType, given: HostType) -> None:
        """Decide an undecided type by the first object that is kept there."""
        places: list[Hashable] = []
        while isinstance(wanted, TypeVariable):
            places.append(wanted.place)
            if wanted.bound is None:
                break
            wanted = wanted.bound
        first = decided(given)
        if isinstance(wanted, TypeVariable) and first is not None:
            loose: HostType = first
            for place in places:
                loose = self._loosened(loose, place)
            if loose is not first:
                wanted.bound = loose

    def _loosened(self, given: HostType, place: Hashable) -> HostType:
        own = [note for note in self.notes if note.place == place]
        for note in sorted(own, key=lambda note: (-len(note.path), note.path, str(note.how))):
            given = loosened(given, note.path, note.how)
        item = given.item if isinstance(given, OptionalType) else None
        if isinstance(item, TypeVariable) and item.bound is None and item.place is None:
            item.place = (place, "something")
        return given

    def compare(self, left: HostType, right: HostType) -> None:
        """Take note of what differs in two types that should be the same."""
        self.found.update(differences(left, right))
        self.found_of_own_class.update(_held_by_their_class(left, right))

    def note(self, place: Field, *, of_own_class: bool) -> None:
        """Take note of a field that is None in some records, and something in others."""
        self.found.add(Note(place, (), "optional"))
        if of_own_class:
            self.found_of_own_class.add(place)

    @property
    def any_written(self) -> bool:
        """Return whether tensors or arrays of any place are written in place."""
        return any(note.how == "written" for note in self.notes)

    @property
    def is_new(self) -> bool:
        """Return whether something was found that this evaluation did not know."""
        return not self.found <= self.notes

    def extended(self) -> "KnownPlaces":
        """Return what is known now."""
        own = self.of_own_class | self.found_of_own_class
        return KnownPlaces(self.notes | self.found, own, self.patient)


def _held_by_their_class(left: HostType, right: HostType) -> Iterator[Field]:
    """Yield the fields that are None in one type, and records of their own class in the other."""
    pending = [(left, right)]
    met: set[tuple[int, int]] = set()
    while pending:
        one, other = map(decided, pending.pop())
        if one is None or other is None or (id(one), id(other)) in met:
            continue
        met.add((id(one), id(other)))
        one, other = map(something, (one, other))
        if one is None or other is None or not alike(one, other):
            continue
        pending += zip(parts(one), parts(other), strict=True)
        if isinstance(one, RecordType) and isinstance(other, RecordType):
            names = tuple(name for name, _ in one.fields)
            for (name, kind), (_, also) in zip(one.fields, other.fields, strict=True):
                held = something(also if is_nothing(kind) else kind)
                if is_nothing(kind) is not is_nothing(also) and held and alike(one, held):
                    yield field_of_record(one.kind, names, name)
