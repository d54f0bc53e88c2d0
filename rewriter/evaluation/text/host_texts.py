"""What the host can make a text of that is the program's: numbers, strings, containers of these."""

import types

import numpy

from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.instances.generated_methods import is_argument_object
from rewriter.evaluation.rendering import NotMaterial, known_object, render
from rewriter.evaluation.run import Frame
from rewriter.host_type_properties import has_instance, has_tensor, holds
from rewriter.host_types import HostType, NumberType, SetType
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    Reference,
    ScalarValue,
    TupleValue,
    Value,
)


def is_whole(frame: Frame, state: State, value: Value) -> bool:
    """Return whether the host can make a text of a value as it is."""
    has_text = isinstance(value, ScalarValue | HostValue) or _has_text(frame, state, value)
    return has_text and not is_argument_object(value)


def host_text(frame: Frame, state: State, value: Value, *, replaced: bool) -> Value | None:
    """Return a value of which the host makes the text that the program does, None if it cannot.

    What is known and has no literal, such as a ``torch.Size``, may be ``replaced`` by its text.
    """
    known = known_object(state, value)
    if known is None:
        whole = is_whole(frame, state, value) or _is_displayed(state, value)
        return value if whole else None
    if _is_literal(known.value):
        return value
    replaced = replaced and not isinstance(known.value, types.TracebackType)
    return Known(str(known.value)) if replaced else None


def _is_displayed(state: State, value: Value, inside: tuple[int, ...] = ()) -> bool:
    """Return whether a value is a list, tuple or dict of numbers and strings of any types."""
    match value:
        case Known(value=content):
            return _is_literal(content)
        case ScalarValue(type=kind):
            return kind in (bool, int, float, complex)
        case HostValue(sample=sample):
            return isinstance(sample, str)
        case TupleValue(kind=kind, items=items):
            return kind is tuple and all(_is_displayed(state, item, inside) for item in items)
        case Reference(identity=identity) if identity not in inside:
            cell = state.heap[identity]
            parts = _parts(cell)
            around = (*inside, identity)
            return parts is not None and all(_is_displayed(state, p, around) for p in parts)
        case _:
            return False


def _parts(cell: object) -> list[Value] | None:
    """Return the parts of a list or a dict; None for other objects, and for subclasses."""
    if isinstance(cell, ListCell) and cell.kind is list:
        return list(cell.items)
    if isinstance(cell, DictCell) and cell.kind is dict:
        return [*map(Known, cell.items), *cell.items.values()]
    return None


def _is_literal(content: object) -> bool:
    """Return whether the host has the object itself: numbers, strings, containers of these."""
    if type(content) in (list, tuple):
        return all(map(_is_literal, content))  # type: ignore[call-overload]
    if type(content) is dict:
        return all(_is_literal(part) for pair in content.items() for part in pair)
    return type(content) in (bool, int, float, complex, str, bytes, type(None))


def _has_text(frame: Frame, state: State, value: Value) -> bool:
    """Return whether the host's text of a container is the program's."""
    if not isinstance(value, TupleValue | Reference):
        return False
    try:
        given = type_of(state, value)
        render(frame.run, state, value)
    except (NoHostType, NotMaterial):
        return False
    return not has_tensor(given) and not has_instance(given) and not _prints_otherwise(given)


def _prints_otherwise(given: HostType) -> bool:
    return holds(
        given,
        lambda part: (
            isinstance(part, SetType)
            or (
                isinstance(part, NumberType)
                and (part.kind is None or issubclass(part.kind, numpy.generic))
            )
        ),
    )
