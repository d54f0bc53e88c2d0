"""Managers that a call has entered, and that run something of their own when they are closed.

Python closes a generator that nobody holds any longer, wherever that comes about: what runs then
is known only where it is left in the call.
"""

from collections.abc import Collection
from dataclasses import dataclass

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.origin import Origin
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, TupleValue, Value

Key = tuple[int, str]


@dataclass(slots=True, eq=False)
class OpenManagers:
    """The generators, of managers and others, that are open on a path."""

    origin: Origin | None = None
    """Where one was entered or started last."""

    @property
    def key(self) -> Key:
        """Return under which key a state has them, once there was one."""
        return id(self), "managers"

    def initial_of(self, key: Key) -> TupleValue | None:
        """Return what a path has under a key on which there was none, None for other keys."""
        return TupleValue(()) if key == self.key else None

    def enter(self, state: State, generator: IteratorValue, origin: Origin) -> None:
        """Record that a manager is open."""
        self.origin = origin
        self._hold(state, generator)

    def leave(self, state: State, generator: IteratorValue) -> None:
        """Record that a manager is left, if it was open."""
        if self.key in state.attributes:
            state.attributes[self.key] = TupleValue(
                tuple(each for each in self._held(state) if not _is(each, generator))
            )

    def follow(self, state: State, generator: IteratorValue, *, waits: bool) -> None:
        """Record whether a generator waits, or has come to its end."""
        if not waits:
            self.leave(state, generator)
        elif not any(_is(each, generator) for each in self._held(state)):
            self._hold(state, generator)

    def require_left(self, state: State, running: Collection[int] = ()) -> None:
        """Refuse a path that ends with an open manager.

        ``running`` are the frames of generators that an error leaves by itself.
        """
        if all(_frame_of(state, each) in running for each in self._held(state)):
            return
        raise Refused(
            Diagnostic(
                code="DYCL064",
                message="a generator is left open: Python runs the rest of it at some time",
                origin=self.origin,
                help="enter it by `with`, or close it, or what it is entered on",
            )
        )

    def _hold(self, state: State, generator: IteratorValue) -> None:
        state.attributes[self.key] = TupleValue((*self._held(state), generator))

    def _held(self, state: State) -> tuple[Value, ...]:
        held = state.attributes.get(self.key)
        return held.items if isinstance(held, TupleValue) else ()


def _frame_of(state: State, generator: Value) -> int | None:
    """Return the identity of the frame in which a generator waits."""
    cell = state.heap.get(generator.identity) if isinstance(generator, IteratorValue) else None
    source = cell.source if isinstance(cell, IteratorCell) else None
    found: int | None = getattr(source, "identity", None)
    return found


def _is(value: Value, generator: IteratorValue) -> bool:
    return isinstance(value, IteratorValue) and value.identity == generator.identity
