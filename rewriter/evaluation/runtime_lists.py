"""Lists that only exist at run time: Python lists of the host, all elements of one structure."""

import ast
from collections.abc import Hashable

import libcst as cst

from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.flattening import Flattening, Roots
from rewriter.program import HostSpec, HostStatement
from rewriter.state import State
from rewriter.values import (
    NONE,
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeListCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


def element_shape(state: State, value: Value) -> tuple[Hashable, ...]:
    """Return what two elements of one list must have in common."""
    return tuple(Flattening(state, Roots(frames=(), extra=(value,))).run().shape)


def holds_tensor(state: State, *values: Value) -> bool:
    """Return whether values, or what they contain, are tensors: their text is PyTorch's own."""
    return _mentions_tensor(tuple(Flattening(state, Roots(frames=(), extra=values)).run().shape))


def _mentions_tensor(token: Hashable) -> bool:
    return isinstance(token, tuple) and (
        token[:1] == ("tensor",) or any(_mentions_tensor(part) for part in token)
    )


def common_element(state: State, items: tuple[Value, ...]) -> Value | None:
    """Return how an element of the list looks, None where they differ in structure."""
    if not items or not all(_is_plain(item) for item in items):
        return None
    shapes = {element_shape(state, item) for item in items}
    return items[-1] if len(shapes) == 1 else None


def _is_plain(value: Value) -> bool:
    if isinstance(value, TupleValue):
        return value.kind is tuple and all(map(_is_plain, value.items))
    if isinstance(value, Known):
        return type(value.value) in (int, float, bool)
    return isinstance(value, TensorValue | ScalarValue | HostValue)


def make_run_time(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, element: Value | None
) -> None:
    """Let a list of known length exist at run time from here on."""
    cell = state.heap[reference.identity]
    if not isinstance(cell, ListCell):
        return
    if cell.kind is not list:
        frame.refuse("DYCL073", node, f"a {cell.kind.__name__} that grows in a loop")
    run = frame.run
    name = run.builder.variable("items", HostSpec(description="list"))
    for item in cell.items:
        keep(frame, item)
    expression = ast.List(elts=[render(run, state, item) for item in cell.items], ctx=ast.Load())
    run.builder.emit(
        state.block,
        HostStatement(target=name, expression=expression, origin=frame.origin(node), effect=True),
    )
    run.update(state, reference, RunTimeListCell(name, element))


def keep(frame: Frame, value: Value) -> None:
    """Record that host containers hold a tensor, which must not be written in place again."""
    if isinstance(value, TensorValue):
        frame.run.storages.hold(value.fake)
    elif isinstance(value, TupleValue):
        for item in value.items:
            keep(frame, item)


def length_of(frame: Frame, node: cst.CSTNode, state: State, reference: Reference) -> ScalarValue:
    """Return ``len(items)``."""
    cell = state.heap[reference.identity]
    assert isinstance(cell, RunTimeListCell)
    function = frame.run.builder.reference(len, "len")
    expression = call_expression(function, [name_expression(cell.name)])
    return frame.run.host_scalar(state, expression, int, frame.origin(node))


def element_at(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, index: Value
) -> Value:
    """Return ``items[index]``; IndexError is raised at run time."""
    cell = state.heap[reference.identity]
    assert isinstance(cell, RunTimeListCell)
    if cell.element is None:
        frame.refuse("DYCL073", node, "an element is read of a list whose elements are unknown")
    expression = ast.Subscript(
        value=name_expression(cell.name),
        slice=render(frame.run, state, index),
        ctx=ast.Load(),
    )
    return taken(frame, node, state, expression, cell.element)


def taken(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, like: Value
) -> Value:
    """Return the parts of a host object that looks like a given value."""
    run, origin = frame.run, frame.origin(node)
    match like:
        case TensorValue():
            return run.host_tensor(state, expression, like.fake, origin)
        case ScalarValue():
            return run.host_scalar(state, expression, like.type, origin, effect=True)
        case Known():
            return run.host_scalar(state, expression, type(like.value), origin, effect=True)
        case HostValue():
            return run.host_value(state, expression, like.sample, origin, effect=True)
        case TupleValue():
            whole = run.host_value(state, expression, (), origin, effect=True)
            parts = [
                ast.Subscript(
                    value=name_expression(whole.name),
                    slice=ast.Constant(value=position),
                    ctx=ast.Load(),
                )
                for position in range(len(like.items))
            ]
            return TupleValue(
                tuple(
                    taken(frame, node, state, part, item)
                    for part, item in zip(parts, like.items, strict=True)
                )
            )
        case _:
            frame.refuse("DYCL073", node, "an element of this kind in a run-time list")


def runtime_list_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: RunTimeListCell,
    name: str,
    positional: list[Value],
) -> Outcomes:
    """Evaluate a method of a run-time list: done by the host."""
    run = frame.run
    match name:
        case "append" | "insert":
            item = positional[-1]
            _check_element(frame, node, state, cell, item)
            keep(frame, item)
            _effect(frame, node, state, cell, name, positional)
            run.update(state, receiver, RunTimeListCell(cell.name, cell.element or item))
            yield state, NONE
        case "extend":
            yield from extend_run_time(frame, node, state, receiver, cell, positional[0])
        case "clear" | "reverse":
            _effect(frame, node, state, cell, name, positional)
            yield state, NONE
        case "pop" if cell.element is not None:
            expression = _call(frame, state, cell, name, positional)
            whole = run.host_value(state, expression, (), frame.origin(node), effect=True)
            yield state, taken(frame, node, state, name_expression(whole.name), cell.element)
        case "index" | "count" if isinstance(cell.element, ScalarValue | Known):
            expression = _call(frame, state, cell, name, positional)
            yield state, run.host_scalar(state, expression, int, frame.origin(node), effect=True)
        case "copy":
            expression = _call(frame, state, cell, name, positional)
            made = run.host_value(state, expression, [], frame.origin(node))
            yield state, run.allocate(state, RunTimeListCell(made.name, cell.element))
        case _:
            frame.refuse("DYCL073", node, f"list method {name!r} of a run-time list")


