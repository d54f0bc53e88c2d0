"""What cached functions gave in a call: the same object wherever it is asked for again."""

from collections.abc import Mapping
from dataclasses import dataclass

from rewriter.flattening import Flattening, Roots
from rewriter.state import State
from rewriter.values import Cell, Reference, Value


@dataclass(frozen=True, slots=True)
class Cached:
    """An object that a cached function gave on some path."""

    result: Reference
    read: tuple[tuple[object, str], ...]
    """The attributes of known objects that the function read."""
    arguments: tuple[Value, ...]
    """Held, so that no other object gets their identities."""
    cells: Mapping[int, Cell]
    """What the result and the arguments reached."""

    def is_there(self, state: State) -> bool:
        """Return whether a path has called the function, and nothing was joined since."""
        return all(state.heap.get(identity) is cell for identity, cell in self.cells.items())


def cached(
    state: State,
    result: Reference,
    read: tuple[tuple[object, str], ...],
    arguments: tuple[Value, ...],
) -> Cached:
    """Return what a call gave, with the objects that it and its arguments reach."""
    reached = Flattening(state, Roots(frames=(), extra=(result, *arguments))).run().cells
    return Cached(result, read, arguments, {each: state.heap[each] for each in reached})
