"""Values as text: ``format(value, spec)``, ``str`` and ``repr``, now or on the host."""

from collections.abc import Callable

import libcst as cst
import numpy
import torch
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.torch_reads import refuse_changed_text
from rewriter.evaluation.containers.containers import describe, sequence_items
from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.instances.generated_methods import is_argument_object, shown_fields
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import NotMaterial, call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.text.error_texts import tensor_in_error
from rewriter.evaluation.text.text_pieces import joined_text, note_number
from rewriter.host_type_properties import has_instance, has_tensor, holds
from rewriter.host_types import HostType, NumberType, SetType
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_CONVERSIONS: dict[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}


def _object_text(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, conversion: str | None
) -> Outcomes | None:
    """Return the outcomes of ``str(value)`` of a user's object or of an exception, else None."""
    if isinstance(value, TupleValue) and value.kind is torch.Size and conversion is not None:
        return _sizes_text(frame, node, state, value.items)
    method = None if conversion in ("r", "a") else method_of(state, value, "__str__")
    method = method or method_of(state, value, "__repr__")
    if method is not None:
        return call_value(frame, node, state, method, [], {})
    shown = shown_fields(state, value)
    if shown is not None:
        return _fields_text(frame, node, state, *shown)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if not isinstance(cell, ObjectCell) or not issubclass(cell.kind, BaseException):
        return None
    return None if conversion == "r" else exception_text(frame, node, state, cell)


def exception_text(
    frame: Frame, node: cst.CSTNode, state: State, cell: ObjectCell
) -> Outcomes | None:
    """Return the outcomes of what the builtin classes of an exception say, None if unknown."""
    arguments = cell.attributes.get("args", Known(()))
    items = sequence_items(state, arguments) or ()
    says = next(
        vars(base)["__str__"]
        for base in cell.kind.__mro__
        if base.__module__ == "builtins" and "__str__" in vars(base)
    )
    if not items:
        return iter([(state, Known(""))])
    if len(items) == 1:
        as_key = "r" if says is KeyError.__str__ else "s"
        return format_value(frame, node, state, items[0], Known(""), as_key)
    if says not in (BaseException.__str__, KeyError.__str__):
        return None
    return format_value(frame, node, state, arguments, Known(""), "s")


def _fields_text(
    frame: Frame, node: cst.CSTNode, state: State, name: str, fields: list[tuple[str, Value]]
) -> Outcomes:
    """Evaluate what ``repr`` of a named tuple, dataclass or namespace says."""
    ways: list[tuple[State, list[Value]]] = [(state, [Known(f"{name}(")])]
    for number, (field, value) in enumerate(fields):
        start = Known(f"{', ' if number else ''}{field}=")
        ways = [
            (after, [*parts, start, text])
            for before, parts in ways
            for after, text in format_value(frame, node, before, value, Known(""), "r")
        ]
    for after, parts in ways:
        yield from joined_text(frame, node, after, [*parts, Known(")")])


def _sizes_text(
    frame: Frame, node: cst.CSTNode, state: State, sizes: tuple[Value, ...]
) -> Outcomes:
    """Evaluate the text of a ``torch.Size``, which the host has as a tuple."""
    ways: list[tuple[State, list[Value]]] = [(state, [Known("torch.Size([")])]
    for number, size in enumerate(sizes):
        comma = Known(", " if number else "")
        ways = [
            (after, [*parts, comma, text])
            for before, parts in ways
            for after, text in format_value(frame, node, before, size, Known(""), None)
        ]
    for after, parts in ways:
        yield from joined_text(frame, node, after, [*parts, Known("])")])


def _is_whole(frame: Frame, state: State, value: Value) -> bool:
    """Return whether the host can make a text of a value as it is."""
    has_text = isinstance(value, ScalarValue | HostValue) or _has_text(frame, state, value)
    return has_text and not is_argument_object(value)


def host_text(frame: Frame, state: State, value: Value, *, replaced: bool) -> Value | None:
    """Return a value of which the host makes the text that the program does, None if it cannot.

    What is known and has no literal, such as a ``torch.Size``, may be ``replaced`` by its text.
    """
    known = known_object(state, value)
    if known is None:
        whole = _is_whole(frame, state, value) or _is_displayed(state, value)
        return value if whole else None
    if _is_literal(known.value):
        return value
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


def _known_text(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    content: object,
    spec: str,
    convert: Callable[[object], str] | None,
) -> Outcomes:
    """Evaluate the text of an object that exists at compile time."""
    if isinstance(content, nn.Module):
        refuse_changed_text(frame, node, state, content)
    try:
        text = format(convert(content) if convert is not None else content, spec)
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, Known(text)


def format_value(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Value,
    spec: Value,
    conversion: str | None,
) -> Outcomes:
    """Evaluate ``format(value, spec)`` after a conversion such as ``!r``."""
    known, known_spec = known_object(state, value), known_object(state, spec)
    convert = _CONVERSIONS.get(conversion or "")
    if known is not None and known_spec is not None:
        content = known.value
        yield from _known_text(frame, node, state, content, str(known_spec.value), convert)
        return
    own = method_of(state, value, "__format__") if convert is None else None
    if own is not None:
        yield from call_value(frame, node, state, own, [spec], {})
        return
    plain = known_spec is not None and conversion is None
    bare = known_spec is not None and not known_spec.value
    text_of = _object_text(frame, node, state, value, "s" if bare and plain else conversion)
    if text_of is not None and known_spec is not None:
        for after, whole in text_of:
            text = _converted(frame, node, whole, conversion)
            yield from format_value(frame, node, after, text, spec, None)
        return
    if isinstance(value, TensorValue) and value.fake.dim() == 0 and plain:
        for after, number in item_of(frame, node, state, value):
            yield from format_value(frame, node, after, number, spec, conversion)
        return
    named = tensor_in_error(frame, node, value)
    if named is not None and known_spec is not None and not known_spec.value:
        yield state, named
        return
    if not _is_whole(frame, state, value) or not isinstance(spec, Known | ScalarValue | HostValue):
        frame.refuse("DYCL054", node, f"{describe(state, value)} is formatted as text")
    inner = render(frame.run, state, value)
    if convert is not None:
        inner = call_expression(frame.run.builder.reference(convert, convert.__name__), [inner])
    formatter = frame.run.builder.reference(format, "format")
    expression = call_expression(formatter, [inner, render(frame.run, state, spec)])
    may_raise = not _always_formats(value, known_spec, convert)
    text = host_value(frame.run, state, expression, "", frame.origin(node), effect=may_raise)
    note_number(frame.run, text, value, known_spec)
    yield state, text


def _always_formats(
    value: Value, spec: Known | None, convert: Callable[[object], str] | None
) -> bool:
    """Return whether a run-time number has a text in a format, whatever number it is.

    Integers do unless they become floats or a letter: those may be too large.
    """
    if spec is None or not isinstance(value, ScalarValue) or value.type not in (bool, int, float):
        return False
    text = str(spec.value)
    sample = value.type(1)
    try:
        format(sample if convert is None else convert(sample), text)
    except ValueError:
        return False
    return value.type is float or convert is not None or text[-1:] not in tuple("ceEfFgG%")


def _converted(frame: Frame, node: cst.CSTNode, text: Value, conversion: str | None) -> Value:
    """Return the text of an object, as ``ascii`` has it where that is wanted."""
    if conversion != "a":
        return text
    if not isinstance(text, Known):
        frame.refuse("DYCL054", node, "an object is formatted in ASCII")
    return Known(str(text.value).encode("ascii", "backslashreplace").decode())


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
