"""Class patterns of ``match``: which parts of the subject are matched with which patterns."""

from collections.abc import Iterator
from typing import TypeAlias

import libcst as cst

from rewriter.evaluation.builtin_functions.builtin_reflection import has_attribute, isinstance_
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, Value

Part: TypeAlias = tuple[Value, cst.MatchPattern]
Parts: TypeAlias = Iterator[tuple[State, tuple[Part, ...] | None]]

_MATCHED_WITH_ITSELF = 1 << 22
"""Python's flag of classes, such as int and what inherits from it, without ``__match_args__``,
whose one positional pattern is matched with the object itself (Py_TPFLAGS_MATCH_SELF)."""


def class_parts(frame: Frame, state: State, subject: Value, pattern: cst.MatchClass) -> Parts:
    """Yield the parts that a class pattern looks at, or None where it does not match.

    As in Python all attributes are read before the first of them is matched.
    """
    for after, found in evaluate(frame, pattern.cls, state):
        if not isinstance(found, Known):
            frame.refuse("DYCL001", pattern, "the class of a pattern is known only at run time")
        if not isinstance(found.value, type):
            frame.run.raise_known(after, TypeError("called match pattern must be a class"))
            continue
        for tested, result in isinstance_(frame, pattern, after, [subject, found], {}):
            if isinstance(result, Known) and result.value:
                yield from _parts(frame, tested, subject, pattern, found.value)
            else:
                yield tested, None


def _parts(
    frame: Frame, state: State, subject: Value, pattern: cst.MatchClass, kind: type
) -> Parts:
    positional = [element.value for element in pattern.patterns]
    parts: tuple[Part, ...] = ()
    names: object = ()
    if positional and hasattr(kind, "__match_args__"):
        names = kind.__match_args__
        if type(names) is not tuple:
            got = type(names).__name__
            message = f"{kind.__name__}.__match_args__ must be a tuple (got {got})"
            frame.run.raise_known(state, TypeError(message))
            return
    elif positional and kind.__flags__ & _MATCHED_WITH_ITSELF:
        parts = ((subject, positional[0]),)
        positional = positional[1:]
    assert isinstance(names, tuple)
    if len(positional) > len(names):
        allowed, given = len(names) + len(parts), len(positional) + len(parts)
        message = (
            f"{kind.__name__}() accepts {allowed} positional sub-pattern"
            f"{'' if allowed == 1 else 's'} ({given} given)"
        )
        frame.run.raise_known(state, TypeError(message))
        return
    named = [*zip(names, positional, strict=False)]
    named += [(element.key.value, element.pattern) for element in pattern.kwds]
    yield from _attributes(frame, state, subject, named, kind, parts)


def _attributes(
    frame: Frame,
    state: State,
    subject: Value,
    named: list[tuple[object, cst.MatchPattern]],
    kind: type,
    parts: tuple[Part, ...],
    seen: frozenset[str] = frozenset(),
) -> Parts:
    if not named:
        yield state, parts
        return
    (name, pattern), *rest = named
    if type(name) is not str:
        message = f"__match_args__ elements must be strings (got {type(name).__name__})"
        frame.run.raise_known(state, TypeError(message))
        return
    if name in seen:
        message = f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}"
        frame.run.raise_known(state, TypeError(message))
        return
    for after, value in has_attribute(frame, pattern, state, subject, name):
        if value is None:
            yield after, None
        else:
            read = (*parts, (value, pattern))
            yield from _attributes(frame, after, subject, rest, kind, read, seen | {name})