def extend_run_time(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: RunTimeListCell,
    added: Value,
) -> Outcomes:
    """Evaluate ``items.extend(added)`` and ``items += added``."""
    # Iterating tests run-time lists for their length: a real cycle.
    from rewriter.evaluation.iteration import items_of

    other = state.heap[added.identity] if isinstance(added, Reference) else None
    if isinstance(other, RunTimeListCell):
        if other.element is not None:
            _check_element(frame, node, state, cell, other.element)
        _effect(frame, node, state, cell, "extend", [added])
        element = cell.element or other.element
        frame.run.update(state, receiver, RunTimeListCell(cell.name, element))
        yield state, NONE
        return
    for after, items in items_of(frame, node, state, added):
        element = cell.element
        for item in items:
            _check_element(frame, node, after, RunTimeListCell(cell.name, element), item)
            keep(frame, item)
            element = element or item
        whole = frame.run.allocate(after, ListCell(items))
        _effect(frame, node, after, cell, "extend", [whole])
        frame.run.update(after, receiver, RunTimeListCell(cell.name, element))
        yield after, NONE


def _check_element(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeListCell, item: Value
) -> None:
    if not _is_plain(item):
        frame.refuse("DYCL073", node, "an element of this kind in a run-time list")
    if cell.element is not None and element_shape(state, item) != element_shape(
        state, cell.element
    ):
        frame.refuse(
            "DYCL073", node, "the elements of a list that grows at run time differ in structure"
        )


def _call(
    frame: Frame, state: State, cell: RunTimeListCell, name: str, arguments: list[Value]
) -> ast.Call:
    method = ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())
    return call_expression(method, [render(frame.run, state, value) for value in arguments])


def _effect(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    cell: RunTimeListCell,
    name: str,
    arguments: list[Value],
) -> None:
    frame.run.host_effect(state, _call(frame, state, cell, name, arguments), frame.origin(node))
