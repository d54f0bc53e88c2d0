"""Records of run-time containers: dicts with certain keys, and instances of users' classes."""

import ast

import libcst as cst

from rewriter.evaluation.containers.inherited_code import merged_items
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.host.host_typing import is_record_like
from rewriter.evaluation.rendering import call_expression, known_object, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import changeable, made, taken
from rewriter.host_types import HostType, RecordType
from rewriter.known_places import field_of_record
from rewriter.loose_types import is_nothing
from rewriter.state import State
from rewriter.values import NONE, Reference, RunTimeCell, Value


def record_field(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: RecordType, key: Value
) -> Outcomes:
    """Evaluate ``record[key]`` of a dict with known keys."""
    known = known_object(state, key)
    if known is None:
        frame.refuse("DYCL051", node, "a dict with known keys is used with a run-time key")
    kinds = dict(given.fields)
    if known.value not in kinds:
        frame.run.raise_known(state, KeyError(known.value))
        return
    yield from field_of(frame, node, state, cell, known.value, kinds[known.value])


def field_of(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: object, kind: HostType
) -> Outcomes:
    """Take a field of a record."""
    place = frame.run.builder.reference(name, None)
    expression = ast.Subscript(value=name_expression(cell.name), slice=place, ctx=ast.Load())
    yield from taken(frame, node, state, expression, kind, may_raise=False)


def set_field(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, name: object, item: Value
) -> None:
    """Write a field of a record; new fields are refused."""
    cell = state.cell(reference, RunTimeCell)
    assert isinstance(cell.type, RecordType)
    kinds = dict(cell.type.fields)
    if name not in kinds:
        frame.refuse(
            "DYCL073", node, f"{name!r} is added to an object in a run-time container",
            "set it when the object is made",
        )  # fmt: skip
    changeable(frame, node, reference)
    if is_nothing(kinds[name]):
        empty = field_of_record(cell.type.kind, kinds, name)
        state.places.note(empty, of_own_class=is_record_like(state, item, cell))
    content = put(frame, node, state, item, kinds[name])
    place = frame.run.builder.reference(name, None)
    _effect(frame, node, state, cell, "__setitem__", [place, content])


def record_method(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: RunTimeCell,
    name: str, positional: list[Value],
) -> Outcomes:  # fmt: skip
    """Evaluate a method of a dict with certain keys."""
    assert isinstance(cell.type, RecordType)
    kinds = dict(cell.type.fields)
    known = known_object(state, positional[0]) if positional else None
    match name:
        case "get" if known is not None and known.value in kinds:
            yield from field_of(frame, node, state, cell, known.value, kinds[known.value])
        case "get" if known is not None:
            yield state, positional[1] if len(positional) > 1 else NONE
        case "copy" if not positional:
            yield (
                state,
                made(frame, node, state, call_expression(_method(cell, name), []), cell.type),
            )
        case "update" if (items := merged_items(frame, node, state, positional[0])) is not None:
            for key, item in items.items():
                set_field(frame, node, state, receiver, key, item)
            yield state, NONE
        case _:
            frame.refuse("DYCL073", node, f"method {name!r} of a dict in a run-time container")


def _method(cell: RunTimeCell, name: str) -> ast.expr:
    return ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())


def _effect(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    arguments: list[ast.expr],
) -> None:  # fmt: skip
    expression = call_expression(_method(cell, name), arguments)
    host_effect(frame.run, state, expression, frame.origin(node), may_raise=False)
