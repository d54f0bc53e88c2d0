"""What makes a loop go round: a test, a range, or a run-time list; known or at run time."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.comparisons import ordered
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.lazy_iterators import next_item
from rewriter.evaluation.operators import binary
from rewriter.evaluation.run import Frame
from rewriter.evaluation.runtime_lists import element_at, length_of
from rewriter.evaluation.truth import truths
from rewriter.state import State
from rewriter.values import IteratorValue, Known, Reference, Value


@dataclass(frozen=True, slots=True)
class TestTrips:
    """``while test``."""

    node: cst.While

    def start(self, frame: Frame, state: State) -> None:
        """Nothing to set up."""

    def hidden(self) -> frozenset[str]:
        """Return the names of the loop's own variables."""
        return frozenset()

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, bool]]:
        """Yield the states that enter the body (True) and that leave the loop (False)."""
        for after, value in evaluate(frame, self.node.test, state):
            yield from truths(frame, self.node.test, after, value)


@dataclass(frozen=True, slots=True)
class RangeTrips:
    """``for target in range(start, stop, step)`` with a counter on the host."""

    node: cst.For
    first: Value
    stop: Value
    stride: int

    @property
    def _counter(self) -> str:
        # No name of the user's can look like this.
        return f"index of {id(self.node)}"

    def start(self, frame: Frame, state: State) -> None:
        """Set the counter."""
        state.frames[frame.identity][self._counter] = self.first

    def hidden(self) -> frozenset[str]:
        """Return the names of the loop's own variables."""
        return frozenset({self._counter})

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, bool]]:
        """Compare the counter, bind the target, count on."""
        index = state.frames[frame.identity][self._counter]
        relation = cst.LessThan if self.stride > 0 else cst.GreaterThan
        for after, inside in ordered(frame, self.node, state, relation, index, self.stop):
            for tested, truth in truths(frame, self.node, after, inside):
                if not truth:
                    yield tested, False
                    continue
                for counted, following in binary(
                    frame, self.node, tested, cst.Add, index, Known(self.stride)
                ):
                    counted.frames[frame.identity][self._counter] = following
                    for bound in assign(frame, self.node.target, counted, index):
                        yield bound, True


@dataclass(frozen=True, slots=True)
class ListTrips:
    """``for target in items`` over a list that only exists at run time."""

    node: cst.For
    source: Reference

    @property
    def _counter(self) -> str:
        return f"index of {id(self.node)}"

    @property
    def _list(self) -> str:
        return f"items of {id(self.node)}"

    def start(self, frame: Frame, state: State) -> None:
        """Set the counter and keep the list."""
        state.frames[frame.identity][self._counter] = Known(0)
        state.frames[frame.identity][self._list] = self.source

    def hidden(self) -> frozenset[str]:
        """Return the names of the loop's own variables."""
        return frozenset({self._counter, self._list})

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, bool]]:
        """Compare the counter with the list's length as it is now, bind the target."""
        variables = state.frames[frame.identity]
        index, source = variables[self._counter], variables[self._list]
        assert isinstance(source, Reference)
        size = length_of(frame, self.node, state, source)
        for after, inside in ordered(frame, self.node, state, cst.LessThan, index, size):
            for tested, truth in truths(frame, self.node, after, inside):
                if not truth:
                    yield tested, False
                    continue
                item = element_at(frame, self.node, tested, source, index)
                for counted, following in binary(
                    frame, self.node, tested, cst.Add, index, Known(1)
                ):
                    counted.frames[frame.identity][self._counter] = following
                    for bound in assign(frame, self.node.target, counted, item):
                        yield bound, True


@dataclass(frozen=True, slots=True)
class IteratorTrips:
    """``for target in iterator`` where a test at run time says whether there is another item."""

    node: cst.For
    source: IteratorValue

    @property
    def _iterator(self) -> str:
        return f"items of {id(self.node)}"

    def start(self, frame: Frame, state: State) -> None:
        """Keep the iterator."""
        state.frames[frame.identity][self._iterator] = self.source

    def hidden(self) -> frozenset[str]:
        """Return the names of the loop's own variables."""
        return frozenset({self._iterator})

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, bool]]:
        """Ask for the next item, bind the target."""
        source = state.frames[frame.identity][self._iterator]
        assert isinstance(source, IteratorValue)
        for after, item in next_item(frame, self.node, state, source):
            if item is None:
                yield after, False
                continue
            for bound in assign(frame, self.node.target, after, item):
                yield bound, True


Trips = TestTrips | RangeTrips | ListTrips | IteratorTrips
