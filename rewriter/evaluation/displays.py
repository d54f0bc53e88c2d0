"""Displays and comprehensions: lists, tuples, dicts, sets; lambdas."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.containers import mapping_items, tuple_value
from rewriter.evaluation.dict_methods import known_key
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes, active
from rewriter.evaluation.truth import truths
from rewriter.scope import names_read
from rewriter.source import nested_source
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    SetCell,
    TupleValue,
    Value,
)


def elements(
    frame: Frame, nodes: list[cst.BaseElement], state: State
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Evaluate the elements of a display, spreading starred ones."""
    if not nodes:
        yield state, ()
        return
    *earlier, last = nodes
    for after, done in elements(frame, earlier, state):
        for evaluated, value in evaluate(frame, last.value, after):
            if isinstance(last, cst.StarredElement):
                for spread, items in items_of(frame, last, evaluated, value):
                    yield spread, done + items
            else:
                yield evaluated, (*done, value)


@expression_rule(cst.Tuple)
def tuple_display(frame: Frame, node: cst.Tuple, state: State) -> Outcomes:
    """``(a, b)``."""
    for after, items in elements(frame, list(node.elements), state):
        yield after, tuple_value(items)


@expression_rule(cst.List)
def list_display(frame: Frame, node: cst.List, state: State) -> Outcomes:
    """``[a, b]``."""
    for after, items in elements(frame, list(node.elements), state):
        yield after, frame.run.allocate(after, ListCell(items))


@expression_rule(cst.Set)
def set_display(frame: Frame, node: cst.Set, state: State) -> Outcomes:
    """``{a, b}`` of values known at compile time."""
    for after, items in elements(frame, list(node.elements), state):
        knowns = [known_object(after, item) for item in items]
        if None in knowns:
            frame.refuse("DYCL051", node, "an element of a set is known only at run time")
        yield after, frame.run.allocate(after, SetCell(known_set(knowns)))


def known_set(knowns: list[Known | None]) -> frozenset[object]:
    """Return the set of known objects."""
    return frozenset(known.value for known in knowns if known is not None)


@expression_rule(cst.Dict)
def dict_display(frame: Frame, node: cst.Dict, state: State) -> Outcomes:
    """``{key: value}``."""
    yield from _dict_elements(frame, list(node.elements), state, {})


def _dict_elements(
    frame: Frame, nodes: list[cst.BaseDictElement], state: State, done: dict[object, Value]
) -> Outcomes:
    if not nodes:
        yield state, frame.run.allocate(state, DictCell(done))
        return
    first, *rest = nodes
    if isinstance(first, cst.StarredDictElement):
        for after, value in evaluate(frame, first.value, state):
            mapping = mapping_items(after, value)
            if mapping is None:
                frame.refuse("DYCL044", first, "** needs a dict known at compile time")
            yield from _dict_elements(frame, rest, after, {**done, **mapping})
        return
    assert isinstance(first, cst.DictElement)
    for after_key, key in evaluate(frame, first.key, state):
        known = known_key(frame, first.key, after_key, key)
        for after, value in evaluate(frame, first.value, after_key):
            yield from _dict_elements(frame, rest, after, {**done, known: value})


# --- comprehensions ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows:
    """A generator expression: its elements are evaluated when they are asked for."""

    frame: Frame
    node: cst.GeneratorExp

    def all(
        self, state: State, items: tuple[Value, ...]
    ) -> Iterator[tuple[State, tuple[Value, ...]]]:
        """Yield all elements for the remaining items of the first ``for``."""
        for after, rows in _rows(self.frame, self.node, state, items, [self.node.elt]):
            yield after, tuple(row[0] for row in rows)


@expression_rule(cst.GeneratorExp)
def generator_expression(frame: Frame, node: cst.GeneratorExp, state: State) -> Outcomes:
    """``(element for ...)``: the first iterable is evaluated now, the rest when asked for."""
    for after, iterable in evaluate(frame, node.for_in.iter, state):
        for start, items in items_of(frame, node.for_in.iter, after, iterable):
            cell = IteratorCell(items, LazyRows(frame, node))
            yield start, IteratorValue(frame.run.allocate(start, cell).identity)


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


@expression_rule(cst.Lambda)
def lambda_expression(frame: Frame, node: cst.Lambda, state: State) -> Outcomes:
    """``lambda x: ...``."""
    for after, defaults in default_values(frame, node.params, state):
        yield after, closure(frame, node, "<lambda>", defaults)


def default_values(
    frame: Frame, parameters: cst.Parameters, state: State
) -> Iterator[tuple[State, dict[str, Value]]]:
    """Evaluate parameter defaults where the function is defined."""
    with_default = [
        param
        for param in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
        if param.default is not None
    ]
    yield from _defaults(frame, with_default, state)


def _defaults(
    frame: Frame, parameters: list[cst.Param], state: State
) -> Iterator[tuple[State, dict[str, Value]]]:
    if not parameters:
        yield state, {}
        return
    *earlier, last = parameters
    for after, done in _defaults(frame, earlier, state):
        assert last.default is not None
        for evaluated, value in evaluate(frame, last.default, after):
            yield evaluated, {**done, last.name.value: value}


def closure(
    frame: Frame, node: cst.FunctionDef | cst.Lambda, name: str, defaults: dict[str, Value]
) -> FunctionValue:
    """Return a function defined by evaluated code."""
    return FunctionValue(
        source=nested_source(frame.source, node, f"{frame.source.name}.<locals>.{name}"),
        frame_path=(frame.identity, *(outer.identity for outer in frame.lexical)),
        defaults=defaults,
        globals=frame.globals,
        closure=frame.closure,
    )
