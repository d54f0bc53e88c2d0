"""Walks over arrays of the host that the call may write: an element is read when it is asked for.

How many there are is known, so that loops over them are unrolled as over a list.
"""

from dataclasses import dataclass

import libcst as cst
import numpy

from rewriter.evaluation.containers.lazy_iterators import Items, KnownEnd, lazy_iterator, put_cell
from rewriter.evaluation.host.array_elements import part_of_array
from rewriter.evaluation.host.array_memory import is_surely_foreign
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import HostValue, IteratorCell, IteratorValue, Known, Reference, Value


@dataclass(frozen=True, slots=True)
class ArrayWalk(KnownEnd):
    """Goes through the rows of an array; it works with the array and the next position."""

    length: int
    step: int = 1

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the row at the position, if there is one."""
        array, place = state.cell(Reference(iterator.identity), IteratorCell).items
        if not isinstance(place, Known):
            problem = "how far an iterator over an array is depends on run-time values"
            frame.refuse("DYCL041", node, problem, "walk over array.tolist()")
        if place.value not in range(self.length):
            yield state, None
            return
        following = Known(place.value + self.step)
        put_cell(frame.run, state, iterator, IteratorCell((array, following), self))
        yield state, part_of_array(frame, node, state, array, place)


def array_walk(
    frame: Frame, state: State, value: Value, *, back: bool = False
) -> IteratorValue | None:
    """Return an iterator over an array that may be written; None for other values."""
    if not isinstance(value, HostValue) or is_surely_foreign(frame, value):
        return None
    sample = value.sample
    if not isinstance(sample, numpy.ndarray) or sample.ndim == 0:
        return None
    first, step = (len(sample) - 1, -1) if back else (0, 1)
    walk = ArrayWalk(len(sample), step)
    return lazy_iterator(frame.run, state, (value, Known(first)), walk)
