"""Values as text: ``format(value, spec)``, ``str`` and ``repr``, now or on the host."""

import types
from collections.abc import Callable

import libcst as cst
import torch
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.torch_reads import refuse_changed_text
from rewriter.evaluation.containers.containers import describe, sequence_items
from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.instances.generated_methods import shown_fields
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.text.displayed import displayed
from rewriter.evaluation.text.error_texts import tensor_in_error
from rewriter.evaluation.text.host_texts import is_whole
from rewriter.evaluation.text.text_pieces import joined_text, note_number
from rewriter.keeping.asking import answers, changed_here, writing_method
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
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
    if conversion in ("s", "r") and (parts := displayed(state, value)) is not None:
        return _display_text(frame, node, state, parts)
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
    of_exception = exception_representation if conversion in ("r", "a") else exception_text
    return of_exception(frame, node, state, cell)


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


def exception_representation(
    frame: Frame, node: cst.CSTNode, state: State, cell: ObjectCell
) -> Outcomes | None:
    """Return the outcomes of ``repr`` of an exception, None where it has arguments of its own."""
    arguments = cell.attributes.get("args", Known(()))
    items = sequence_items(state, arguments) or ()
    if issubclass(cell.kind, OSError) and len(items) > 1:
        return None
    name = cell.kind.__name__
    if len(items) == 1:
        return _fields_text(frame, node, state, name, [("", items[0])])
    ways = format_value(frame, node, state, arguments, Known(""), "r")
    return (
        outcome
        for after, text in ways
        for outcome in joined_text(frame, node, after, [Known(name), text])
    )


def _fields_text(
    frame: Frame, node: cst.CSTNode, state: State, name: str, fields: list[tuple[str, Value]]
) -> Outcomes:
    """Evaluate what ``repr`` of a named tuple, dataclass, namespace or exception says."""
    ways: list[tuple[State, list[Value]]] = [(state, [Known(f"{name}(")])]
    for number, (field, value) in enumerate(fields):
        start = Known(f"{', ' if number else ''}{field}{'=' if field else ''}")
        ways = [
            (after, [*parts, start, text])
            for before, parts in ways
            for after, text in format_value(frame, node, before, value, Known(""), "r")
        ]
    for after, parts in ways:
        yield from joined_text(frame, node, after, [*parts, Known(")")])


def _display_text(
    frame: Frame, node: cst.CSTNode, state: State, parts: list[str | Value]
) -> Outcomes:
    """Evaluate the text of a list, tuple or dict: what stands around its items, and theirs."""
    ways: list[tuple[State, list[Value]]] = [(state, [])]
    for part in parts:
        ways = [
            (after, [*texts, text])
            for before, texts in ways
            for after, text in (
                [(before, Known(part))]
                if isinstance(part, str)
                else format_value(frame, node, before, part, Known(""), "r")
            )
        ]
    for after, texts in ways:
        yield from joined_text(frame, node, after, texts)


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
    if isinstance(content, types.TracebackType):
        frame.refuse("DYCL054", node, "a traceback is formatted as text")
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
    known_spec = known_object(state, spec)
    known = None if has_changed_text(frame, state, value) else known_object(state, value)
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
    if not is_whole(frame, state, value) or not isinstance(spec, Known | ScalarValue | HostValue):
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


def has_changed_text(frame: Frame, state: State, value: Value) -> bool:
    """Return whether an object of the model has a text of its own that the call may change."""
    if not isinstance(value, Known) or not answers(type(value.value)):
        return False
    methods = (method_of(state, value, name) for name in ("__format__", "__str__", "__repr__"))
    if not any(methods):
        return False
    writes = writing_method(type(value.value)) is not None
    return writes or changed_here(frame.run, state, value.value) is not None


def _always_formats(
    value: Value, spec: Known | None, convert: Callable[[object], str] | None
) -> bool:
    """Return whether a run-time value has a text in a format, whatever it is.

    Integers do unless they become floats or a letter: those may be too large.
    """
    if spec is not None and not spec.value and isinstance(value, TupleValue | Reference):
        return True
    is_text = isinstance(value, HostValue) and isinstance(value.sample, str)
    is_number = isinstance(value, ScalarValue) and value.type in (bool, int, float)
    if spec is None or not (is_text or is_number):
        return False
    text = str(spec.value)
    kind = value.type if isinstance(value, ScalarValue) and value.type is not None else str
    sample = kind(1)
    try:
        format(sample if convert is None else convert(sample), text)
    except ValueError:
        return False
    return kind in (float, str) or convert is not None or text[-1:] not in tuple("ceEfFgG%")


def _converted(frame: Frame, node: cst.CSTNode, text: Value, conversion: str | None) -> Value:
    """Return the text of an object, as ``ascii`` has it where that is wanted."""
    if conversion != "a":
        return text
    if not isinstance(text, Known):
        frame.refuse("DYCL054", node, "an object is formatted in ASCII")
    return Known(str(text.value).encode("ascii", "backslashreplace").decode())
