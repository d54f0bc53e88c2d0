"""Evaluations that are refused already, and will begin anew with what was found of places.

The rest of such an evaluation may find more of them, but it may also be most of it.
"""

from dataclasses import dataclass

from rewriter.diagnostics import Diagnostic
from rewriter.known_places import KnownPlaces, PlacesFound

_PART = 4
"""How much longer it goes on: this part of what it has executed so far."""


class RefusedAlready(PlacesFound):
    """The program is refused with what is known so far of places, and more was found."""


@dataclass(slots=True)
class Refusal:
    """The first refusal that stands: attempts take back what they report when they are given up."""

    is_final: bool = False
    """Whether the evaluation goes on to its end."""
    executed: int = 0
    """Statements so far."""
    until: int = 0
    first: Diagnostic | None = None

    def count(self, reported: list[Diagnostic], places: KnownPlaces) -> None:
        """Count a statement. Raises RefusedAlready where it is not worth to go on."""
        self.executed += 1
        if not reported or self.is_final:
            return
        if reported[0] is not self.first:
            self.first, self.until = reported[0], self.executed + self.executed // _PART
        elif self.executed > self.until and places.is_new:
            raise RefusedAlready
