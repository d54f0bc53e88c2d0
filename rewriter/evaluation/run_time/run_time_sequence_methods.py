"""Methods of lists, deques and tuples that exist at run time only: done by the host."""

import ast
from collections import deque
from collections.abc import Callable, Sequence

import libcst as cst

from rewriter.evaluation.host.host_statements import host_effect, host_scalar, host_value
from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.operators.identity import is_nan
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import changeable, host_type, made, taken
from rewriter.evaluation.run_time.run_time_sequences import compatible, numbered
from rewriter.evaluation.run_time.searching_in_code import (
    is_asked_in_code,
    searched_in_code,
)
from rewriter.host_type_properties import has_instance, has_tensor
from rewriter.host_types import HostType, SequenceType
from rewriter.state import State
from rewriter.values import (
    NONE,
    IteratorValue,
    Known,
    Reference,
    RunTimeCell,
    ScalarValue,
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
    if positional and is_asked_in_code(state, kind.element, positional[0]):
        in_code = searched_in_code(frame, node, state, receiver, name, kind.kind, positional)
        if in_code is not None:
            yield from in_code
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
    whole = name_expression(cell.name)
    yield from _asked(frame, node, state, whole, cell.kind, name, arguments, item)


def _asked(
    frame: Frame, node: cst.CSTNode, state: State, whole: ast.expr, kind: type, name: str,
    arguments: list[ast.expr], wanted: Value, first: int = 0,
) -> Outcomes:  # fmt: skip
    """Evaluate ``first + whole.index(...)``, ``whole.count(...)``.

    Where an exception may be caught, or the host's would have another text, it is tested before
    whether what is wanted is there.
    """
    run, origin = frame.run, frame.origin(node)
    call: ast.expr
    call = call_expression(ast.Attribute(value=whole, attr=name, ctx=ast.Load()), arguments)
    if first:
        call = ast.BinOp(left=ast.Constant(value=first), op=ast.Add(), right=call)
    may_raise = name == "index"
    shown_as_list = issubclass(kind, deque) and isinstance(whole, ast.List)
    can_be_cut = shown_as_list or not issubclass(kind, deque)
    tested = (run.guarded or shown_as_list) and (len(arguments) == 1 or can_be_cut)
    if not (may_raise and tested):
        yield state, host_scalar(run, state, call, int, origin, effect=True, may_raise=may_raise)
        return
    test = ast.Compare(left=arguments[0], ops=[ast.In()], comparators=[_part(whole, arguments[1:])])
    found = host_scalar(run, state, test, bool, origin, effect=True, may_raise=False)
    for after, is_there in truths(frame, node, state, found):
        if is_there:
            number = host_scalar(run, after, call, int, origin, effect=True, may_raise=False)
            yield after, number
        else:
            _raise_not_in(frame, node, after, kind, wanted)


def _part(whole: ast.expr, bounds: list[ast.expr]) -> ast.expr:
    """Return the expression of what ``whole.index(wanted, *bounds)`` looks through."""
    if not bounds:
        return whole
    lower, upper = (*bounds, None)[:2]
    return ast.Subscript(value=whole, slice=ast.Slice(lower=lower, upper=upper), ctx=ast.Load())


def _raise_not_in(frame: Frame, node: cst.CSTNode, state: State, kind: type, wanted: Value) -> None:
    from rewriter.evaluation.calls.calls import call_value
    from rewriter.evaluation.text.text_formatting import format_value

    if issubclass(kind, tuple):
        frame.run.raise_known(state, ValueError("tuple.index(x): x not in tuple"))
        return
    for after, shown in format_value(frame, node, state, wanted, Known(""), "r"):
        words = ast.Constant(value=f" is not in {'deque' if issubclass(kind, deque) else 'list'}")
        text = ast.BinOp(left=render(frame.run, after, shown), op=ast.Add(), right=words)
        message = host_value(frame.run, after, text, "", frame.origin(node))
        for done, error in call_value(frame, node, after, Known(ValueError), [message], {}):
            frame.run.raise_(done, error)


def searched(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], name: str,
    wanted: Value, of: type = list, first: int = 0, bounds: Sequence[Value] = (),
) -> Outcomes | None:  # fmt: skip
    """Return the outcomes of ``index`` or ``count`` in known items; None where not comparable.

    ``first`` is the place of the first of them, ``bounds`` are the numbers between which to look.
    """
    try:
        kinds = [type_of(state, value) for value in (*items, wanted)]
    except NoHostType:
        return None
    if any(has_tensor(kind) or has_instance(kind) for kind in kinds):
        return None
    if any(map(is_nan, (*items, wanted))):
        frame.refuse("DYCL053", node, _NAN)
    shown = [render(frame.run, state, item) for item in items]
    display: ast.expr = ast.List(elts=shown, ctx=ast.Load())
    if issubclass(of, tuple):
        display = ast.Tuple(elts=shown, ctx=ast.Load())
    arguments = [render(frame.run, state, value) for value in (wanted, *bounds)]
    asked = _asked(frame, node, state, display, of, name, arguments, wanted, first)
    places = range(first, first + len(items))
    return _bounded(frame, asked, places) if name == "index" else asked


def _bounded(frame: Frame, outcomes: Outcomes, places: range) -> Outcomes:
    """Yield numbers that are among these places."""
    for after, number in outcomes:
        assert isinstance(number, ScalarValue)
        frame.run.ranges[number.name] = places
        yield after, number


def _copy(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    del positional
    yield state, made(frame, node, state, _call(cell, name, []), cell.type, may_raise=False)


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
    call, origin = _call(cell, name, arguments), frame.origin(node)
    bounded = name == "insert" and issubclass(cell.kind, deque)
    host_effect(frame.run, state, call, origin, may_raise=bounded or name == "remove")
