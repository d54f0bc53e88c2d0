"""Patterns of ``match``: each gives, on every path, what it captures, or None where it fails."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import libcst as cst

from rewriter.evaluation.containers.containers import mapping_items, sequence_items
from rewriter.evaluation.containers.held_keys import STOOD_FOR
from rewriter.evaluation.control.match_classes import Part, class_parts
from rewriter.evaluation.control.match_run_time import is_run_time_sequence, run_time_items
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.instances.user_classes import class_of, method_of
from rewriter.evaluation.operators.comparison_chains import compare
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    RunTimeRange,
    Value,
    ViewValue,
)

Captures: TypeAlias = dict[str, Value]
Match: TypeAlias = Iterator[tuple[State, Captures | None]]

_ANYTHING = cst.MatchAs()
_SEQUENCES = 1 << 5
_MAPPINGS = 1 << 6
"""Python's flags of the classes that such patterns match (Py_TPFLAGS_SEQUENCE, ..._MAPPING)."""


def match_pattern(frame: Frame, state: State, subject: Value, pattern: cst.MatchPattern) -> Match:
    """Match a subject with a pattern."""
    match pattern:
        case cst.MatchValue():
            yield from _equal(frame, state, subject, pattern.value, cst.Equal())
        case cst.MatchSingleton():
            yield from _equal(frame, state, subject, pattern.value, cst.Is())
        case cst.MatchAs():
            yield from _captured(frame, state, subject, pattern)
        case cst.MatchOr():
            yield from _either(frame, state, subject, [o.pattern for o in pattern.patterns])
        case cst.MatchSequence():
            yield from _sequence(frame, state, subject, pattern)
        case cst.MatchMapping():
            yield from _mapping(frame, state, subject, pattern)
        case cst.MatchClass():
            for after, parts in class_parts(frame, state, subject, pattern):
                if parts is None:
                    yield after, None
                else:
                    yield from _all(frame, after, parts, {})
        case _:
            frame.refuse("DYCL001", pattern, "this pattern is not supported")


def _equal(
    frame: Frame,
    state: State,
    subject: Value,
    expression: cst.BaseExpression,
    symbol: cst.BaseCompOp,
) -> Match:
    for after, wanted in evaluate(frame, expression, state):
        for compared, result in compare(frame, expression, after, symbol, subject, wanted):
            for tested, truth in truths(frame, expression, compared, result):
                yield tested, {} if truth else None


def _captured(frame: Frame, state: State, subject: Value, pattern: cst.MatchAs) -> Match:
    inner = _ANYTHING if pattern.pattern is None else pattern.pattern
    outcomes: Match = iter([(state, {})])
    if inner is not _ANYTHING:
        outcomes = match_pattern(frame, state, subject, inner)
    for after, captures in outcomes:
        if captures is None or pattern.name is None:
            yield after, captures
        else:
            yield after, {**captures, pattern.name.value: subject}


def _either(
    frame: Frame, state: State, subject: Value, patterns: Sequence[cst.MatchPattern]
) -> Match:
    first, *rest = patterns
    for after, captures in match_pattern(frame, state, subject, first):
        if captures is not None or not rest:
            yield after, captures
        else:
            yield from _either(frame, after, subject, rest)


def _all(frame: Frame, state: State, parts: Sequence[Part], captures: Captures) -> Match:
    """Match several subjects, each with its pattern."""
    if not parts:
        yield state, captures
        return
    (subject, pattern), *rest = parts
    for after, found in match_pattern(frame, state, subject, pattern):
        if found is None:
            yield after, None
        else:
            yield from _all(frame, after, rest, {**captures, **found})


# --- sequences and mappings ------------------------------------------------------------------


def _sequence(frame: Frame, state: State, subject: Value, pattern: cst.MatchSequence) -> Match:
    if is_run_time_sequence(state, subject):
        yield from _run_time_sequence(frame, state, subject, pattern)
        return
    items = _items(frame, state, subject, pattern)
    elements = list(pattern.patterns)
    stars = [i for i, element in enumerate(elements) if isinstance(element, cst.MatchStar)]
    fixed = len(elements) - len(stars)
    if items is None or len(items) < fixed or (not stars and len(items) > fixed):
        yield state, None
        return
    captures: Captures = {}
    if stars:
        (position,) = stars
        taken = len(items) - fixed
        star = elements[position]
        assert isinstance(star, cst.MatchStar)
        if star.name is not None:
            starred = items[position : position + taken]
            captures[star.name.value] = frame.run.allocate(state, ListCell(starred))
        items = (*items[:position], *items[position + taken :])
    patterns = [e.value for e in elements if isinstance(e, cst.MatchSequenceElement)]
    yield from _all(frame, state, list(zip(items, patterns, strict=True)), captures)


