"""Sets that exist at run time only."""

import ast
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.control.container_changes import tell_walks
from rewriter.evaluation.host.host_iterators import is_walked_alike, refuse_walk
from rewriter.evaluation.host.host_statements import host_effect, host_scalar
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.hashed_instances import hashed_items
from rewriter.evaluation.run_time.missing_keys import require_key, require_some
from rewriter.evaluation.run_time.moving import make_run_time, set_expression
from rewriter.evaluation.run_time.run_time_ends import key_expression
from rewriter.evaluation.run_time.run_time_iterables import Iterables, host_iterable
from rewriter.evaluation.run_time.run_time_objects import (
    changeable,
    host_type,
    made,
    run_time_cell,
    taken,
)
from rewriter.host_type_relations import unify
from rewriter.host_types import SetType
from rewriter.set_history import copied
from rewriter.state import State
from rewriter.values import (
    NONE,
    Known,
    Reference,
    RunTimeCell,
    SetCell,
    Value,
    set_cell,
)

_COMBINING = {
    "union": ast.BitOr, "intersection": ast.BitAnd, "difference": ast.Sub,
    "symmetric_difference": ast.BitXor,
}  # fmt: skip
_TESTING = frozenset({"issubset", "issuperset", "isdisjoint"})
_UPDATING = frozenset(
    {"update", "difference_update", "intersection_update", "symmetric_difference_update"}
)
_ADDING = _UPDATING - {"difference_update"}
"""What may leave elements where they lie by the order in which the other's elements come."""
_ONE_BY_ONE = frozenset({"union", "intersection", "difference", "update", "difference_update"})
"""What takes several iterables."""
_OPERATORS = {
    "or_": ast.BitOr, "and_": ast.BitAnd, "sub": ast.Sub, "xor": ast.BitXor,
}  # fmt: skip


def run_time_set(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, *, alike: bool = True
) -> tuple[RunTimeCell, SetType]:
    """Return a set as one whose elements are known only at run time, which it is from here on.

    ``alike`` says whether what is about to be put into it comes in the order of eager.
    """
    if isinstance(state.heap[reference.identity], SetCell):
        given = host_type(frame, node, state, reference)
        assert isinstance(given, SetType)
        given = replace(given, ordered=given.ordered and alike)
        make_run_time(frame, node, state, reference, given)
    cell = state.cell(reference, RunTimeCell)
    assert isinstance(cell.type, SetType)
    return cell, cell.type


