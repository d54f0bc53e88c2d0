"""What loops in the body of a loop came to, in the order in which they were met."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

Place: TypeAlias = tuple[Hashable, ...]
"""A loop, where it was inlined, and the shape of the state at its head."""


@dataclass(slots=True)
class LoopsWithin:
    """The heads of the loops in a loop's body, in this attempt and the one before."""

    before: dict[Place, list[object]] = field(default_factory=dict)
    now: dict[Place, list[object]] = field(default_factory=dict)
    asked: dict[Place, int] = field(default_factory=dict)

    def next_attempt(self) -> None:
        """Take what this attempt came to for that of the one before."""
        self.before = self.before | self.now
        self.now, self.asked = {}, {}

    def recalled(self, place: Place) -> object | None:
        """Return what the next loop at a place came to in the attempt before."""
        number = self.asked[place] = self.asked.get(place, -1) + 1
        known = self.before.get(place, ())
        return known[number] if number < len(known) else None
