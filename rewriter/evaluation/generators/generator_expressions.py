"""Generator expressions: elements that are worked out when they are asked for."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.builtin_functions.combined_iterators import never_ends
from rewriter.evaluation.containers.comprehension_frames import comprehension_frame, filtered
from rewriter.evaluation.containers.lazy_iterators import (
    SKIPPED,
    Items,
    OfItems,
    ends_at_run_time,
    lazy_iterator,
    next_item,
)
from rewriter.evaluation.control.iteration import iterator_of, refuse_endless
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.run import Frame, Outcomes, active
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, Reference, Value


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows(OfItems):
    """A generator expression: its elements are evaluated when they are asked for.

    It works with the iterators of the clauses that have begun, outermost first.
    """

    frame: Frame
    """Its own scope."""
    node: cst.GeneratorExp

    @property
    def captured(self) -> tuple[int, ...]:
        """Identities of the frames whose variables it may read."""
        return (self.frame.identity, *(outer.identity for outer in self.frame.lexical))

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether what it walks ends at run time."""
        return any(ends_at_run_time(state, item) for item in items)

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Go on with the innermost clause that has begun until there is an element."""
        reference = Reference(iterator.identity)
        begun = state.cell(reference, IteratorCell).items
        source = begun[-1]
        assert isinstance(source, IteratorValue)
        for taken, item in next_item(frame, node, state, source):
            if item is SKIPPED:
                yield taken, item
            elif item is not None:
                with active(self.frame):
                    ways = list(self._turn(taken, reference, begun, item))
                undecided = len(ways) > 1 and never_ends(taken, iterator)
                for after, element in ways:
                    yield from self._given(
                        frame, node, after, iterator, element, undecided=undecided
                    )
            elif len(begun) > 1:
                frame.run.update(taken, reference, IteratorCell(begun[:-1], self))
                yield from self._given(frame, node, taken, iterator, None)
            else:
                yield taken, None

    def _given(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue,
        element: Value | None, *, undecided: bool = False,
    ) -> Items:  # fmt: skip
        """Yield an element; where there is none yet, go on, or have the one who asks go round."""
        begun = state.cell(Reference(iterator.identity), IteratorCell).items
        if len(begun) == 1 and not self.frame.source.scope.encloses:
            state.frames[self.frame.identity] = {}
        if element is not None:
            yield state, element
        elif undecided or ends_at_run_time(state, iterator):
            yield state, SKIPPED
        else:
            yield from self.advance(frame, node, state, iterator)

    def _turn(
        self, state: State, reference: Reference, begun: tuple[Value, ...], item: Value
    ) -> Iterator[tuple[State, Value | None]]:
        """Do with an item of the innermost clause what comes next: an element, or a clause."""
        clause = self._clause(len(begun))
        for bound in assign(self.frame, clause.target, state, item):
            for tested, passed in filtered(self.frame, list(clause.ifs), bound):
                if not passed:
                    yield tested, None
                elif (nested := clause.inner_for_in) is not None:
                    yield from self._begin(nested, tested, reference, begun)
                else:
                    yield from evaluate(self.frame, self.node.elt, tested)

    def _begin(
        self, clause: cst.CompFor, state: State, reference: Reference, begun: tuple[Value, ...]
    ) -> Iterator[tuple[State, None]]:
        for after, iterable in evaluate(self.frame, clause.iter, state):
            if not self.is_run_time(after, begun):  # or it would become so
                refuse_endless(self.frame, clause.iter, after, iterable)
            for start, items in iterator_of(self.frame, clause.iter, after, iterable):
                self.frame.run.update(start, reference, IteratorCell((*begun, items), self))
                yield start, None

    def _clause(self, depth: int) -> cst.CompFor:
        clause = self.node.for_in
        for _ in range(depth - 1):
            assert clause.inner_for_in is not None
            clause = clause.inner_for_in
        return clause


@expression_rule(cst.GeneratorExp)
def generator_expression(frame: Frame, node: cst.GeneratorExp, state: State) -> Outcomes:
    """``(element for ...)``: the first iterable is evaluated now, the rest when asked for."""
    for after, iterable in evaluate(frame, node.for_in.iter, state):
        for start, items in iterator_of(frame, node.for_in.iter, after, iterable):
            rows = LazyRows(comprehension_frame(frame, node, start), node)
            yield start, lazy_iterator(frame.run, start, (items,), rows)
