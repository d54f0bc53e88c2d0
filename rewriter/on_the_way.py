"""What expressions hold while a statement is being evaluated: tensors, objects, and variables.

Functions and generators hold the variables that they read, which nothing else may hold:
``for each in (make(a), make(b)): ...``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rewriter.state import Completion, Raised, Returned, State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)

Running = Sequence[tuple[int, frozenset[str]]]
"""Frames that hold their variables themselves."""


def carry_result(completion: Completion) -> None:
    """Record what a completion holds, which nothing else may hold while it passes by a clause."""
    match completion:
        case Raised(exception=held) | Returned(value=held):
            completion.state.carry(held)


def leaves_on_the_way(state: State, running: Running) -> Iterator[TensorValue | HostValue]:
    """Yield the tensors and arrays of values that no variable may hold yet.

    ``f(y[0], change(y))``: while ``change`` runs, only the call being evaluated holds
    ``y[0]``, and a write into ``y`` must reach it.
    """
    reached = Reached.within(state, running)
    for value in state.on_the_way:
        yield from reached.leaves(value)


def changed_on_the_way(
    states: Sequence[State], values: Sequence[Value], running: Running
) -> Iterator[Reference | FunctionValue]:
    """Yield what reaches the objects and frames that differ between states.

    While ``__init__`` runs, and in ``sorted([Box(), Box()], key=change)``, no variable holds them.
    """
    first, *others = states
    reached = Reached.within(first, running).all_of(values)
    for identity in sorted(reached.cells):
        cells = [state.heap.get(identity) for state in others]
        changed = any(cell is not first.heap.get(identity) for cell in cells)
        if changed and identity in first.heap and None not in cells:
            yield Reference(identity)
    for identity, reader in reached.readers.items():
        if not _is_same_frame(identity, states) and _is_whole(reader, states, running):
            yield reader


def keep_frames_on_the_way(joined: State, states: Sequence[State], running: Running) -> None:
    """Keep the variables, alike in all states, of what expressions hold in a joined state."""
    first = states[0]
    readers = Reached.within(first, running).all_of(joined.on_the_way).readers
    for identity, reader in readers.items():
        if _is_same_frame(identity, states) and _is_whole(reader, states, running):
            joined.frames.setdefault(identity, dict(first.frames[identity]))


def _is_whole(reader: Reference | FunctionValue, states: Sequence[State], running: Running) -> bool:
    """Return whether all is there that a function or generator leads to: else nobody holds it."""
    for state in states:
        reached = Reached.within(state, running).all_of((reader,))
        if not (
            reached.cells <= state.heap.keys() and reached.readers.keys() <= state.frames.keys()
        ):
            return False
    return True


def _is_same_frame(identity: int, states: Sequence[State]) -> bool:
    """Return whether the variables of a frame are the same values in all states."""
    first, *others = (state.frames.get(identity, {}) for state in states)
    return all(
        first.keys() == other.keys() and all(first[name] is other[name] for name in first)
        for other in others
    )


@dataclass(slots=True)
class Reached:
    """What values lead to, other than through the variables of frames that run."""

    state: State
    running: frozenset[int]
    cells: set[int] = field(default_factory=set)
    readers: dict[int, Reference | FunctionValue] = field(default_factory=dict)
    """By the frames whose variables they read, functions and the iterators of generators."""

    @classmethod
    def within(cls, state: State, running: Running) -> "Reached":
        """Return what nothing leads to yet."""
        return cls(state, frozenset(identity for identity, _ in running))

    def all_of(self, values: Sequence[Value]) -> "Reached":
        """Go on from values; return self."""
        pending = list(values)
        while pending:
            pending += self._parts(pending.pop())
        return self

    def leaves(self, value: Value) -> Iterator[TensorValue | HostValue]:
        """Yield the tensors and arrays that a value leads to."""
        if isinstance(value, TensorValue):
            yield self.state.current(value)
            return
        if isinstance(value, HostValue):
            yield value
            return
        for part in self._parts(value):
            yield from self.leaves(part)

    def _parts(self, value: Value) -> tuple[Value, ...]:
        match value:
            case TupleValue():
                return value.items
            case MethodValue(receiver, function):
                return (receiver,) if isinstance(function, str) else (receiver, function)
            case FunctionValue():
                return (*value.defaults.values(), *self._variables(value, value.frame_path))
            case Reference() | IteratorValue() | ViewValue():
                return self._content(value.identity)
            case _:
                return ()

    def _variables(
        self, reader: Reference | FunctionValue, frames: Sequence[int]
    ) -> tuple[Value, ...]:
        found: list[Value] = []
        for identity in frames:
            if identity not in self.running and identity not in self.readers:
                self.readers[identity] = reader
                found += self.state.frames.get(identity, {}).values()
        return tuple(found)

    def _content(self, identity: int) -> tuple[Value, ...]:
        if identity in self.cells:
            return ()
        self.cells.add(identity)
        # An object that only a finished part of the expression held may be gone.
        match self.state.heap.get(identity):
            case IteratorCell(items=items, source=source):
                frames = () if source is None else source.captured
                return (*items, *self._variables(Reference(identity), frames))
            case ListCell() as cell:
                return (*cell.items, *cell.attributes.values())
            case DictCell() as cell:
                factory = () if cell.default_factory is None else (cell.default_factory,)
                return (*cell.items.values(), *factory, *cell.attributes.values())
            case ObjectCell() as cell:
                return tuple(cell.attributes.values())
            case _:
                return ()
