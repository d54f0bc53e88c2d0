"""Sequence patterns against lists and tuples that exist at run time only: of what length?"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.subscripts import get_item
from rewriter.evaluation.operators.comparison_chains import compare
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import Known, Reference, RunTimeCell, Value

Items: TypeAlias = Iterator[tuple[State, tuple[Value, ...] | None]]
Element: TypeAlias = cst.MatchSequenceElement | cst.MatchStar


def is_run_time_sequence(state: State, subject: Value) -> bool:
    """Return whether a subject is a list or tuple whose length is known only at run time."""
    cell = state.heap[subject.identity] if isinstance(subject, Reference) else None
    return (
        isinstance(cell, RunTimeCell)
        and isinstance(cell.type, SequenceType)
        and cell.type.kind in (list, tuple)
    )


def run_time_items(frame: Frame, state: State, subject: Value, pattern: cst.MatchSequence) -> Items:
    """Yield what each element of a pattern is matched with, None where there are not as many.

    As in Python all items that are looked at are read before the first of them is matched.
    """
    elements = pattern.patterns
    starred = any(isinstance(element, cst.MatchStar) for element in elements)
    fixed = Known(len(elements) - starred)
    symbol = cst.GreaterThanEqual() if starred else cst.Equal()
    for after, length in call_value(frame, pattern, state, Known(len), [subject], {}):
        for compared, enough in compare(frame, pattern, after, symbol, length, fixed):
            for tested, truth in truths(frame, pattern, compared, enough):
                if truth:
                    yield from _read(frame, tested, subject, elements, 0)
                else:
                    yield tested, None


def _read(
    frame: Frame, state: State, subject: Value, elements: Sequence[Element], place: int
) -> Items:
    if place == len(elements):
        yield state, ()
        return
    for after, item in _item(frame, state, subject, elements, place):
        for done, rest in _read(frame, after, subject, elements, place + 1):
            yield done, None if rest is None else (item, *rest)


def _item(
    frame: Frame, state: State, subject: Value, elements: Sequence[Element], place: int
) -> Outcomes:
    element = elements[place]
    if _is_ignored(element):
        yield state, Known(None)
        return
    stars = [isinstance(other, cst.MatchStar) for other in elements]
    if not stars[place]:
        index = place - len(elements) if any(stars[:place]) else place
        yield from get_item(frame, element, state, subject, Known(index))
        return
    rest = slice(place, place + 1 - len(elements) or None)
    for after, taken in get_item(frame, element, state, subject, Known(rest)):
        yield from call_value(frame, element, after, Known(list), [taken], {})


def _is_ignored(element: Element) -> bool:
    """Return whether an element is ``_`` or ``*_``, which nothing is read for."""
    if isinstance(element, cst.MatchStar):
        return element.name is None
    value = element.value
    return isinstance(value, cst.MatchAs) and value.pattern is None and value.name is None
