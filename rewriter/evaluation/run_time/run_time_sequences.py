"""Elements and slices of lists, deques and tuples that exist at run time only."""

import ast
import collections
from collections.abc import Iterator, Sequence
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.host.host_fitting import takes
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import NotMaterial, call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.moving import make_run_time, put
from rewriter.evaluation.run_time.run_time_iterables import host_items
from rewriter.evaluation.run_time.run_time_objects import (
    changeable,
    host_type,
    made,
    run_time_cell,
    taken,
)
from rewriter.host_type_relations import widened
from rewriter.host_types import HostType, MixedListType, SequenceType
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


def numbered(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> Iterator[tuple[State, Value]]:
    """Yield a value with the number that a tensor holds in the tensor's place."""
    if isinstance(value, TensorValue):
        yield from item_of(frame, node, state, value)
    else:
        yield state, value


def sequence_item(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, kind: SequenceType,
    index: Value,
) -> Outcomes:  # fmt: skip
    """Evaluate ``items[index]`` and ``items[a:b]``; IndexError is raised at run time."""
    for after, position, is_slice in host_index(frame, node, state, index):
        expression = ast.Subscript(value=name_expression(cell.name), slice=position, ctx=ast.Load())
        if not is_slice:
            yield from taken(frame, node, after, expression, kind.element)
        elif kind.kind is collections.deque:
            error = TypeError("sequence index must be integer, not 'slice'")
            frame.run.raise_known(after, error)
        else:
            may_raise = not always_cuts(index)
            yield after, made(frame, node, after, expression, kind, may_raise=may_raise)


def always_cuts(index: Value) -> bool:
    """Return whether a slice is one of every sequence: of integers, in steps that are not 0."""
    match index:
        case SliceValue():
            parts = (index.start, index.stop, index.step)
        case Known(value=slice() as known):
            parts = (Known(known.start), Known(known.stop), Known(known.step))
        case _:
            return False
    step = parts[-1]
    return isinstance(step, Known) and step.value != 0 and all(map(_is_bound, parts))


def _is_bound(value: Value) -> bool:
    match value:
        case Known(value=bound):
            return bound is None or isinstance(bound, int)
        case ScalarValue(type=kind):
            return kind in (int, bool)
        case _:
            return False


def host_index(
    frame: Frame, node: cst.CSTNode, state: State, index: Value
) -> Iterator[tuple[State, ast.expr, bool]]:
    """Yield the expression of an index or slice, and which of the two it is."""
    if isinstance(index, Known) and isinstance(index.value, slice):
        index = SliceValue(*map(Known, (index.value.start, index.value.stop, index.value.step)))
    if not isinstance(index, SliceValue):
        for after, number in numbered(frame, node, state, index):
            yield after, _rendered(frame, node, after, number), False
        return
    for one, start in numbered(frame, node, state, index.start):
        for two, stop in numbered(frame, node, one, index.stop):
            for after, step in numbered(frame, node, two, index.step):
                bounds = [_rendered(frame, node, after, part) for part in (start, stop, step)]
                lower, upper, stride = (
                    None if isinstance(part, ast.Constant) and part.value is None else part
                    for part in bounds
                )
                yield after, ast.Slice(lower=lower, upper=upper, step=stride), True


def _rendered(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> ast.expr:
    try:
        return render(frame.run, state, value)
    except NotMaterial as error:
        frame.refuse("DYCL073", node, f"a run-time list is indexed by {error.reason}")


def set_sequence_item(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: RunTimeCell,
    index: Value, item: Value,
) -> list[State]:  # fmt: skip
    """Execute ``items[index] = item`` and ``items[a:b] = others``."""
    assert isinstance(cell.type, SequenceType)
    kind = cell.type
    if kind.kind is tuple:
        error = TypeError("'tuple' object does not support item assignment")
        frame.run.raise_known(state, error)
        return []
    changeable(frame, node, receiver)
    finished: list[State] = []
    for after, position, is_slice in host_index(frame, node, state, index):
        if not is_slice:
            content = put(frame, node, after, item, kind.element)
            _effect(frame, node, after, cell, "__setitem__", [position, content], True)
            finished.append(after)
            continue
        for done, expression in compatible(frame, node, after, kind.element, item):
            arguments = [sliced(position), expression]
            _effect(frame, node, done, cell, "__setitem__", arguments, _may_raise(position))
            finished.append(done)
    return finished


def delete_sequence_item(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: RunTimeCell,
    index: Value,
) -> list[State]:  # fmt: skip
    """Execute ``del items[index]`` and ``del items[a:b]``."""
    changeable(frame, node, receiver)
    finished: list[State] = []
    for after, position, is_slice in host_index(frame, node, state, index):
        place = sliced(position) if is_slice else position
        _effect(frame, node, after, cell, "__delitem__", [place], _may_raise(position))
        finished.append(after)
    return finished


def _may_raise(position: ast.expr) -> bool:
    """Return whether there may be nothing at a place, or too much for it."""
    return not isinstance(position, ast.Slice) or position.step is not None


def sliced(position: ast.expr) -> ast.expr:
    """Return ``slice(a, b, c)`` for ``a:b:c``."""
    assert isinstance(position, ast.Slice)
    none = ast.Constant(value=None)
    bounds = [part or none for part in (position.lower, position.upper, position.step)]
    return call_expression(ast.Name(id="slice", ctx=ast.Load()), bounds)


def compatible(
    frame: Frame, node: cst.CSTNode, state: State, element: HostType, added: Value
) -> Iterator[tuple[State, ast.expr]]:
    """Yield the expression of an iterable whose elements may go into a sequence."""
    known = isinstance(added, Reference) and isinstance(state.heap[added.identity], ListCell)
    if known or isinstance(added, TupleValue):
        items: tuple[Value, ...] = ()
        if isinstance(added, TupleValue):
            items = added.items
        elif isinstance(added, Reference):
            items = state.cell(added, ListCell).items
        expressions = [put(frame, node, state, item, element) for item in items]
        yield state, ast.List(elts=expressions, ctx=ast.Load())
        return
    for after, expression, given in host_items(frame, node, state, added):
        if not takes(after, element, given):
            frame.refuse(
                "DYCL073", node, "the elements of a list that grows at run time differ in structure"
            )
        yield after, expression


def to_run_time(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, also: Sequence[Value] = ()
) -> RunTimeCell:
    """Return the cell of a container that exists at run time only from here on.

    ``also`` are items that are put into it next: its elements are of their types as well.
    """
    assert isinstance(value, Reference)
    if run_time_cell(state, value) is None:
        given = host_type(frame, node, state, value)
        if not isinstance(given, SequenceType):
            _refuse_mixed(frame, node)
        for item in also:
            added = host_type(frame, node, state, item)
            state.places.decide(given.element, added)
            wider = widened(given.element, added)
            given = given if wider is None else SequenceType(wider, given.kind)
        make_run_time(frame, node, state, value, given)
    found = run_time_cell(state, value)
    assert found is not None
    if isinstance(found.type, MixedListType):
        _refuse_mixed(frame, node)
    return found


def _refuse_mixed(frame: Frame, node: cst.CSTNode) -> NoReturn:
    frame.refuse(
        "DYCL073", node, "a list whose items are of different types changes at run time",
        "keep all elements of a container alike: all tensors, all numbers",
    )  # fmt: skip


def _call(cell: RunTimeCell, name: str, arguments: list[ast.expr]) -> ast.Call:
    method = ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())
    return call_expression(method, arguments)


def _effect(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    arguments: list[ast.expr], may_raise: bool,
) -> None:  # fmt: skip
    call, origin = _call(cell, name, arguments), frame.origin(node)
    host_effect(frame.run, state, call, origin, may_raise=may_raise)
