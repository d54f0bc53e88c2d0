"""Dicts that exist at run time only: with keys known only then, or elements of such containers."""

import ast
from collections import OrderedDict
from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.inherited_code import merged_items
from rewriter.evaluation.control.container_changes import tell_walks
from rewriter.evaluation.host.host_fitting import fits
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.host_typing import NoHostType, mapping_type
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, known_object, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.counters import counter_method, is_counter
from rewriter.evaluation.run_time.missing_keys import require_key, require_some
from rewriter.evaluation.run_time.moving import make_run_time, put
from rewriter.evaluation.run_time.run_time_ends import (
    at_an_end,
    key_expression,
    method_effect,
    own_method,
)
from rewriter.evaluation.run_time.run_time_objects import changeable, made, run_time_cell, taken
from rewriter.evaluation.run_time.run_time_records import record_field, record_method, set_field
from rewriter.host_type_relations import decided, unify
from rewriter.host_types import (
    OWN_MAKER,
    ContainerType,
    HostType,
    MappingType,
    OptionalType,
    RecordType,
    SetType,
    TupleType,
)
from rewriter.state import State
from rewriter.values import NONE, DictCell, Known, Reference, RunTimeCell, Value, ViewValue


def with_any_keys(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference
) -> tuple[RunTimeCell, MappingType]:
    """Return a dict as one whose keys are known only at run time, which it is from here on."""
    cell = state.heap[reference.identity]
    if isinstance(cell, DictCell):
        try:
            given = mapping_type(state, reference.identity, cell)
        except NoHostType as error:
            frame.refuse("DYCL051", node, f"a dict of {error} is used with a run-time key")
        make_run_time(frame, node, state, reference, given)
    found = run_time_cell(state, reference)
    if found is None or not isinstance(found.type, MappingType):
        frame.refuse("DYCL051", node, "a dict with known keys is used with a run-time key")
    return found, found.type


def mapping_item(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, key: Value
) -> Outcomes:
    """Evaluate ``table[key]``; KeyError is raised at run time."""
    cell = state.cell(reference, RunTimeCell)
    if isinstance(cell.type, RecordType):
        yield from record_field(frame, node, state, cell, cell.type, key)
        return
    if isinstance(cell.type, SetType):
        error = TypeError(f"{cell.type.kind.__name__!r} object is not subscriptable")
        frame.run.raise_known(state, error)
        return
    assert isinstance(cell.type, MappingType)
    place = key_expression(frame, node, state, key, cell.type.key)
    found: ast.expr = ast.Subscript(value=name_expression(cell.name), slice=place, ctx=ast.Load())
    if cell.factory is None:
        if cell.type.maker == OWN_MAKER:
            text = (
                "a defaultdict of a run-time container, with a function that makes missing values"
            )
            frame.refuse("DYCL073", node, text)
        if is_counter(cell.type):
            found = call_expression(own_method(cell, "get"), [place, ast.Constant(value=0)])
        may_raise = not is_counter(cell.type) and require_key(
            frame, node, state, name_expression(cell.name), place, key
        )
        yield from taken(frame, node, state, found, cell.type.value, may_raise=may_raise)
        return
    arms = list(_present(frame, node, state, cell, place))
    for arm, present in sorted(arms, key=lambda way: way[1]):  # what is made decides the type
        if present:
            yield from taken(frame, node, arm, found, cell.type.value, may_raise=False)
            continue
        for after, value in call_value(frame, node, arm, cell.factory, [], {}):
            changeable(frame, node, reference)
            content = put(frame, node, after, value, cell.type.value)
            method_effect(frame, node, after, cell, "__setitem__", [place, content])
            yield after, value


def set_mapping_item(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, key: Value, item: Value
) -> list[State]:
    """Execute ``table[key] = item``."""
    cell = state.cell(reference, RunTimeCell) if run_time_cell(state, reference) else None
    known = known_object(state, key)
    if cell is not None and isinstance(cell.type, RecordType) and known is not None:
        set_field(frame, node, state, reference, known.value, item)
        return [state]
    changeable(frame, node, reference)
    cell, given = with_any_keys(frame, node, state, reference)
    place = key_expression(frame, node, state, key, given.key)
    content = put(frame, node, state, item, given.value)
    method_effect(frame, node, state, cell, "__setitem__", [place, content])
    return [state]


def delete_mapping_item(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, key: Value
) -> list[State]:
    """Execute ``del table[key]``."""
    changeable(frame, node, reference)
    tell_walks(state, reference.identity)
    cell, given = with_any_keys(frame, node, state, reference)
    place = key_expression(frame, node, state, key, given.key)
    may_raise = require_key(frame, node, state, name_expression(cell.name), place, key)
    method_effect(frame, node, state, cell, "__delitem__", [place], may_raise=may_raise)
    return [state]


