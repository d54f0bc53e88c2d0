"""Methods of lists, deques and tuples that exist at run time only: done by the host."""

import ast
from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.host.host_statements import host_effect, host_scalar
from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.operators.identity import is_nan
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import changeable, host_type, made, put, taken
from rewriter.evaluation.run_time.run_time_sequences import compatible, numbered
from rewriter.host_type_relations import has_instance, has_tensor
from rewriter.host_types import HostType, SequenceType
from rewriter.state import State
from rewriter.values import (
    NONE,
    IteratorValue,
    Reference,
    RunTimeCell,
    Value,
)

_CHANGING = frozenset(
    {"append", "appendleft", "insert", "extend", "extendleft", "pop", "popleft", "remove",
     "reverse", "clear", "sort", "rotate"}
)  # fmt: skip


def compared(
    frame: Frame, node: cst.CSTNode, state: State, element: HostType, value: Value
) -> ast.expr:
    """Return the expression of a value that the host compares with elements by ``==``."""
    given = host_type(frame, node, state, value)
    if any(has_tensor(part) or has_instance(part) for part in (given, element)):
        frame.refuse(
            "DYCL053", node, "tensors, or objects of a class, are compared in a run-time container"
        )
    if is_nan(value):
        frame.refuse("DYCL053", node, _NAN)
    return render(frame.run, state, value)


_NAN = "a NaN is looked for in a container of the host, which finds the very same object only"


def sequence_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: RunTimeCell,
    kind: SequenceType,
    name: str,
    positional: list[Value],
) -> Outcomes:
    """Evaluate a method of a list, deque or tuple; ``sort`` is elsewhere."""
    if name in _CHANGING:
        changeable(frame, node, receiver)
    if name == "extend" and isinstance(positional[0], IteratorValue) and kind.kind is not tuple:
        # Taking items is a loop that appends: a real cycle.
        from rewriter.evaluation.control.taking_items import filled

        for after in filled(frame, node, state, positional[0], receiver):
            yield after, NONE
        return
    rule = _METHODS.get(name)
    if rule is None or not hasattr(kind.kind, name):
        frame.refuse("DYCL073", node, f"method {name!r} of a run-time {kind.kind.__name__}")
    yield from rule(frame, node, state, cell, name, positional)


def _add(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    *place, item = positional
    for after, number in numbered(frame, node, state, place[0] if place else NONE):
        arguments = [render(frame.run, after, number)] if place else []
        arguments.append(put(frame, node, after, item, _element(cell)))
        _effect(frame, node, after, cell, name, arguments)
        yield after, NONE


def _extend(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    (added,) = positional
    for after, expression in compatible(frame, node, state, _element(cell), added):
        _effect(frame, node, after, cell, name, [expression])
        yield after, NONE


def _plain_effect(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    arguments = [render(frame.run, state, value) for value in positional]
    _effect(frame, node, state, cell, name, arguments)
    yield state, NONE


def _pop(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    for after, number in numbered(frame, node, state, positional[0] if positional else NONE):
        arguments = [render(frame.run, after, number)] if positional else []
        yield from taken(frame, node, after, _call(cell, name, arguments), _element(cell))


def _remove(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    (item,) = positional
    expression = compared(frame, node, state, _element(cell), item)
    _effect(frame, node, state, cell, name, [expression])
    yield state, NONE


def _search(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    item, *bounds = positional
    arguments = [compared(frame, node, state, _element(cell), item)]
    arguments += [render(frame.run, state, bound) for bound in bounds]
    expression = _call(cell, name, arguments)
    yield state, host_scalar(frame.run, state, expression, int, frame.origin(node), effect=True)


def searched(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], name: str,
    wanted: Value,
) -> Outcomes | None:  # fmt: skip
    """Return the outcomes of ``index`` or ``count`` in known items; None where not comparable."""
    try:
        kinds = [type_of(state, value) for value in (*items, wanted)]
    except NoHostType:
        return None
    if any(has_tensor(kind) or has_instance(kind) for kind in kinds):
        return None
    if any(map(is_nan, (*items, wanted))):
        frame.refuse("DYCL053", node, _NAN)
    display = ast.List(elts=[render(frame.run, state, item) for item in items], ctx=ast.Load())
    method = ast.Attribute(value=display, attr=name, ctx=ast.Load())
    call = call_expression(method, [render(frame.run, state, wanted)])
    number = host_scalar(frame.run, state, call, int, frame.origin(node), effect=True)
    if name == "index":
        frame.run.ranges[number.name] = range(len(items))
    return iter([(state, number)])


def _copy(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    del positional
    yield state, made(frame, node, state, _call(cell, name, []), cell.type)


_Method = Callable[[Frame, cst.CSTNode, State, RunTimeCell, str, list[Value]], Outcomes]
_METHODS: dict[str, _Method] = {
    "append": _add,
    "appendleft": _add,
    "insert": _add,
    "extend": _extend,
    "extendleft": _extend,
    "clear": _plain_effect,
    "reverse": _plain_effect,
    "rotate": _plain_effect,
    "pop": _pop,
    "popleft": _pop,
    "remove": _remove,
    "index": _search,
    "count": _search,
    "copy": _copy,
}


def _element(cell: RunTimeCell) -> HostType:
    assert isinstance(cell.type, SequenceType)
    return cell.type.element


def extended(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: RunTimeCell,
    added: Value,
) -> Outcomes:  # fmt: skip
    """Evaluate ``receiver += added`` of a run-time list."""
    assert isinstance(cell.type, SequenceType)
    yield from sequence_method(frame, node, state, receiver, cell, cell.type, "extend", [added])


def _call(cell: RunTimeCell, name: str, arguments: list[ast.expr]) -> ast.Call:
    method = ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())
    return call_expression(method, arguments)


def _effect(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    arguments: list[ast.expr],
) -> None:  # fmt: skip
    host_effect(frame.run, state, _call(cell, name, arguments), frame.origin(node))
