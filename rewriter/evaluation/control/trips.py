"""What makes a loop go round: a test, a range, or an iterator; known or at run time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.containers.lazy_iterators import SKIPPED, next_item
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.operators import binary
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import IteratorValue, Known, Value


class Step(Enum):
    """What a loop does next."""

    ENTER = "enter"
    LEAVE = "leave"
    SKIP = "skip"
    """Go round without the body: a filter took the item out."""


@dataclass(frozen=True, slots=True)
class TestTrips:
    """``while test``."""

    node: cst.While

    def start(self, frame: Frame, state: State) -> None:
        """Nothing to set up."""

    def hidden(self) -> frozenset[str]:
        """Return the names of the loop's own variables."""
        return frozenset()

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, Step]]:
        """Yield the states that enter the body and that leave the loop."""
        held = state.on_the_way
        for after, value in evaluate(frame, self.node.test, state):
            for tested, truth in truths(frame, self.node.test, after, value):
                tested.on_the_way = held  # what the test has read is used no more
                yield tested, Step.ENTER if truth else Step.LEAVE


def is_endless(node: cst.While) -> bool:
    """Return whether a loop ends by ``break`` or ``return`` only."""
    if isinstance(node.test, cst.Integer):
        return node.test.value != "0"
    return isinstance(node.test, cst.Name) and node.test.value == "True"


@dataclass(frozen=True, slots=True)
class RangeTrips:
    """``for target in range(start, stop, step)`` with a counter on the host."""

    node: cst.For
    first: Value
    stop: Value
    sign: int
    """The step, or its sign where that is all that is known."""
    stride: Value | None = None
    """The step where it is known only at run time."""

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

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, Step]]:
        """Compare the counter, bind the target, count on."""
        index = state.frames[frame.identity][self._counter]
        relation = cst.LessThan if self.sign > 0 else cst.GreaterThan
        for after, inside in ordered(frame, self.node, state, relation, index, self.stop):
            for tested, truth in truths(frame, self.node, after, inside):
                if not truth:
                    yield tested, Step.LEAVE
                    continue
                step = self.stride or Known(self.sign)
                for counted, following in binary(frame, self.node, tested, cst.Add, index, step):
                    counted.frames[frame.identity][self._counter] = following
                    for bound in assign(frame, self.node.target, counted, index):
                        yield bound, Step.ENTER


@dataclass(frozen=True, slots=True)
class IteratorTrips:
    """A walk over items of which it is known at run time only how many there are."""

    node: cst.CSTNode
    iterator: IteratorValue
    bind: Callable[[State, Value], list[State]]
    """Gives an item its name; returns the states that go on."""

    @property
    def _name(self) -> str:
        return f"iterator of {id(self.node)}"

    def start(self, frame: Frame, state: State) -> None:
        """Keep the iterator."""
        state.frames[frame.identity][self._name] = self.iterator

    def hidden(self) -> frozenset[str]:
        """Return the names of the loop's own variables."""
        return frozenset({self._name})

    def step(self, frame: Frame, state: State) -> Iterator[tuple[State, Step]]:
        """Take the next item."""
        iterator = state.frames[frame.identity][self._name]
        assert isinstance(iterator, IteratorValue)
        for after, item in next_item(frame, self.node, state, iterator, becoming=True):
            if item is None:
                yield after, Step.LEAVE
            elif item is SKIPPED:
                yield after, Step.SKIP
            else:
                for bound in self.bind(after, item):
                    yield bound, Step.ENTER


Trips = TestTrips | RangeTrips | IteratorTrips
