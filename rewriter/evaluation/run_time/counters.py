"""``collections.Counter``: always the host's, which adds where a dict puts."""

import ast
import collections
from collections.abc import Mapping
from typing import Any

import libcst as cst

from rewriter.evaluation.containers.inherited_code import merged_items
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_ends import key_expression, method_effect, own_method
from rewriter.evaluation.run_time.run_time_iterables import host_iterable
from rewriter.evaluation.run_time.run_time_objects import made, run_time_cell
from rewriter.host_type_properties import has_instance, has_tensor, is_mutable
from rewriter.host_type_relations import decided, unify
from rewriter.host_types import (
    HandleType,
    HostType,
    MappingType,
    NumberType,
    SequenceType,
    TupleType,
    TypeVariable,
)
from rewriter.state import State
from rewriter.values import NONE, Known, RunTimeCell, Value, is_none


def is_counter(given: HostType) -> bool:
    """Return whether a run-time container is a ``Counter``."""
    return isinstance(given, MappingType) and given.kind is collections.Counter


def counted(
    frame: Frame, node: cst.CSTNode, state: State, positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``Counter(items, **counts)``: of an iterable's items, or with a dict's counts."""
    reference = frame.run.builder.reference(collections.Counter, "collections.Counter")
    source = positional[0] if positional and not is_none(positional[0]) else Known(())
    if keywords or len(positional) > 1 or _is_mapping(frame, node, state, source):
        given = _counts_of(TypeVariable())
        table = made(frame, node, state, call_expression(reference, []), given)
        cell = state.cell(table, RunTimeCell)
        for after, _ in change_counts(
            frame, node, state, cell, given, "update", positional, keywords
        ):
            yield after, table
        return
    for after, expression, element in host_iterable(frame, node, state, source):
        check_key(frame, node, element)
        whole = call_expression(reference, [expression])
        yield after, made(frame, node, after, whole, _counts_of(element))


def counter_method(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: MappingType,
    name: str, positional: list[Value], keywords: dict[str, Value],
) -> Outcomes | None:  # fmt: skip
    """Evaluate a method that other dicts do not have, or have otherwise; None for any other."""
    if not is_counter(given):
        return None
    if name in ("update", "subtract"):
        return change_counts(frame, node, state, cell, given, name, positional, keywords)
    if keywords or name not in ("most_common", "elements", "total"):
        return None
    arguments = [render(frame.run, state, value) for value in positional]
    expression = call_expression(own_method(cell, name), arguments)
    match name, positional:
        case "most_common", _:
            pairs = SequenceType(TupleType((given.key, given.value)))
            return iter([(state, made(frame, node, state, expression, pairs))])
        case "elements", []:
            whole = call_expression(frame.run.builder.reference(list, "list"), [expression])
            return iter([(state, made(frame, node, state, whole, SequenceType(given.key)))])
        case "total", []:
            total = host_scalar(frame.run, state, expression, int, frame.origin(node))
            return iter([(state, total)])
        case _:
            return None


def change_counts(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: MappingType,
    name: str, positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``update`` and ``subtract``: of an iterable's items, or of a dict's counts."""
    if len(positional) > 1:
        error = TypeError(f"from 1 to 2 positional arguments expected, got {len(positional) + 1}")
        frame.run.raise_known(state, error)
        return
    for source in positional:
        if is_none(source):
            continue
        if _is_mapping(frame, node, state, source):
            counts = _counts(frame, node, state, given, source)
            method_effect(frame, node, state, cell, name, [counts])
            continue
        found = list(host_iterable(frame, node, state, source))
        if not found:  # it raises
            return
        after, expression, element = found[0]
        check_key(frame, node, element)
        if len(found) > 1 or after is not state or not unify(given.key, element):
            frame.refuse("DYCL073", node, "a Counter counts values of different types")
        method_effect(frame, node, state, cell, name, [expression])
    if keywords:
        counts = _display(frame, node, state, given, keywords)
        method_effect(frame, node, state, cell, name, [counts])
    yield state, NONE


_OPERATORS = {"add": ast.Add, "sub": ast.Sub, "or_": ast.BitOr, "and_": ast.BitAnd}


def counter_operator(
    frame: Frame, node: cst.CSTNode, state: State, name: str, left: Value, right: Value
) -> Outcomes | None:
    """Return the outcomes of an operator between two counters, None for anything else."""
    first, second = run_time_cell(state, left), run_time_cell(state, right)
    if name not in _OPERATORS or first is None or second is None:
        return None
    if not (is_counter(first.type) and is_counter(second.type)):
        return None
    if not unify(first.type, second.type):
        frame.refuse("DYCL073", node, "a Counter counts values of different types")
    one, other = name_expression(first.name), name_expression(second.name)
    whole = ast.BinOp(left=one, op=_OPERATORS[name](), right=other)
    return iter([(state, made(frame, node, state, whole, first.type))])


def check_key(frame: Frame, node: cst.CSTNode, element: HostType) -> None:
    """Refuse what the host has no keys of dicts and elements of sets for."""
    if isinstance(decided(element), HandleType):
        return
    if has_tensor(element) or has_instance(element) or is_mutable(element):
        frame.refuse(
            "DYCL051", node, "this kind of run-time value as a key of a dict or element of a set",
            "use numbers, strings and tuples of them: tensor.item()",
        )  # fmt: skip


def _counts_of(element: HostType) -> MappingType:
    return MappingType(element, NumberType(int), collections.Counter)


def _is_mapping(frame: Frame, node: cst.CSTNode, state: State, source: Value) -> bool:
    found = run_time_cell(state, source)
    if found is not None:
        return not isinstance(found.type, SequenceType)
    return merged_items(frame, node, state, source) is not None


def _counts(
    frame: Frame, node: cst.CSTNode, state: State, given: MappingType, source: Value
) -> ast.expr:
    """Return a dict of counts as an expression."""
    found = run_time_cell(state, source)
    if found is None:
        items = merged_items(frame, node, state, source) or {}
        return _display(frame, node, state, given, items)
    theirs = found.type
    if not isinstance(theirs, MappingType) or not (
        unify(given.key, theirs.key) and unify(given.value, theirs.value)
    ):
        frame.refuse("DYCL073", node, "a Counter takes counts that are no whole numbers")
    return name_expression(found.name)


def _display(
    frame: Frame, node: cst.CSTNode, state: State, given: MappingType, items: Mapping[Any, Value]
) -> ast.expr:
    keys = [key_expression(frame, node, state, Known(key), given.key) for key in items]
    values = [put(frame, node, state, item, given.value) for item in items.values()]
    return ast.Dict(keys=[*keys], values=values)