def _run_time_sequence(
    frame: Frame, state: State, subject: Value, pattern: cst.MatchSequence
) -> Match:
    for after, items in run_time_items(frame, state, subject, pattern):
        if items is None:
            yield after, None
            continue
        parts: list[Part] = []
        captures: Captures = {}
        for item, element in zip(items, pattern.patterns, strict=True):
            if isinstance(element, cst.MatchSequenceElement):
                parts.append((item, element.value))
            elif element.name is not None:
                captures[element.name.value] = item
        yield from _all(frame, after, parts, captures)


def _items(
    frame: Frame, state: State, subject: Value, pattern: cst.CSTNode
) -> tuple[Value, ...] | None:
    """Return the items of a list or tuple, None for what is no sequence."""
    _refuse_own_methods(frame, state, subject, pattern)
    match subject:
        case ViewValue():
            return None
        case Reference() if isinstance(state.heap[subject.identity], RunTimeCell):
            frame.refuse("DYCL056", pattern, "a list known only at run time is matched")
        case Known() if isinstance(subject.value, range):
            return tuple(map(Known, subject.value))
        case RunTimeRange():
            frame.refuse("DYCL056", pattern, "a range known only at run time is matched")
        case HostValue() if not isinstance(subject.sample, str | bytes):
            frame.refuse("DYCL056", pattern, "an object known only at run time is matched")
        case _:
            items = sequence_items(state, subject)
            if items is None:
                _refuse_kind(frame, state, subject, pattern, _SEQUENCES)
            return items


def _refuse_kind(
    frame: Frame, state: State, subject: Value, pattern: cst.CSTNode, kinds: int
) -> None:
    """Refuse what Python would match, but whose items are not known here."""
    kind = class_of(state, subject)
    if kind is not None and kind.__flags__ & kinds:
        frame.refuse("DYCL056", pattern, f"an object of class {kind.__name__} is matched")


def _refuse_own_methods(frame: Frame, state: State, subject: Value, pattern: cst.CSTNode) -> None:
    """Refuse containers whose class says itself how long they are, or what they hold."""
    asked = ("__len__", "__getitem__", "get", "keys")
    if any(method_of(state, subject, name) is not None for name in asked):
        frame.refuse("DYCL056", pattern, "a container of a class with its own methods is matched")


def _mapping(frame: Frame, state: State, subject: Value, pattern: cst.MatchMapping) -> Match:
    found = _mapping_items(frame, state, subject, pattern)
    if found is None or len(found) < len(pattern.elements):
        yield state, None
        return
    items = dict(found)
    parts: list[Part] = []
    seen: list[object] = []
    for element in pattern.elements:
        key = _key(frame, state, element)
        if key in seen:
            message = f"mapping pattern checks duplicate key ({key!r})"
            frame.run.raise_known(state, ValueError(message))
            return
        if key not in items:
            yield state, None
            return
        seen.append(key)
        parts.append((items.pop(key), element.pattern))
    captures: Captures = {}
    if pattern.rest is not None:
        captures[pattern.rest.value] = frame.run.allocate(state, DictCell(items))
    yield from _all(frame, state, parts, captures)


def _mapping_items(
    frame: Frame, state: State, subject: Value, pattern: cst.CSTNode
) -> Mapping[object, Value] | None:
    """Return the items of a dict, None for what is no mapping."""
    if isinstance(subject, HostValue) and not isinstance(subject.sample, str | bytes):
        frame.refuse("DYCL056", pattern, "an object known only at run time is matched")
    cell = state.heap[subject.identity] if isinstance(subject, Reference) else None
    if isinstance(cell, RunTimeCell) and not isinstance(cell.type, SequenceType):
        frame.refuse("DYCL056", pattern, "a dict known only at run time is matched")
    if isinstance(cell, ObjectCell) and cell.kind in STOOD_FOR:
        frame.refuse("DYCL056", pattern, "a dict whose keys are tensors or objects is matched")
    found = mapping_items(state, subject)
    if found is None:
        _refuse_kind(frame, state, subject, pattern, _MAPPINGS)
    else:
        _refuse_own_methods(frame, state, subject, pattern)
    return found


def _key(frame: Frame, state: State, element: cst.MatchMappingElement) -> object:
    keys = [known_object(after, key) for after, key in evaluate(frame, element.key, state)]
    if len(keys) != 1 or keys[0] is None:
        frame.refuse("DYCL051", element.key, "a key of a pattern is known only at run time")
    return keys[0].value
