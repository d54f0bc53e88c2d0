"""Objects of user classes among the arguments: what the program asks of them.

A caller must give the attributes that the program reads, and no other: objects of a data set's
batch carry much that no model looks at.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rewriter.parameters import (
    InputSpec,
    MappingInput,
    ObjectInput,
    SequenceInput,
    StaticInput,
    VariableInput,
)
from rewriter.program import ObjectSpec, ScalarSpec

if TYPE_CHECKING:
    from rewriter.schemas import Learning, Writes


@dataclass(slots=True)
class ArgumentObjects:
    """Which attributes of which arguments were asked for, by identity in the heap."""

    places: dict[int, str] = field(default_factory=dict)
    """How a caller would write each object: ``batch.inner``."""
    read: set[tuple[int, str]] = field(default_factory=set)
    absent: dict[int, dict[str, None]] = field(default_factory=dict)
    """Attributes that were asked for and are not there, in order."""
    unusable: dict[tuple[int, str], str] = field(default_factory=dict)
    """Attributes that hold what cannot be an input, and why."""
    learned: "dict[str, Learning]" = field(default_factory=dict)
    """What is known of arguments whose structure is known at run time only, by variable."""
    writes: "Writes" = field(default_factory=dict)
    """What the program is known to write into objects of such arguments."""
    inherited: set[int] = field(default_factory=set)
    """Objects some of whose attributes are their class's."""
    whole: set[int] = field(default_factory=set)
    """Objects all of whose attributes were asked for."""
    separate: set[str] = field(default_factory=set)
    """Variables of tensors that the program takes to be other ones than further arguments."""
    by_rows: bool = False
    """Whether the program reads memory by the layout of tensors, which is that of arguments."""
    _identities: dict[int, int] = field(default_factory=dict)
    _specs: list[ObjectInput] = field(default_factory=list)

    def add(self, spec: ObjectInput, identity: int, place: str) -> None:
        """Record an object and what it is in the heap."""
        self._identities[id(spec)] = identity
        self._specs.append(spec)
        self.places[identity] = place

    def ask(self, identity: int, name: str) -> str | None:
        """Record that an attribute is read; return why it cannot be, if so."""
        self.read.add((identity, name))
        return self.unusable.get((identity, name))

    def miss(self, identity: int, name: str) -> None:
        """Record that an attribute was asked for that is not there."""
        if identity in self.places:
            self.absent.setdefault(identity, {})[name] = None

    def ask_for_all(self, identity: int) -> str | None:
        """Record that all attributes are read; return why one cannot be, if so."""
        if identity in self.places:
            self.whole.add(identity)
        if identity in self.inherited:
            return f"{self.places[identity]!r} has attributes that only its class has"
        reasons = (why for (owner, _), why in self.unusable.items() if owner == identity)
        return next(reasons, None)

    def needed(self, spec: InputSpec) -> InputSpec:
        """Return a spec without the attributes that the program does not read."""
        match spec:
            case VariableInput(spec=ObjectSpec() as found):
                classes = self.learned[spec.variable].needed()
                return replace(spec, spec=replace(found, classes=classes))
            case VariableInput():
                by_rows = self.by_rows and not isinstance(spec.spec, ScalarSpec)
                return replace(spec, separate=spec.variable in self.separate, by_rows=by_rows)
            case StaticInput():
                return spec
            case SequenceInput():
                return replace(spec, items=tuple(self.needed(item) for item in spec.items))
            case MappingInput():
                pairs = tuple((key, self.needed(item)) for key, item in spec.items)
                return replace(spec, items=pairs)
            case ObjectInput():
                return self._needed_object(spec)

    def _needed_object(self, spec: ObjectInput) -> ObjectInput:
        identity = self._identities.get(id(spec))
        if identity is None:
            kept = tuple((name, self.needed(item)) for name, item in spec.attributes)
            return replace(spec, attributes=kept, absent=(), whole=False)
        asked = self.absent.get(identity, {})
        kept = tuple(
            (name, self.needed(item))
            for name, item in spec.attributes
            if identity in self.whole or (identity, name) in self.read or name in asked
        )
        # what the call has deleted before it asked was there
        given = {name for name, _ in spec.attributes}
        absent = tuple(name for name in asked if name not in given)
        return replace(spec, attributes=kept, absent=absent, whole=identity in self.whole)
