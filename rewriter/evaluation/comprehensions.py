"""Comprehensions: loops that fill a container, unrolled where the items are known."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.comprehension_frames import comprehension_frame, filtered, row_of
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.filling import add_element, add_entry
from rewriter.evaluation.iteration import items_of, iterator_of
from rewriter.evaluation.joining import merge
from rewriter.evaluation.rolled_loops import LoopEnds, roll
from rewriter.evaluation.run import Frame, Outcomes, active
from rewriter.evaluation.run_time_kinds import is_run_time
from rewriter.evaluation.trips import IteratorTrips
from rewriter.state import State
from rewriter.values import Cell, DictCell, ListCell, Reference, SetCell, Value

Add = Callable[[Frame, cst.CSTNode, State, Reference, tuple[Value, ...]], list[State]]
"""Puts a row into the container that is being filled."""
_RESULT = "what is being made"


@expression_rule(cst.ListComp, cst.SetComp)
def sequence_comprehension(
    frame: Frame, node: cst.ListComp | cst.SetComp, state: State
) -> Outcomes:
    """``[element for ...]``, ``{element for ...}``."""
    empty: Cell = ListCell(()) if isinstance(node, cst.ListComp) else SetCell(frozenset())
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
        run, clause = self.outer.run, self.node.for_in
        for after, iterable in evaluate(self.outer, clause.iter, state):
            reference = run.allocate(after, empty)
            inner = comprehension_frame(self.outer, self.node, after, frozenset({_RESULT}))
            after.frames[inner.identity][_RESULT] = reference
            with active(inner):
                finished = self._clause(inner, clause, after, iterable)
            for done in finished:
                if not self.outer.source.scope.captured:
                    done.frames.pop(inner.identity, None)
                done.carry(reference)
                yield done, reference

    def _clause(
        self, frame: Frame, clause: cst.CompFor, state: State, iterable: Value
    ) -> list[State]:
        if is_run_time(state, iterable):
            return [
                done for after in self._started(frame, clause, state, iterable) for done in after
            ]
        finished: list[State] = []
        for start, items in items_of(frame, clause.iter, state, iterable):
            pending = [start]
            for item in items:
                pending = merged(
                    frame,
                    clause,
                    [
                        done
                        for before in pending
                        for bound in assign(frame, clause.target, before, item)
                        for done in self._turn(frame, clause, bound)
                    ],
                )
            finished += pending
        return finished

    def _started(
        self, frame: Frame, clause: cst.CompFor, state: State, iterable: Value
    ) -> Iterator[list[State]]:
        def bind(after: State, item: Value) -> list[State]:
            return assign(frame, clause.target, after, item)

        def body(after: State, ends: LoopEnds) -> list[State]:
            del ends
            return self._turn(frame, clause, after)

        for after, iterator in iterator_of(frame, clause.iter, state, iterable):
            trips = IteratorTrips(clause, iterator, bind)
            live = frame.live
            frame.live = live | trips.hidden()
            try:
                trips.start(frame, after)
                ends = roll(frame, clause, after, trips, body)
            finally:
                frame.live = live
            yield merged(frame, clause, ends.exhausted)

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


def merged(frame: Frame, node: cst.CSTNode, states: list[State]) -> list[State]:
    """Join states that reach the same point within an expression."""
    arrivals = [(state, ()) for state in states]
    return [state for state, _ in merge(frame.run, list(arrivals), frame.origin(node))]
