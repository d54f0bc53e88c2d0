"""Lists, dicts and objects among the arguments: which of them the call changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.instances.attribute_tables import AttributeTables
from rewriter.evaluation.refusals import Refused
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.origin import Origin
from rewriter.state import State
from rewriter.values import Cell, Reference, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Lent:
    """A container that the call changes."""

    place: str
    reference: Reference
    content: Cell
    """What it holds when the call begins."""
    variable: str
    """The variable of the caller's own container."""


@dataclass(slots=True)
class Containers:
    """The containers of one evaluation's arguments."""

    places: dict[int, str] = field(default_factory=dict)
    """Those that a next evaluation may change, by identity in the heap."""
    lent: dict[str, Lent] = field(default_factory=dict)
    """Those that this one may change, by place."""
    start: State | None = None
    """Where the function of its own that is being evaluated starts, None in the entry point.

    There, the caller's own containers hold what the evaluation says."""
    given_early: set[str] = field(default_factory=set)
    """Places of those that get their content on the way, not only at the end."""
    attributes_given: set[tuple[str, str]] = field(default_factory=set)
    """Places of objects, and their attributes that have been given."""
    attributes: AttributeTables = field(default_factory=AttributeTables)
    """The dicts that are the attributes of the program's own objects."""
    walked: set[int] = field(default_factory=set)
    """Those of the program's own that ``max`` walks while it asks a function for keys."""

    @contextmanager
    def unchanged(self, value: Value) -> Iterator[None]:
        """Refuse changes of a container while its elements, taken before, are asked for keys."""
        held = {value.identity} - self.walked if isinstance(value, Reference) else set()
        self.walked |= held
        try:
            yield
        finally:
            self.walked -= held

    def require_unwalked(self, reference: Reference, origin: Origin) -> None:
        """Refuse to change what is walked."""
        if reference.identity in self.walked:
            message = "a key function changes the list that its elements are taken of"
            help_ = "walk over a copy: list(...)"
            raise Refused(Diagnostic(code="DYCL041", message=message, origin=origin, help=help_))

    def lend(self, reference: Reference, plan: Plan, origin: Origin) -> None:
        """Start anew with a container lent; refuse what cannot be."""
        place = self.places.get(reference.identity)
        if place is not None:
            plan.lent.add(place)
            raise StartAnew
        raise Refused(
            Diagnostic(
                code="DYCL034",
                message="a list, dict or object that outlives the call is changed: "
                "it would be seen later",
                origin=origin,
                help="copy it first",
            )
        )

    def stands_for(self, lasting: set[int], one: int, other: int) -> bool:
        """Let an object that paths have in common be the caller's where it is on one of them.

        ``lasting`` are the objects that are the caller's. Returns whether it is one from now on.
        """
        if one == other or other not in lasting or one in lasting:
            return False
        lasting.add(one)
        if other in self.places:
            self.places[one] = self.places[other]
        return True
