"""Large tables known at compile time, looked up by the host: vocabularies and the like."""

import ast
from collections.abc import Mapping

import libcst as cst

from rewriter.evaluation.containers.chosen_rows import number_type
from rewriter.evaluation.host.host_typing import NoHostType, common_type
from rewriter.evaluation.rendering import call_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.missing_keys import require_key
from rewriter.evaluation.run_time.run_time_objects import taken
from rewriter.host_type_relations import decided
from rewriter.host_types import PLAIN, HostType, NumberType, ObjectType
from rewriter.leaves import is_known_text, residual_name
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, TupleValue, Value

_FEW = 8
"""Choices up to which each gets a path of its own, on which the chosen number is known; and text,
where it may matter which it is."""


def looked_up_item(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], index: Value, kind: str
) -> Outcomes | None:
    """Return the outcomes of indexing plain values: many, or numbers of run time; else None."""
    if not isinstance(index, ScalarValue) or index.type is not int:
        return None
    if len(items) > _FEW or (not frame.run.guarded and number_type(state, items) is not None):
        return plain_item(frame, node, state, items, index, kind)
    if not _are_texts(frame, items):
        return None
    found = plain_item(frame, node, state, items, index, kind)
    return None if found is None else _noted(frame, found, items)


def plain_item(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], index: Value,
    kind: str = "list",
) -> Outcomes | None:  # fmt: skip
    """Return the outcomes of indexing numbers or strings, None for other items."""
    element = _plain_type(state, items)
    if element is None or kind not in ("list", "tuple", "string"):
        return None
    parts = [render(frame.run, state, item) for item in items]
    display: ast.expr
    if kind == "string":
        text = "".join(str(item.value) for item in items if isinstance(item, Known))
        display = ast.Constant(value=text)
    elif kind == "tuple":
        display = ast.Tuple(elts=parts, ctx=ast.Load())
    else:
        display = ast.List(elts=parts, ctx=ast.Load())
    place = render(frame.run, state, index)
    found = ast.Subscript(value=display, slice=place, ctx=ast.Load())
    return taken(frame, node, state, found, element)


def looked_up_value(
    frame: Frame, node: cst.CSTNode, state: State, table: Value, items: Mapping[object, Value],
    key: Value, default: Value | None = None,
) -> Outcomes | None:  # fmt: skip
    """Return the outcomes of ``table[key]``, or ``table.get(key, default)``; None where unfit."""
    values = tuple(items.values())
    element = _plain_type(state, values if default is None else (*values, default))
    if element is None or not items or not _is_plain_key(key):
        return None
    few = len(items) <= _FEW and default is None
    if few and not _are_texts(frame, values):
        return None
    display = _table(frame, state, table, items)
    place = render(frame.run, state, key)
    may_raise = default is None and require_key(frame, node, state, display, place, key)
    if default is None:
        found: ast.expr = ast.Subscript(value=display, slice=place, ctx=ast.Load())
    else:
        method = ast.Attribute(value=display, attr="get", ctx=ast.Load())
        found = call_expression(method, [place, render(frame.run, state, default)])
    looked_up = taken(frame, node, state, found, element, may_raise=may_raise)
    return _noted(frame, looked_up, values) if few else looked_up


def _are_texts(frame: Frame, items: tuple[Value, ...]) -> bool:
    """Return whether items are texts of which none needs a path of its own."""
    several = len(items) > 1 and not frame.run.options.known_texts
    return several and all(map(is_known_text, items))


def _noted(frame: Frame, found: Outcomes, texts: tuple[Value, ...]) -> Outcomes:
    """Yield texts that stand for any of several known ones: whoever asks which may want paths."""
    for state, text in found:
        frame.run.builder.joins.note(residual_name(text), texts)
        yield state, text


def _table(frame: Frame, state: State, table: Value, items: Mapping[object, Value]) -> ast.expr:
    if isinstance(table, Known) and type(table.value) is dict:
        return frame.run.builder.reference(table.value, frame.run.path_of(table))
    return ast.Dict(
        keys=[render(frame.run, state, Known(key)) for key in items],
        values=[render(frame.run, state, item) for item in items.values()],
    )


def _is_plain_key(key: Value) -> bool:
    """Return whether a key is a number or a string, or a tuple of these."""
    if isinstance(key, TupleValue):
        return key.kind is tuple and all(_is_plain_key(item) for item in key.items)
    if isinstance(key, Known):
        return isinstance(key.value, bool | int | float | str)
    return isinstance(key, ScalarValue | HostValue)


def _plain_type(state: State, items: tuple[Value, ...]) -> HostType | None:
    """Return the type of values that are all numbers of one type, or all strings."""
    try:
        element = common_type(state, items)
    except NoHostType:
        return None
    found = decided(element)
    number = isinstance(found, NumberType) and found.kind not in (None, PLAIN)
    text = isinstance(found, ObjectType) and isinstance(found.sample, str)
    return element if number or text else None
