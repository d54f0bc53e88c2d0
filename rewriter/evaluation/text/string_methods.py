"""``%``, ``join`` and ``format`` of strings, now or on the host."""

import ast
import re
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.samples_of_kinds import told_name
from rewriter.evaluation.containers.containers import describe, sequence_items
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.instances.generated_methods import is_argument_object
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import known_object, render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.tensors.tensor_mentions import holds_tensor
from rewriter.evaluation.text.error_texts import tensor_in_error
from rewriter.evaluation.text.host_texts import host_text
from rewriter.evaluation.text.percent_conversions import shown_operands, with_texts
from rewriter.evaluation.text.run_time_text import joined
from rewriter.evaluation.text.text_formatting import has_changed_text
from rewriter.evaluation.text.text_pieces import joined_text, note_template
from rewriter.state import State
from rewriter.values import IteratorValue, Known, TensorValue, TupleValue, Value

_GIVING_ITSELF = frozenset({"format", "format_map", "partition", "rpartition", "__format__"})
"""Methods that may give the object itself back, or ask it for its ``__str__``."""


def plain_text(content: object, name: str) -> object:
    """Return the text that an object is whose class leaves a method to ``str``: enumerations."""
    if not isinstance(content, str) or type(content) is str or name in _GIVING_ITSELF:
        return content
    own = getattr(type(content), name, None)
    return str.__str__(content) if own is getattr(str, name, None) else content


def percent_format(
    frame: Frame, node: cst.CSTNode, state: State, left: Known, right: Value
) -> Outcomes:
    """Evaluate ``"..." % values``."""
    items = sequence_items(state, right) if _is_tuple(right) else None
    given = [right] if items is None else [*items]
    is_changed = any(has_changed_text(frame, state, value) for value in given)
    known = None if is_changed else known_object(state, right)
    if known is not None:
        try:
            text = str(left.value) % known.value
        except Exception as error:
            frame.run.raise_known(state, error)
            return
        yield state, Known(text)
        return

    def refuse(value: Value) -> NoReturn:
        frame.refuse("DYCL054", node, f"{describe(state, value)} is formatted as text")

    for after, template, values in with_texts(frame, node, state, str(left.value), given):
        shown = shown_operands(frame, node, after, template, values, refuse)
        whole = shown[0] if items is None else TupleValue(tuple(shown))
        _refuse_tensors(frame, node, after, whole)
        expression = ast.BinOp(
            left=ast.Constant(value=template), op=ast.Mod(), right=render(frame.run, after, whole)
        )
        text = host_value(frame.run, after, expression, "", frame.origin(node), effect=True)
        if re.fullmatch(r"[^%]*%[ds][^%]*", template):
            note_template(frame.run, text, re.split("%[ds]", template), whole)
        yield after, text


def _is_tuple(value: Value) -> bool:
    return isinstance(value, TupleValue) or (
        isinstance(value, Known) and isinstance(value.value, tuple)
    )


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
        yield from joined(frame, node, state, Known(content), positional[0])
        return
    if name == "join" and isinstance(positional[0], IteratorValue):
        # Python makes a list of it first, too.
        for after, made in call_value(frame, node, state, Known(list), positional, {}):
            yield from string_method(frame, node, after, content, name, [made], keywords)
        return
    if name == "join":
        for after, items in items_of(frame, node, state, positional[0]):
            place = next((i for i, item in enumerate(items) if not _is_text(item)), None)
            if place is not None:
                frame.run.raise_known(after, _no_text(frame, node, after, place, items[place]))
                continue
            separated: list[Value] = []
            for item in items:
                separated += [Known(content), item] if separated else [item]
            yield from joined_text(frame, node, after, separated)
        return
    if all(known_object(state, value) is not None for value in values):
        yield from call_library(frame, node, state, Known(content.format), positional, keywords)
        return
    positional = [_shown(frame, node, state, content, value) for value in positional]
    keywords = {key: _shown(frame, node, state, content, value) for key, value in keywords.items()}
    expression = render_call(
        frame.run,
        state,
        ast.Attribute(value=ast.Constant(value=content), attr="format", ctx=ast.Load()),
        positional,
        keywords,
    )
    text = host_value(frame.run, state, expression, "", frame.origin(node), effect=True)
    if re.fullmatch(r"[^{}]*\{0?\}[^{}]*", content) and len(values) == len(positional) == 1:
        note_template(frame.run, text, re.split(r"\{0?\}", content), positional[0])
    yield state, text


def _is_text(item: Value) -> bool:
    content = item.value if isinstance(item, Known) else getattr(item, "sample", None)
    return isinstance(content, str)


def _no_text(frame: Frame, node: cst.CSTNode, state: State, place: int, item: Value) -> TypeError:
    """Return the error of ``join`` for an item that is no text."""
    # What asks for classes is asked by texts as well: a real cycle.
    from rewriter.evaluation.builtin_functions.builtin_reflection import type_of

    kind = told_name(type_of(frame, node, state, item))
    return TypeError(f"sequence item {place}: expected str instance, {kind} found")


def _shown(frame: Frame, node: cst.CSTNode, state: State, content: str, value: Value) -> Value:
    """Return what ``content.format(value)`` shows: the number in a tensor without dimensions."""
    if isinstance(value, TensorValue) and "!" not in content:
        if value.fake.dim() == 0:
            ((_, number),) = item_of(frame, node, state, value)
            return number
        named = tensor_in_error(frame, node, value)
        if named is not None and "{:" not in content:
            return named
    _refuse_tensors(frame, node, state, value)
    plain = re.fullmatch(r"(?:[^{}]|\{\{|\}\}|\{\w*\})*", content) is not None
    shown = host_text(frame, state, value, replaced=plain)
    if shown is None:
        frame.refuse("DYCL054", node, f"{describe(state, value)} is formatted as text")
    return shown


def _refuse_tensors(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    items = sequence_items(state, value) or (value,)
    if any(map(is_argument_object, items)):
        frame.refuse("DYCL054", node, "an object that is an argument is formatted as text")
    if holds_tensor(state, value):
        frame.refuse(
            "DYCL054", node, "a tensor is formatted as text; take its number with .item() first"
        )
