"""Patterns of ``match``: each gives, on every path, what it captures, or None where it fails."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import libcst as cst

from rewriter.evaluation.builtin_functions.builtin_reflection import (
    has_attribute,
    is_tensor_of,
    type_of,
)
from rewriter.evaluation.containers.containers import mapping_items, sequence_items
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.instances.user_classes import method_of
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
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    Value,
    ViewValue,
)

Captures: TypeAlias = dict[str, Value]
Match: TypeAlias = Iterator[tuple[State, Captures | None]]
Part: TypeAlias = tuple[Value, cst.MatchPattern]

_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern is matched with the object itself."""
_ANYTHING = cst.MatchAs()


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
            yield from _instance(frame, state, subject, pattern)
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
        case HostValue() if not isinstance(subject.sample, str | bytes):
            frame.refuse("DYCL056", pattern, "an object known only at run time is matched")
        case _:
            return sequence_items(state, subject)


def _refuse_own_methods(frame: Frame, state: State, subject: Value, pattern: cst.CSTNode) -> None:
    """Refuse containers whose class says itself how long they are, or what they hold."""
    asked = ("__len__", "__getitem__", "get", "keys")
    if any(method_of(state, subject, name) is not None for name in asked):
        frame.refuse("DYCL056", pattern, "a container of a class with its own methods is matched")


def _mapping(frame: Frame, state: State, subject: Value, pattern: cst.MatchMapping) -> Match:
    if isinstance(subject, HostValue) and not isinstance(subject.sample, str | bytes):
        frame.refuse("DYCL056", pattern, "an object known only at run time is matched")
    cell = state.heap[subject.identity] if isinstance(subject, Reference) else None
    if isinstance(cell, RunTimeCell) and not isinstance(cell.type, SequenceType):
        frame.refuse("DYCL056", pattern, "a dict known only at run time is matched")
    found = mapping_items(state, subject)
    if found is not None:
        _refuse_own_methods(frame, state, subject, pattern)
    if found is None:
        yield state, None
        return
    items = dict(found)
    parts: list[Part] = []
    for element in pattern.elements:
        keys = [known_object(after, key) for after, key in evaluate(frame, element.key, state)]
        if len(keys) != 1 or keys[0] is None:
            frame.refuse("DYCL051", element.key, "a key of a pattern is known only at run time")
        if keys[0].value not in items:
            yield state, None
            return
        parts.append((items.pop(keys[0].value), element.pattern))
    captures: Captures = {}
    if pattern.rest is not None:
        captures[pattern.rest.value] = frame.run.allocate(state, DictCell(items))
    yield from _all(frame, state, parts, captures)


# --- classes ---------------------------------------------------------------------------------


def _instance(frame: Frame, state: State, subject: Value, pattern: cst.MatchClass) -> Match:
    for after, found in evaluate(frame, pattern.cls, state):
        if not isinstance(found, Known) or not isinstance(found.value, type):
            frame.refuse("DYCL001", pattern, "the class of a pattern is known only at run time")
        if not _is_instance(frame, after, subject, found.value, pattern):
            yield after, None
            continue
        positional = [element.value for element in pattern.patterns]
        if positional and found.value in _ITSELF:
            yield from _all(frame, after, [(subject, positional[0])], {})
            continue
        names: tuple[str, ...] = getattr(found.value, "__match_args__", ())
        if len(positional) > len(names):
            message = (
                f"{found.value.__name__}() accepts {len(names)} positional sub-pattern"
                f"{'' if len(names) == 1 else 's'} ({len(positional)} given)"
            )
            frame.run.raise_known(after, TypeError(message))
            continue
        named = [*zip(names, positional, strict=False)]
        named += [(element.key.value, element.pattern) for element in pattern.kwds]
        yield from _attributes(frame, after, subject, named, {})


def _is_instance(
    frame: Frame, state: State, subject: Value, kind: type, pattern: cst.CSTNode
) -> bool:
    if isinstance(subject, Known):
        return isinstance(subject.value, kind)
    if isinstance(subject, TensorValue):
        return is_tensor_of(frame, pattern, subject, kind)
    if isinstance(subject, ScalarValue) or not isinstance(subject, ViewValue):
        return issubclass(type_of(frame, pattern, state, subject), kind)
    return False


def _attributes(
    frame: Frame,
    state: State,
    subject: Value,
    named: Sequence[tuple[str, cst.MatchPattern]],
    captures: Captures,
) -> Match:
    if not named:
        yield state, captures
        return
    (name, pattern), *rest = named
    for after, value in has_attribute(frame, pattern, state, subject, name):
        if value is None:
            yield after, None
            continue
        for matched, found in match_pattern(frame, after, value, pattern):
            if found is None:
                yield matched, None
            else:
                yield from _attributes(frame, matched, subject, rest, {**captures, **found})
