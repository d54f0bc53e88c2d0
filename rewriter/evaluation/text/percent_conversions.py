"""What ``%d``, ``%f`` and ``%s`` make of values that the host has in another form."""

import re
from collections.abc import Callable, Iterator
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.text.host_texts import host_text
from rewriter.evaluation.text.text_formatting import format_value, has_changed_text
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, TensorValue, Value

_CONVERSION = re.compile(r"%(?:%|[#0\- +]*\d*(?:\.\d+)?[hlL]?([a-zA-Z]))")
_NUMERIC = frozenset("dieEfFgG")
_TEXTUAL = frozenset("sra")


def shown_operands(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    template: str,
    values: list[Value],
    refuse: Callable[[Value], NoReturn],
) -> list[Value]:
    """Return operands of a template that the host's text of is the program's.

    A tensor of one element is a number where it is shown as one; other tensors are as they were.
    ``refuse`` is called with a value that has no such text.
    """
    kinds: list[str | None] = [
        found.group(1) for found in _CONVERSION.finditer(template) if found.group(1)
    ]
    if len(kinds) != len(values) or "%" in _CONVERSION.sub("", template):
        kinds = [None] * len(values)  # widths or names are operands, too

    def shown(kind: str | None, value: Value) -> Value:
        if kind in _NUMERIC:
            return _number(frame, node, state, value)
        if isinstance(value, TensorValue):
            return value
        return host_text(frame, state, value, replaced=kind == "s") or refuse(value)

    return [shown(kind, value) for kind, value in zip(kinds, values, strict=True)]


def with_texts(
    frame: Frame, node: cst.CSTNode, state: State, template: str, values: list[Value]
) -> Iterator[tuple[State, str, list[Value]]]:
    """Yield a template and its operands with texts in place of objects that ``%s`` writes."""
    parts = list(_CONVERSION.finditer(template))
    found = [part for part in parts if part.group(1)]
    place = next((i for i, value in enumerate(values) if _is_object(frame, state, value)), None)
    if place is None or len(found) != len(values) or "%" in _CONVERSION.sub("", template):
        yield state, template, values
        return
    way = found[place].group(1)
    if way not in _TEXTUAL:
        yield state, template, values
        return
    end = found[place].end()
    plain = f"{template[: end - 1]}s{template[end:]}"
    for after, text in format_value(frame, node, state, values[place], Known(""), way):
        given = [*values[:place], text, *values[place + 1 :]]
        yield from with_texts(frame, node, after, plain, given)


def _is_object(frame: Frame, state: State, value: Value) -> bool:
    """Return whether the program makes the text of a value: of an instance, or an exception."""
    if has_changed_text(frame, state, value):
        return True
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    return isinstance(cell, ObjectCell)


def _number(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return the number in a tensor that is known to have one element; other values as they are."""
    if not isinstance(value, TensorValue) or value.fake.dtype.is_complex:
        return value
    if not all(isinstance(size, int) and size == 1 for size in value.fake.shape):
        return value
    ((_, number),) = item_of(frame, node, state, value)
    return number
