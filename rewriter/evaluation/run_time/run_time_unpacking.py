"""Unpacking of what exists at run time only: the host checks how many items there are."""

import ast
from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.host.host_statements import host_scalar, host_value
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_iterables import host_items
from rewriter.evaluation.run_time.run_time_objects import length_of, made, taken
from rewriter.host_types import HostType, SequenceType
from rewriter.state import State
from rewriter.values import Reference, RunTimeCell, Value

Parts = Iterator[tuple[State, tuple[Value, ...]]]


def run_time_parts(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, count: int, starred: list[int]
) -> Parts:
    """Yield the values of ``count`` targets, of which one may be starred."""
    for after, expression, element in host_items(frame, node, state, value):
        function = frame.run.builder.reference(list, "list")
        whole = call_expression(function, [expression])
        items = made(frame, node, after, whole, SequenceType(element))
        least = count - len(starred)
        size = length_of(frame, node, after, items)
        test = ast.Compare(
            left=render(frame.run, after, size),
            ops=[ast.Lt()],
            comparators=[ast.Constant(value=least)],
        )
        for arm, short in _tested(frame, node, after, test):
            if short:
                _not_enough(frame, node, arm, size, least, bool(starred))
            elif starred:
                yield from _with_star(frame, node, arm, items, element, count, starred[0])
            else:
                yield from _exactly(frame, node, arm, items, element, size, count)


def _tested(
    frame: Frame, node: cst.CSTNode, state: State, test: ast.expr
) -> Iterator[tuple[State, bool]]:
    flag = host_scalar(frame.run, state, test, bool, frame.origin(node))
    yield from truths(frame, node, state, flag)


def _not_enough(
    frame: Frame, node: cst.CSTNode, state: State, size: Value, least: int, starred: bool
) -> None:
    # How many there were is known only at run time.
    from rewriter.evaluation.calls.calls import call_value
    from rewriter.evaluation.text.text_formatting import format_value
    from rewriter.values import Known

    words = "at least " if starred else ""
    start = f"not enough values to unpack (expected {words}{least}, got "
    for after, text in format_value(frame, node, state, size, Known(""), None):
        before = ast.BinOp(
            left=ast.Constant(value=start), op=ast.Add(), right=render(frame.run, after, text)
        )
        whole = ast.BinOp(left=before, op=ast.Add(), right=ast.Constant(value=")"))
        message = host_value(frame.run, after, whole, "", frame.origin(node))
        for done, error in call_value(frame, node, after, Known(ValueError), [message], {}):
            frame.run.raise_(done, error)


def _exactly(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, element: HostType,
    size: Value, count: int,
) -> Parts:  # fmt: skip
    test = ast.Compare(
        left=render(frame.run, state, size),
        ops=[ast.Gt()],
        comparators=[ast.Constant(value=count)],
    )
    for arm, long in _tested(frame, node, state, test):
        if long:
            error = ValueError(f"too many values to unpack (expected {count})")
            frame.run.raise_known(arm, error)
        else:
            yield from _taken_at(frame, node, arm, items, element, list(range(count)))


def _taken_at(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, element: HostType,
    positions: list[int],
) -> Parts:  # fmt: skip
    name = state.cell(items, RunTimeCell).name
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for position in positions:
        found = ast.Subscript(value=name_expression(name), slice=_number(position), ctx=ast.Load())
        pending = [
            (after, (*so_far, item))
            for before, so_far in pending
            for after, item in taken(frame, node, before, found, element)
        ]
    yield from pending


def _number(value: int) -> ast.expr:
    number = ast.Constant(value=abs(value))
    return number if value >= 0 else ast.UnaryOp(op=ast.USub(), operand=number)


def _with_star(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, element: HostType,
    count: int, star: int,
) -> Parts:  # fmt: skip
    rest = count - star - 1
    positions = [*range(star), *range(-rest, 0)]
    for after, parts in _taken_at(frame, node, state, items, element, positions):
        name = name_expression(after.cell(items, RunTimeCell).name)
        bounds = ast.Slice(
            lower=_number(star) if star else None, upper=_number(-rest) if rest else None
        )
        middle = ast.Subscript(value=name, slice=bounds, ctx=ast.Load())
        listed = made(frame, node, after, middle, SequenceType(element))
        yield after, (*parts[:star], listed, *parts[star:])
