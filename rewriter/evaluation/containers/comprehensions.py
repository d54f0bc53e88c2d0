"""Comprehensions: loops that fill a container, unrolled where the items are known."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.containers.comprehension_frames import (
    comprehension_frame,
    filtered,
    row_of,
)
from rewriter.evaluation.containers.filling import add_element, add_entry
from rewriter.evaluation.containers.lazy_iterators import SKIPPED, next_item
from rewriter.evaluation.control.iteration import iterator_of
from rewriter.evaluation.control.joining import merge
from rewriter.evaluation.control.late_rolling import LateRolling
from rewriter.evaluation.control.loop_attempts import LoopEnds
from rewriter.evaluation.control.rolled_loops import roll
from rewriter.evaluation.control.trips import IteratorTrips
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.run import Frame, Outcomes, active
from rewriter.set_history import SetHistory
from rewriter.state import State
from rewriter.values import Cell, DictCell, IteratorValue, ListCell, Reference, Value, set_cell

Add = Callable[[Frame, cst.CSTNode, State, Reference, tuple[Value, ...]], list[State]]
"""Puts a row into the container that is being filled."""
_RESULT = "what is being made"


@expression_rule(cst.ListComp, cst.SetComp)
def sequence_comprehension(
    frame: Frame, node: cst.ListComp | cst.SetComp, state: State
) -> Outcomes:
    """``[element for ...]``, ``{element for ...}``."""
    empty: Cell = ListCell(()) if isinstance(node, cst.ListComp) else set_cell(SetHistory())
    yield from _Filling(frame, node, [node.elt], add_element).run(state, empty)


@expression_rule(cst.DictComp)
def dict_comprehension(frame: Frame, node: cst.DictComp, state: State) -> Outcomes:
    """``{key: value for ...}``."""
    yield from _Filling(frame, node, [node.key, node.value], add_entry).run(state, DictCell({}))


@dataclass(frozen=True, slots=True)
class _Filling:
    """One comprehension being evaluated."""

    outer: Frame
    node: cst.BaseComp
    results: list[cst.BaseExpression]
    add: Add

    def run(self, state: State, empty: Cell) -> Outcomes:
        """Yield the container; its first iterable is evaluated outside of its scope."""
        clause = self.node.for_in
        for after, iterable in evaluate(self.outer, clause.iter, state):
            inner = comprehension_frame(self.outer, self.node, after, frozenset({_RESULT}))
            walk = partial(self._clause, inner, clause, after, iterable)
            yield from self.filled(inner, after, empty, walk)

    def filled(
        self, inner: Frame, state: State, empty: Cell, walk: Callable[[], list[State]]
    ) -> Outcomes:
        """Yield the container that a walk fills, which is done in the comprehension's scope."""
        reference = self.outer.run.allocate(state, empty)
        state.frames[inner.identity][_RESULT] = reference
        with active(inner):
            finished = walk()
        for done in finished:
            if self.outer.source.scope.encloses:
                done.frames[inner.identity].pop(_RESULT, None)
            else:
                done.frames.pop(inner.identity, None)
            done.carry(reference)
            yield done, reference

    def rest(self, inner: Frame, state: State, iterator: IteratorValue) -> Outcomes:
        """Yield a list of all rows, of which an iterator gives what the first clause walks."""
        inner.live = inner.live | {_RESULT}
        walk = partial(self._walked, inner, self.node.for_in, state, iterator)
        yield from self.filled(inner, state, ListCell(()), walk)

    def _clause(
        self, frame: Frame, clause: cst.CompFor, state: State, iterable: Value
    ) -> list[State]:
        return [
            done
            for start, iterator in iterator_of(frame, clause.iter, state, iterable)
            for done in self._walked(frame, clause, start, iterator)
        ]

    def _walked(
        self, frame: Frame, clause: cst.CompFor, state: State, iterator: IteratorValue
    ) -> list[State]:
        """Take one item after the other: what is done with one may change what is walked."""
        finished: list[State] = []
        pending = [state]
        state.carry(iterator)
        late = LateRolling(frame)
        for index in count():
            if not pending:
                break
            turned: list[State] = []
            for before in pending:
                rolled = partial(self._rolled, frame, clause, iterator)
                rest = late.rest(before, iterator, index, rolled)
                if rest is not None:
                    finished += rest
                    continue
                for after, item in next_item(frame, clause, before, iterator, becoming=True):
                    if item is None or item is SKIPPED:
                        (finished if item is None else turned).append(after)
                        continue
                    for bound in assign(frame, clause.target, after, item):
                        turned += self._turn(frame, clause, bound)
            pending = merged(frame, clause, turned)
            late.require_few_ends(clause, iterator, len(finished), pending)
        return finished

    def _rolled(
        self, frame: Frame, clause: cst.CompFor, iterator: IteratorValue, state: State
    ) -> list[State]:
        def bind(after: State, item: Value) -> list[State]:
            return assign(frame, clause.target, after, item)

        def body(after: State, ends: LoopEnds) -> list[State]:
            del ends
            return self._turn(frame, clause, after)

        trips = IteratorTrips(clause, iterator, bind)
        live = frame.live
        frame.live = live | trips.hidden()
        try:
            trips.start(frame, state)
            ends = roll(frame, clause, state, trips, body)
        finally:
            frame.live = live
        return merged(frame, clause, ends.exhausted)

    def _turn(self, frame: Frame, clause: cst.CompFor, state: State) -> list[State]:
        """Evaluate the filters and what follows for one item."""
        finished: list[State] = []
        for tested, passed in filtered(frame, list(clause.ifs), state):
            if not passed:
                finished.append(tested)
            elif (nested := clause.inner_for_in) is not None:
                for after, iterable in evaluate(frame, nested.iter, tested):
                    finished += self._clause(frame, nested, after, iterable)
            else:
                for after, row in row_of(frame, self.results, tested):
                    result = after.frames[frame.identity][_RESULT]
                    assert isinstance(result, Reference)
                    finished += self.add(frame, self.node, after, result, row)
        return finished


def listed_rows(
    outer: Frame, inner: Frame, node: cst.GeneratorExp, state: State, iterator: IteratorValue
) -> Outcomes:
    """Yield a list of what a generator expression gives that nobody has asked yet."""
    yield from _Filling(outer, node, [node.elt], add_element).rest(inner, state, iterator)


def merged(frame: Frame, node: cst.CSTNode, states: list[State]) -> list[State]:
    """Join states that reach the same point within an expression."""
    arrivals = [(state, ()) for state in states]
    return [state for state, _ in merge(frame.run, list(arrivals), frame.origin(node))]