def run_time_set_method(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    """Evaluate a method of a set, with an argument known only at run time."""
    if name in _ONE_BY_ONE and len(positional) > 1:
        yield from _one_by_one(frame, node, state, receiver, name, positional)
        return
    cell, given = _changed(frame, node, state, receiver, name, positional)
    _note_change(frame, node, state, receiver, name)
    match name, positional:
        case ("add" | "discard" | "remove", [item]):
            added = key_expression(frame, node, state, item, given.element)
            whole = name_expression(cell.name)
            asked = name == "remove"
            may_raise = asked and require_key(frame, node, state, whole, added, item)
            _effect(frame, node, state, cell, name, [added], may_raise=may_raise)
            yield state, NONE
        case ("clear" | "copy" | "pop", []):
            yield from _without_arguments(frame, node, state, cell, given, name)
        case _, [other] if name in (*_COMBINING, *_TESTING, *_UPDATING):
            for after, items, own in _operand(frame, node, state, other):
                expression, element = hashed_items(frame, items, own)
                if not unify(given.element, element):
                    frame.refuse("DYCL051", node, "sets of different elements are put together")
                call = _call(cell, name, [expression])
                if name in _COMBINING:
                    ordered = given.ordered and _keeps_order(state, other)
                    combined = SetType(element, ordered=ordered)
                    yield after, made(frame, node, after, call, combined)
                elif name in _TESTING:
                    yield after, host_scalar(frame.run, after, call, bool, frame.origin(node))
                else:
                    host_effect(frame.run, after, call, frame.origin(node), may_raise=False)
                    yield after, NONE
        case _:
            frame.refuse("DYCL051", node, f"set method {name!r} of a run-time set")


def _without_arguments(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: SetType, name: str
) -> Outcomes:
    """Evaluate ``clear``, ``copy``, or ``pop``, which takes what a walk would come to first."""
    if name == "clear":
        _effect(frame, node, state, cell, name, [])
        yield state, NONE
    elif name == "copy":
        yield state, made(frame, node, state, _call(cell, name, []), given)
    else:
        if not is_walked_alike(given):
            refuse_walk(frame, node)
        whole = name_expression(cell.name)
        may_raise = require_some(frame, node, state, whole, "pop from an empty set")
        item = _call(cell, name, [])
        yield from taken(frame, node, state, item, given.element, may_raise=may_raise)


def _changed(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, name: str,
    others: list[Value],
) -> tuple[RunTimeCell, SetType]:  # fmt: skip
    """Return the set that a method is called of, which may have no order from here on."""
    alike = name not in _ADDING or all(_keeps_order(state, other) for other in others)
    cell, given = run_time_set(frame, node, state, receiver, alike=alike)
    if given.ordered and not alike:
        state.places.note_lost_order(receiver.identity)
        refuse_walk(frame, node)
    return cell, given


def _operand(frame: Frame, node: cst.CSTNode, state: State, other: Value) -> Iterables:
    """Yield what a set is put together with; a set that came about as in eager as a set."""
    cell = state.heap.get(other.identity) if isinstance(other, Reference) else None
    if isinstance(cell, SetCell) and cell.history.came_in is not None:
        expression, given = _side(frame, node, state, other)
        yield state, expression, given.element
        return
    yield from host_iterable(frame, node, state, other)


def _one_by_one(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, name: str,
    others: list[Value],
) -> Outcomes:  # fmt: skip
    """``set.union(a, b)`` is ``set.union(a).union(b)``, ``set.update(a, b)`` two updates."""
    first, *rest = others
    for after, found in run_time_set_method(frame, node, state, receiver, name, [first]):
        whole = receiver if name in _UPDATING else found
        assert isinstance(whole, Reference)
        yield from run_time_set_method(frame, node, after, whole, name, rest)


def _note_change(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, name: str
) -> None:
    if name in ("add", "discard", "remove", "pop", "clear", *_UPDATING):
        changeable(frame, node, receiver)
    if name not in ("add", "update", "copy", *_COMBINING, *_TESTING):
        tell_walks(state, receiver.identity)


def set_operator(
    frame: Frame, node: cst.CSTNode, state: State, name: str, left: Value, right: Value
) -> Outcomes | None:
    """Return the outcomes of an operator between sets of which one is run-time, else None."""
    if name not in _OPERATORS or not (_is_set(state, left) and _is_set(state, right)):
        return None
    return _operated(frame, node, state, _OPERATORS[name](), left, right)


def _operated(
    frame: Frame, node: cst.CSTNode, state: State, symbol: ast.operator, left: Value, right: Value
) -> Outcomes:
    first, one = _side(frame, node, state, left)
    second, other = _side(frame, node, state, right)
    if not unify(one.element, other.element):
        frame.refuse("DYCL051", node, "sets of different elements are put together")
    ordered = one.ordered and other.ordered
    expression = ast.BinOp(left=first, op=symbol, right=second)
    yield state, made(frame, node, state, expression, SetType(one.element, ordered=ordered))


def _side(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> tuple[ast.expr, SetType]:
    if isinstance(value, Known):
        assert isinstance(value.value, set | frozenset)
        value = frame.run.allocate(state, set_cell(copied(value.value)))
    assert isinstance(value, Reference)
    cell = state.heap[value.identity]
    if isinstance(cell, SetCell):
        given = host_type(frame, node, state, value)
        assert isinstance(given, SetType)
        return set_expression(frame, cell), given
    found, kind = run_time_set(frame, node, state, value)
    return name_expression(found.name), kind


def _keeps_order(state: State, other: Value) -> bool:
    """Return whether what is put into a set comes in the order that it has in eager."""
    if isinstance(other, Known):
        return not isinstance(other.value, set | frozenset)
    cell = state.heap.get(other.identity) if isinstance(other, Reference) else None
    if isinstance(cell, RunTimeCell):
        return not isinstance(cell.type, SetType) or cell.type.ordered
    return not isinstance(cell, SetCell) or cell.history.came_in is not None


def _is_set(state: State, value: Value) -> bool:
    if isinstance(value, Known):
        return type(value.value) in (set, frozenset)
    if not isinstance(value, Reference):
        return False
    cell = state.heap[value.identity]
    run_time = run_time_cell(state, value)
    return isinstance(cell, SetCell) or (
        run_time is not None and isinstance(run_time.type, SetType)
    )


def _call(cell: RunTimeCell, name: str, arguments: list[ast.expr]) -> ast.Call:
    method = ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())
    return call_expression(method, arguments)


def _effect(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    arguments: list[ast.expr], *, may_raise: bool = False,
) -> None:  # fmt: skip
    call, origin = _call(cell, name, arguments), frame.origin(node)
    host_effect(frame.run, state, call, origin, may_raise=may_raise)
