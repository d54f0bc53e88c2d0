"""Strings: f-strings, ``%``, ``format`` and ``join``, now or on the host."""

import ast
from collections.abc import Callable

import libcst as cst
import numpy

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import describe, sequence_items
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.generated_methods import is_argument_object, shown_fields
from rewriter.evaluation.host_statements import host_value
from rewriter.evaluation.host_typing import NoHostType, type_of
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.library_calls import call_library
from rewriter.evaluation.rendering import (
    NotMaterial,
    call_expression,
    known_object,
    render,
    render_call,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time_iterables import host_iterable
from rewriter.evaluation.run_time_kinds import is_run_time
from rewriter.evaluation.run_time_text import joined
from rewriter.evaluation.tensor_mentions import holds_tensor
from rewriter.evaluation.truth import item_of
from rewriter.evaluation.user_classes import method_of
from rewriter.host_type_relations import has_instance, has_tensor, holds, unify
from rewriter.host_types import TEXT, HostType, NumberType, SetType
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


@expression_rule(cst.SimpleString)
def simple_string(frame: Frame, node: cst.SimpleString, state: State) -> Outcomes:
    """``"text"``."""
    del frame
    yield state, Known(node.evaluated_value)


@expression_rule(cst.ConcatenatedString)
def concatenated_string(frame: Frame, node: cst.ConcatenatedString, state: State) -> Outcomes:
    """``"a" f"{b}"``."""
    for after, left in evaluate(frame, node.left, state):
        for done, right in evaluate(frame, node.right, after):
            yield from _joined(frame, node, done, [left, right])


@expression_rule(cst.FormattedString)
def formatted_string(frame: Frame, node: cst.FormattedString, state: State) -> Outcomes:
    """``f"..."``."""
    yield from _parts(frame, node, list(node.parts), state, [])


def _parts(
    frame: Frame,
    node: cst.CSTNode,
    parts: list[cst.BaseFormattedStringContent],
    state: State,
    done: list[Value],
) -> Outcomes:
    if not parts:
        yield from _joined(frame, node, state, done)
        return
    first, *rest = parts
    if isinstance(first, cst.FormattedStringText):
        text = _unescaped(first.value, node)
        yield from _parts(frame, node, rest, state, [*done, Known(text)])
        return
    assert isinstance(first, cst.FormattedStringExpression)
    if first.equal is not None:
        shown = cst.Module([]).code_for_node(first.expression) + cst.Module([]).code_for_node(
            first.equal
        )
        spaces = first.whitespace_before_expression
        shown = cst.Module([]).code_for_node(spaces) + shown
        conversion = first.conversion or ("r" if first.format_spec is None else None)
        plain = first.with_changes(equal=None, conversion=conversion)
        for after, value in evaluate(frame, first.expression, state):
            for formatted, text_value in _formatted(frame, node, plain, after, value):
                parts_done = [*done, Known(shown), text_value]
                yield from _parts(frame, node, rest, formatted, parts_done)
        return
    for after, value in evaluate(frame, first.expression, state):
        for formatted, text_value in _formatted(frame, first, first, after, value):
            yield from _parts(frame, node, rest, formatted, [*done, text_value])


def _unescaped(text: str, node: cst.CSTNode) -> str:
    text = text.replace("{{", "{").replace("}}", "}")
    prefix = node.start.lower() if isinstance(node, cst.FormattedString) else ""
    if "r" in prefix or "\\" not in text:
        return text
    quoted = text.replace('"', '\\"')
    return str(ast.literal_eval(f'"""{quoted}"""'))


def _formatted(
    frame: Frame,
    node: cst.CSTNode,
    part: cst.FormattedStringExpression,
    state: State,
    value: Value,
) -> Outcomes:
    if part.format_spec is None:
        specs: Outcomes = iter([(state, Known(""))])
    else:
        specs = _parts(frame, node, list(part.format_spec), state, [])
    for after, spec in specs:
        yield from format_value(frame, node, after, value, spec, part.conversion)


def _object_text(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, conversion: str | None
) -> Outcomes | None:
    """Return the outcomes of ``str(value)`` of a user's object or of an exception, else None."""
    method = None if conversion == "r" else method_of(state, value, "__str__")
    method = method or method_of(state, value, "__repr__")
    if method is not None:
        return call_value(frame, node, state, method, [], {})
    shown = shown_fields(state, value)
    if shown is not None:
        return _fields_text(frame, node, state, *shown)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if not isinstance(cell, ObjectCell) or not issubclass(cell.kind, BaseException):
        return None
    arguments = sequence_items(state, cell.attributes.get("args", Known(()))) or ()
    if len(arguments) != 1 or conversion == "r":
        return None if arguments or conversion == "r" else iter([(state, Known(""))])
    as_key = "r" if issubclass(cell.kind, KeyError) else "s"
    return format_value(frame, node, state, arguments[0], Known(""), as_key)


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
        yield from _joined(frame, node, after, [*parts, Known(")")])


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
        try:
            content = convert(known.value) if convert is not None else known.value
            text = format(content, str(known_spec.value))
        except Exception as error:
            frame.run.raise_known(state, error)
            return
        yield state, Known(text)
        return
    text_of = _object_text(frame, node, state, value, conversion)
    if text_of is not None and known_spec is not None:
        for after, whole in text_of:
            yield from format_value(frame, node, after, whole, spec, None)
        return
    spelled = known_spec is not None and known_spec.value and conversion is None
    if isinstance(value, TensorValue) and value.fake.dim() == 0 and spelled:
        for after, number in item_of(frame, node, state, value):
            yield from format_value(frame, node, after, number, spec, conversion)
        return
    is_whole = isinstance(value, ScalarValue | HostValue) or _has_text(frame, state, value)
    is_whole = is_whole and not is_argument_object(value)
    if not is_whole or not isinstance(spec, Known | ScalarValue | HostValue):
        frame.refuse("DYCL054", node, f"{describe(state, value)} is formatted as text")
    inner = render(frame.run, state, value)
    if convert is not None:
        inner = call_expression(frame.run.builder.reference(convert, convert.__name__), [inner])
    formatter = frame.run.builder.reference(format, "format")
    expression = call_expression(formatter, [inner, render(frame.run, state, spec)])
    yield state, host_value(frame.run, state, expression, "", frame.origin(node), effect=True)


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


def _joined(frame: Frame, node: cst.CSTNode, state: State, parts: list[Value]) -> Outcomes:
    if all(isinstance(part, Known) for part in parts):
        yield state, Known("".join(str(part.value) for part in parts if isinstance(part, Known)))
        return
    pieces = [part for part in parts if not (isinstance(part, Known) and part.value == "")]
    expression = render(frame.run, state, pieces[0])
    for piece in pieces[1:]:
        expression = ast.BinOp(left=expression, op=ast.Add(), right=render(frame.run, state, piece))
    yield state, host_value(frame.run, state, expression, "", frame.origin(node))


def percent_format(
    frame: Frame, node: cst.CSTNode, state: State, left: Known, right: Value
) -> Outcomes:
    """Evaluate ``"..." % values``."""
    known = known_object(state, right)
    if known is not None:
        try:
            text = str(left.value) % known.value
        except Exception as error:
            frame.run.raise_known(state, error)
            return
        yield state, Known(text)
        return
    _refuse_tensors(frame, node, state, right)
    expression = ast.BinOp(
        left=ast.Constant(value=left.value), op=ast.Mod(), right=render(frame.run, state, right)
    )
    yield state, host_value(frame.run, state, expression, "", frame.origin(node), effect=True)


def string_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    content: str,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``content.join(...)`` and ``content.format(...)``."""
    values = [*positional, *keywords.values()]
    if name == "join" and is_run_time(state, positional[0]):
        for after, expression, element in host_iterable(frame, node, state, positional[0]):
            if not unify(element, TEXT):
                frame.refuse("DYCL054", node, "join() of other things than strings")
            yield from joined(frame, node, after, Known(content), expression)
        return
    if name == "join":
        for after, items in items_of(frame, node, state, positional[0]):
            separated: list[Value] = []
            for item in items:
                separated += [Known(content), item] if separated else [item]
            if all(isinstance(i, Known) and isinstance(i.value, str) for i in separated) or all(
                isinstance(i, HostValue) or (isinstance(i, Known) and isinstance(i.value, str))
                for i in separated
            ):
                yield from _joined(frame, node, after, separated)
            else:
                error = TypeError("sequence item: expected str instance")
                frame.run.raise_known(after, error)
        return
    if all(known_object(state, value) is not None for value in values):
        yield from call_library(frame, node, state, Known(content.format), positional, keywords)
        return
    for value in values:
        _refuse_tensors(frame, node, state, value)
    expression = render_call(
        frame.run,
        state,
        ast.Attribute(value=ast.Constant(value=content), attr="format", ctx=ast.Load()),
        positional,
        keywords,
    )
    yield state, host_value(frame.run, state, expression, "", frame.origin(node), effect=True)


def _refuse_tensors(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    items = sequence_items(state, value) or (value,)
    if any(map(is_argument_object, items)):
        frame.refuse("DYCL054", node, "an object that is an argument is formatted as text")
    if holds_tensor(state, value):
        frame.refuse(
            "DYCL054", node, "a tensor is formatted as text; take its number with .item() first"
        )
