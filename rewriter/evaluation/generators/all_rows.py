"""Generator expressions with several clauses that end at run time, all of whose items are taken.

Where the function that takes them does nothing that can be seen between two items, a list of
them is as good: the clauses are walked as those of a list comprehension.
"""

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule
from rewriter.evaluation.containers.comprehensions import listed_rows
from rewriter.evaluation.containers.lazy_iterators import refuse_becoming_run_time
from rewriter.evaluation.control.open_iterations import tried
from rewriter.evaluation.generators.generator_expressions import LazyRows
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_kinds import element_of
from rewriter.host_type_relations import decided
from rewriter.host_types import HostType, NumberType, ObjectType, TupleType
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, Known, Reference, ScalarValue, Value

_Outcomes = list[tuple[State, Value]]


def all_rows(
    frame: Frame, node: cst.CSTNode, state: State, rule: SpecialRule, positional: Positional,
    keywords: Keywords,
) -> _Outcomes | None:  # fmt: skip
    """Apply a rule to a list in a generator expression's place; None where it needs none."""
    places = [place for place, value in enumerate(positional) if _rows(state, value) is not None]
    others = [value for place, value in enumerate(positional) if place not in places]
    if len(places) != 1 or "key" in keywords or not all(map(_is_silent, others)):
        return None
    found = tried(
        frame, state, lambda attempt: list(rule(frame, node, attempt, positional, keywords))
    )
    if found is not None:
        return found
    (place,) = places

    def listed(attempt: State) -> _Outcomes:
        value, rows = positional[place], _rows(attempt, positional[place])
        assert isinstance(value, IteratorValue) and rows is not None
        (iterator,) = attempt.cell(Reference(value.identity), IteratorCell).items
        assert isinstance(iterator, IteratorValue)
        outcomes: _Outcomes = []
        for after, items in listed_rows(frame, rows.frame, rows.node, attempt, iterator):
            if not _is_plain(element_of(after, items)):
                refuse_becoming_run_time(frame, node)
            given = [*positional[:place], items, *positional[place + 1 :]]
            outcomes += rule(frame, node, after, given, keywords)
        return outcomes

    return tried(frame, state, listed)


def _rows(state: State, value: Value) -> LazyRows | None:
    """Return a generator expression of several clauses that nobody has asked for an item."""
    if not isinstance(value, IteratorValue):
        return None
    cell = state.cell(Reference(value.identity), IteratorCell)
    rows = cell.source
    if not isinstance(rows, LazyRows) or rows.node.for_in.inner_for_in is None:
        return None
    return rows if len(cell.items) == 1 else None


def _is_silent(value: Value) -> bool:
    """Return whether a further argument is a number: nothing of the program's is called then."""
    if isinstance(value, Known):
        return isinstance(value.value, bool | int | float | None)
    return isinstance(value, ScalarValue)


def _is_plain(element: HostType | None) -> bool:
    """Return whether items are numbers, strings and tuples of these."""
    match None if element is None else decided(element):
        case NumberType(kind=kind):
            return kind in (bool, int, float)
        case ObjectType(sample=str()):
            return True
        case TupleType() as whole:
            return whole.kind is tuple and all(map(_is_plain, whole.items))
        case _:
            return False
