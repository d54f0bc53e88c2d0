"""Generator expressions: elements that are worked out when they are asked for."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.comprehension_frames import comprehension_frame, filtered, row_of
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.iteration import items_of, iterator_of
from rewriter.evaluation.joining import merge
from rewriter.evaluation.lazy_iterators import (
    SKIPPED,
    Items,
    ends_at_run_time,
    lazy_iterator,
    next_item,
)
from rewriter.evaluation.run import Frame, Outcomes, active
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, Reference, TupleValue, Value


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows:
    """A generator expression: its elements are evaluated when they are asked for."""

    frame: Frame
    node: cst.GeneratorExp

    @property
    def captured(self) -> tuple[int, ...]:
        """Identities of the frames whose variables it may read."""
        return (self.frame.identity, *(outer.identity for outer in self.frame.lexical))

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether what it walks ends at run time."""
        return ends_at_run_time(state, items[0])

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Evaluate the next element; a nested ``for`` gives several, kept after the source."""
        reference = Reference(iterator.identity)
        source, *ready = state.cell(reference, IteratorCell).items
        assert isinstance(source, IteratorValue)
        if ready:
            frame.run.update(state, reference, IteratorCell((source, *ready[1:]), self))
            yield state, ready[0]
            return
        for taken, item in next_item(frame, node, state, source):
            if item is None or item is SKIPPED:
                yield taken, item
                continue
            for after, made in self._elements(taken, (item,)):
                if made:
                    frame.run.update(after, reference, IteratorCell((source, *made[1:]), self))
                    yield after, made[0]
                elif ends_at_run_time(after, iterator):
                    yield after, SKIPPED
                else:
                    yield from self.advance(frame, node, after, iterator)

    def _elements(
        self, state: State, items: tuple[Value, ...]
    ) -> Iterator[tuple[State, tuple[Value, ...]]]:
        for after, rows in _rows(self.frame, self.node, state, items, [self.node.elt]):
            yield after, tuple(row[0] for row in rows)


@expression_rule(cst.GeneratorExp)
def generator_expression(frame: Frame, node: cst.GeneratorExp, state: State) -> Outcomes:
    """``(element for ...)``: the first iterable is evaluated now, the rest when asked for."""
    for after, iterable in evaluate(frame, node.for_in.iter, state):
        for start, items in iterator_of(frame, node.for_in.iter, after, iterable):
            yield start, lazy_iterator(frame.run, start, (items,), LazyRows(frame, node))


Rows = tuple[tuple[Value, ...], ...]


def _rows(
    frame: Frame,
    node: cst.BaseComp,
    state: State,
    items: tuple[Value, ...],
    results: list[cst.BaseExpression],
) -> Iterator[tuple[State, Rows]]:
    inner = comprehension_frame(frame, node, state)
    with active(inner):
        finished = _clause(inner, node.for_in, results, state, items, ())
    for done, rows in finished:
        if not frame.source.scope.captured:
            done.frames.pop(inner.identity, None)
        yield done, rows


def _clause(
    frame: Frame,
    clause: cst.CompFor,
    results: list[cst.BaseExpression],
    state: State,
    items: tuple[Value, ...],
    rows: Rows,
) -> list[tuple[State, Rows]]:
    pending: list[tuple[State, Rows]] = [(state, rows)]
    for item in items:
        following: list[tuple[State, Rows]] = []
        for before, so_far in pending:
            for bound in assign(frame, clause.target, before, item):
                for tested, passed in filtered(frame, list(clause.ifs), bound):
                    if not passed:
                        following.append((tested, so_far))
                        continue
                    following += _inner(frame, clause, results, tested, so_far)
        pending = _merge_rows(frame, clause, following)
    return pending


def _merge_rows(
    frame: Frame, clause: cst.CompFor, arrivals: list[tuple[State, Rows]]
) -> list[tuple[State, Rows]]:
    if len(arrivals) < 2:
        return arrivals
    packed = [
        (state, (TupleValue(tuple(TupleValue(row) for row in rows)),)) for state, rows in arrivals
    ]
    merged: list[tuple[State, Rows]] = []
    for state, (table,) in merge(frame.run, list(packed), frame.origin(clause)):
        assert isinstance(table, TupleValue)
        merged.append(
            (state, tuple(row.items for row in table.items if isinstance(row, TupleValue)))
        )
    return merged


def _inner(
    frame: Frame,
    clause: cst.CompFor,
    results: list[cst.BaseExpression],
    state: State,
    rows: Rows,
) -> list[tuple[State, Rows]]:
    nested = clause.inner_for_in
    if nested is not None:
        made: list[tuple[State, Rows]] = []
        for after, iterable in evaluate(frame, nested.iter, state):
            for start, items in items_of(frame, nested.iter, after, iterable):
                made += _clause(frame, nested, results, start, items, rows)
        return made
    return [(after, (*rows, row)) for after, row in row_of(frame, results, state)]
