"""What a refused program is tried again with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rewriter.diagnostics import CompileError
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.known_places import KnownPlaces, PlacesFound
from rewriter.origin import Origin


@dataclass(slots=True)
class Again:
    """What a refused program is tried again with."""

    filled: Origin | None = None
    """Where a call filled tables of modules, after that call."""
    is_early: bool = False
    """Whether an evaluation was given up before it was refused."""
    refused: CompileError | None = None
    """Why a program is refused that draws random numbers, unless nobody reads them."""
    outside: CompileError | None = None
    """Why a program is refused that changes what is outside of the model, unless that is kept."""
    keeps_outside: bool = False
    """Whether it is kept, as what the model holds is."""
    fillings: list[Origin] = field(default_factory=list)
    """Where it fills tables, which may be taken as filled where they cannot be kept."""
    places: KnownPlaces = field(default_factory=KnownPlaces)

    def start_anew(self, found: StartAnew | PlacesFound) -> None:
        """Go on from what was found before an evaluation came to its end."""
        if isinstance(found, PlacesFound):
            self.places, self.is_early = self.places.extended(), True

    def knows_other_places(self) -> bool:
        """Return whether a refused program is tried again: with what was found, or without."""
        if self.places.is_new:
            self.places = self.places.extended()
            return True
        goes_back = self.is_early and not self.places.patient
        if goes_back:
            self.places = KnownPlaces(patient=True)
        return goes_back

    def after(self, error: CompileError, plan: Plan, call: Callable[[], bool]) -> None:
        """Find another way than what ended in an error; raise it where there is none."""
        draws = any(found.code == "DYCL033" for found in error.diagnostics)
        if self.refused is not None:
            raise (self.refused if draws else error) from None
        if draws:
            self.refused = error
        elif self.outside is None and plan.changes_others:
            self.outside, self.keeps_outside = error, True
            self.fillings = [] if plan.shared_names else plan.filled
        elif self.fillings and self.filled is None and call():
            self.filled, self.keeps_outside = self.fillings[0], False
        else:
            raise (self.outside or error) from None
