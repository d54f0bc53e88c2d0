"""Comprehensions and generator expressions: their clauses, filters and rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.dict_methods import known_key
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.displays import known_set
from rewriter.evaluation.iteration import items_of, iterator_of
from rewriter.evaluation.lazy_iterators import Items, lazy_iterator, next_item
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes, active
from rewriter.evaluation.truth import truths
from rewriter.scope import names_read
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorCell,
    IteratorValue,
    ListCell,
    Reference,
    SetCell,
    TupleValue,
    Value,
)


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows:
    """A generator expression: its elements are evaluated when they are asked for."""

    frame: Frame
    node: cst.GeneratorExp

    @property
    def captured(self) -> tuple[int, ...]:
        """Identities of the frames whose variables it may read."""
        return (self.frame.identity, *(outer.identity for outer in self.frame.lexical))

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
            if item is None:
                yield taken, None
                continue
            for after, made in self._elements(taken, (item,)):
                if made:
                    frame.run.update(after, reference, IteratorCell((source, *made[1:]), self))
                    yield after, made[0]
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


@expression_rule(cst.ListComp, cst.SetComp)
def sequence_comprehension(
    frame: Frame, node: cst.ListComp | cst.SetComp, state: State
) -> Outcomes:
    """``[element for ...]``."""
    for after, items in _comprehension(frame, node, state, [node.elt]):
        values = tuple(row[0] for row in items)
        if isinstance(node, cst.ListComp):
            yield after, frame.run.allocate(after, ListCell(values))
        else:
            knowns = [known_object(after, item) for item in values]
            if None in knowns:
                frame.refuse("DYCL051", node, "an element of a set is known only at run time")
            yield after, frame.run.allocate(after, SetCell(known_set(knowns)))


@expression_rule(cst.DictComp)
def dict_comprehension(frame: Frame, node: cst.DictComp, state: State) -> Outcomes:
    """``{key: value for ...}``."""
    for after, rows in _comprehension(frame, node, state, [node.key, node.value]):
        made = {known_key(frame, node, after, key): value for key, value in rows}
        yield after, frame.run.allocate(after, DictCell(made))


Rows = tuple[tuple[Value, ...], ...]


def _comprehension(
    frame: Frame,
    node: cst.BaseComp,
    state: State,
    results: list[cst.BaseExpression],
) -> Iterator[tuple[State, Rows]]:
    """Yield the rows that a comprehension makes, each with one value per result expression."""
    clause = node.for_in
    for after, iterable in evaluate(frame, clause.iter, state):
        for start, items in items_of(frame, clause.iter, after, iterable):
            yield from _rows(frame, node, start, items, results)


def _rows(
    frame: Frame,
    node: cst.BaseComp,
    state: State,
    items: tuple[Value, ...],
    results: list[cst.BaseExpression],
) -> Iterator[tuple[State, Rows]]:
    run = frame.run
    inner = Frame(
        run=run,
        identity=run.new_identity(),
        source=frame.source,
        lexical=(frame, *frame.lexical),
        globals=frame.globals,
        closure=frame.closure,
        inlined_at=frame.inlined_at,
        owner=frame.owner,
        receiver=frame.receiver,
        live=names_read(node),
        comprehension=True,
    )
    run.lexical[inner.identity] = inner
    state.frames[inner.identity] = {}
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
                for tested, passed in _filters(frame, list(clause.ifs), bound):
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
    for state, (table,) in frame.run.merge(list(packed), frame.origin(clause)):
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
    return [(after, (*rows, row)) for after, row in _row(frame, results, state)]


def _row(
    frame: Frame, results: list[cst.BaseExpression], state: State
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    if not results:
        yield state, ()
        return
    for after, first in evaluate(frame, results[0], state):
        for done, rest in _row(frame, results[1:], after):
            yield done, (first, *rest)


def _filters(
    frame: Frame, conditions: list[cst.CompIf], state: State
) -> Iterator[tuple[State, bool]]:
    if not conditions:
        yield state, True
        return
    first, *rest = conditions
    for after, value in evaluate(frame, first.test, state):
        for tested, truth in truths(frame, first.test, after, value):
            if truth:
                yield from _filters(frame, rest, tested)
            else:
                yield tested, False