def mapping_method(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, name: str,
    positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate a method of a dict that exists at run time only, or is given a run-time key."""
    found = run_time_cell(state, receiver)
    if name in ("keys", "values", "items"):
        yield state, ViewValue(receiver.identity, name)
        return
    if found is not None and isinstance(found.type, RecordType):
        yield from record_method(frame, node, state, receiver, found, name, positional)
        return
    cell, given = with_any_keys(frame, node, state, receiver)
    if name not in ("get", "copy", "most_common", "elements", "total"):
        changeable(frame, node, receiver)
    if name in ("pop", "popitem", "clear", "move_to_end"):
        tell_walks(state, receiver.identity)
    own = counter_method(frame, node, state, cell, given, name, positional, keywords)
    if own is not None:
        yield from own
    elif name in ("get", "pop") and not keywords:
        yield from _get(frame, node, state, cell, given, name, positional)
    elif name == "update":
        yield from _updated(frame, node, state, cell, given, positional, keywords)
    elif given.kind is OrderedDict and name in ("popitem", "move_to_end"):
        yield from at_an_end(frame, node, state, cell, given, name, positional, keywords)
    elif keywords:
        frame.refuse("DYCL073", node, f"method {name!r} of a run-time dict with keywords")
    else:
        yield from _other_method(frame, node, state, cell, given, name, positional)


def _other_method(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: MappingType,
    name: str, positional: list[Value],
) -> Outcomes:  # fmt: skip
    match name, positional:
        case "setdefault", [key, *rest]:
            place = key_expression(frame, node, state, key, given.key)
            content = put(frame, node, state, rest[0] if rest else NONE, given.value)
            expression = call_expression(own_method(cell, name), [place, content])
            yield from taken(frame, node, state, expression, given.value)
        case "clear", []:
            method_effect(frame, node, state, cell, name, [])
            yield state, NONE
        case "copy", []:
            yield (
                state,
                made(frame, node, state, call_expression(own_method(cell, name), []), given),
            )
        case "popitem", []:
            expression = call_expression(own_method(cell, name), [])
            pair = TupleType((given.key, given.value))
            words = "popitem(): dictionary is empty"
            may_raise = require_some(frame, node, state, name_expression(cell.name), words)
            yield from taken(frame, node, state, expression, pair, may_raise=may_raise)
        case _:
            frame.refuse("DYCL073", node, f"method {name!r} of a run-time dict")


def _get(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: MappingType,
    name: str, positional: list[Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``get`` and ``pop``: one call where default and values are alike, else a test."""
    key, *rest = positional
    place = key_expression(frame, node, state, key, given.key)
    if not rest and name == "pop":
        expression = call_expression(own_method(cell, name), [place])
        may_raise = require_key(frame, node, state, name_expression(cell.name), place, key)
        yield from taken(frame, node, state, expression, given.value, may_raise=may_raise)
        return
    default = rest[0] if rest else NONE
    if _is_alike(state, default, given.value):
        arguments = [place, render(frame.run, state, default)]
        expression = call_expression(own_method(cell, name), arguments)
        yield from taken(frame, node, state, expression, given.value)
        return
    for arm, present in _present(frame, node, state, cell, place):
        if present:
            expression = call_expression(own_method(cell, name), [place])
            yield from taken(frame, node, arm, expression, given.value, may_raise=False)
        else:
            yield arm, default


def _is_alike(state: State, default: Value, wanted: HostType) -> bool:
    """Return whether a default is a plain number or string of the type of the values."""
    target = decided(wanted)
    if isinstance(default, Reference) or isinstance(target, OptionalType):
        return False
    known = isinstance(default, Known) and default.value is None
    try:
        return not known and fits(state, default, wanted)
    except NoHostType:
        return False


def _present(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, place: ast.expr
) -> Iterator[tuple[State, bool]]:
    test = ast.Compare(left=place, ops=[ast.In()], comparators=[name_expression(cell.name)])
    flag = host_scalar(frame.run, state, test, bool, frame.origin(node))
    yield from truths(frame, node, state, flag)


def _updated(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: MappingType,
    positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    pairs: dict[object, Value] = {}
    for other in positional:
        found = run_time_cell(state, other)
        mapping = merged_items(frame, node, state, other)
        if found is not None and isinstance(found.type, MappingType):
            if not unify(given, _plain(found.type, given)):
                frame.refuse("DYCL073", node, "dicts of different types are put together")
            method_effect(frame, node, state, cell, "update", [name_expression(found.name)])
        elif mapping is not None:
            pairs.update(mapping)
        else:
            frame.refuse("DYCL073", node, "a run-time dict is updated by this kind of object")
    pairs.update(keywords)
    for key, item in pairs.items():
        place = key_expression(frame, node, state, Known(key), given.key)
        content = put(frame, node, state, item, given.value)
        method_effect(frame, node, state, cell, "__setitem__", [place, content])
    yield state, NONE


def _plain(given: MappingType, like: MappingType) -> ContainerType:
    return MappingType(given.key, given.value, like.kind, like.maker)
