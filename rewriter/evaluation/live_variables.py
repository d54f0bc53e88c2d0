"""The variables of functions that run, and of those that have returned one that runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rewriter.evaluation.run import Frame


def live_variables(frames: "Sequence[Frame]") -> tuple[tuple[int, frozenset[str]], ...]:
    """Return the frames that run, and those around them, with what may be read of each later.

    ``made(x)(y)``: nobody but the call holds the function that ``made`` has returned, which reads
    variables of ``made``.
    """
    live = {frame.identity: frame.live for frame in frames}
    for frame in frames:
        for outer in frame.lexical:
            if outer.identity not in live:
                live[outer.identity] = outer.source.scope.local
    return tuple(live.items())
