"""Loops over what is left to do: ``while stack``, ``while len(queue) > 0``.

Where the input decides what is put into the container, each iteration leaves paths with containers
of several lengths, and each of them would get copies of the body of its own until it ends. Such a
loop is tried rolled from there, with containers that exist at run time only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from rewriter.evaluation.control.early_rolling import EarlyRolling
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.control.open_iterations import tried_together
from rewriter.evaluation.control.statements import join
from rewriter.evaluation.run import Frame
from rewriter.state import Next, State
from rewriter.values import DictCell, ListCell, Reference, SetCell

_PARTED = 4
"""Paths with different structures from which on a loop is tried rolled."""


@dataclass(slots=True)
class Worklist:
    """Tries a loop rolled, once, when it goes on with several structures."""

    frame: Frame
    node: cst.While
    roll: Callable[[State], LoopEnds]
    given_up: bool = False
    early: EarlyRolling = field(init=False)

    def __post_init__(self) -> None:
        self.early = EarlyRolling(self.frame, self.node)

    def rolled(self, states: list[State], found: LoopEnds) -> list[State]:
        """Add the ends of the rolled loop; return the states that are to be unrolled."""
        if self.given_up or len(states) < _PARTED or not all(map(self._is_worklist, states)):
            return self._rolled_early(states, found)
        ends = tried_together(self.frame, states, self._roll)
        self.given_up = ends is None
        for each in ends or []:
            found.add(each)
        return states if ends is None else []

    def _rolled_early(self, states: list[State], found: LoopEnds) -> list[State]:
        """Do so with any loop that has become much."""
        if not states or not self.early.is_wanted(len(states) + found.count):
            return states
        return self.tried_early(states, found)

    def begin(self, state: State, found: LoopEnds) -> list[State]:
        """Do so before the first turn, where that was worth it before."""
        return self.tried_early([state], found) if self.early.at_once else [state]

    def tried_early(self, states: list[State], found: LoopEnds) -> list[State]:
        """Try the loop rolled, for as long as that is worth; return the states to be unrolled."""
        ends = self.early.tried(lambda: tried_together(self.frame, states, self._roll))
        for each in ends or []:
            found.add(each)
        return states if ends is None else []

    def _roll(self, attempts: list[State]) -> list[LoopEnds]:
        joined = join(self.frame, self.node, list(map(Next, attempts)), structures=1)
        return [self.roll(state) for state in joined]

    def _is_worklist(self, state: State) -> bool:
        """Return whether the test asks how much is in a container of known structure."""
        variables = state.frames[self.frame.identity]
        found = [variables.get(name) for name in _containers(self.node.test)]
        return any(
            isinstance(value, Reference)
            and isinstance(state.heap.get(value.identity), ListCell | DictCell | SetCell)
            for value in found
        )


def _containers(test: cst.BaseExpression) -> Iterator[str]:
    """Yield the names whose truth or length a test asks for."""
    match test:
        case cst.Name(value=name):
            yield name
        case cst.Call(func=cst.Name(value="len"), args=[cst.Arg(value=cst.Name(value=name))]):
            yield name
        case cst.UnaryOperation(operator=cst.Not()):
            yield from _containers(test.expression)
        case cst.BooleanOperation():
            yield from _containers(test.left)
            yield from _containers(test.right)
        case cst.Comparison():
            for part in (test.left, *(target.comparator for target in test.comparisons)):
                if isinstance(part, cst.Call):
                    yield from _containers(part)
        case _:
            return
