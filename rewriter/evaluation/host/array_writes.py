"""Which arrays a function of a library writes to: found by looking at them before and after."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from rewriter.array_samples import Array
from rewriter.evaluation.containers.raw_items import held_by


def arrays_in(content: object) -> Iterator[Array]:
    """Yield the arrays that an object is, holds, or gives access to."""
    match content:
        case numpy.ndarray():
            yield content
        case list() | tuple() | set() | frozenset() | dict():
            for part in held_by(content):
                yield from arrays_in(part)
        case numpy.flatiter():
            yield from arrays_in(content.base)
        case numpy.nditer():
            yield from arrays_in(content.operands)
        case memoryview():
            yield from arrays_in(content.obj)


@dataclass(frozen=True, slots=True)
class _Before:
    """An array as it was."""

    array: Array
    content: Array
    writeable: bool

    def is_written(self) -> bool:
        array, content = self.array, self.content
        same = (array.shape, array.dtype, array.flags.writeable) == (
            content.shape, content.dtype, self.writeable,
        )  # fmt: skip
        return not same or array.tobytes() != content.tobytes()

    def restore(self) -> None:
        if self.array.shape != self.content.shape:
            self.array.resize(self.content.shape, refcheck=False)
        if not self.array.flags.writeable:
            self.array.flags.writeable = True
        self.array[...] = self.content
        if not self.writeable:
            self.array.flags.writeable = False


class Watched:
    """Arrays that a function is given, by themselves or in containers, as they are before."""

    def __init__(self, *given: object) -> None:
        found = {id(array): array for array in arrays_in(given)}
        self._before = [_Before(x, x.copy(), x.flags.writeable) for x in found.values()]

    def undo_writes(self) -> list[Array]:
        """Return the arrays that were written since, which are again as they were."""
        written = [before for before in self._before if before.is_written()]
        for before in written:
            if before.is_written():  # not undone by way of another array over its memory
                before.restore()
        return [before.array for before in written]
