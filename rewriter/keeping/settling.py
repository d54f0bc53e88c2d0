"""Whether what is kept comes to look the same after each call."""

from collections import deque
from collections.abc import Collection, Iterable

from rewriter.keeping.roots import Root
from rewriter.keeping.shapes import Phase, structure

_MOST_PHASES = 6
_MOST_FILLINGS = 34
"""The same while a deque fills up to its bound."""


def most_phases(roots: Iterable[Root]) -> int:
    """Return how many phases there may be: a deque is as long as its bound in the end.

    Something else may be there or not, with each length: ``self.last = None``.
    """
    initial = (root.initial for root in roots)
    bounds = (each.maxlen or 0 for each in initial if isinstance(each, deque))
    return max(_MOST_PHASES, min(2 * (1 + max(bounds, default=0)), _MOST_FILLINGS))


def unsettled(roots: Iterable[Root], phases: Collection[Phase]) -> list[str]:
    """Return the names of roots that look different from phase to phase."""
    return [
        root.name
        for index, root in enumerate(roots)
        if len({structure(phase[index]) for phase in phases}) > 1
    ]
