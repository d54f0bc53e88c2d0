"""Elements chosen by a number known only at run time: one path per element."""

import ast
from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.comparisons import ordered
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.runtime_lists import common_element, keep, taken
from rewriter.evaluation.truth import item_of, truths
from rewriter.state import State
from rewriter.values import (
    Known,
    TensorValue,
    Value,
)


def choose_item(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], index: Value
) -> Outcomes:
    """Index a container of known length by a run-time number: one path per element."""
    if isinstance(index, TensorValue):
        for after, number in item_of(frame, node, state, index):
            yield from _choose_scalar(frame, node, after, items, number, ordered, truths)
        return
    yield from _choose_scalar(frame, node, state, items, index, ordered, truths)


def _choose_scalar(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    index: Value,
    ordered: Callable[..., Outcomes],
    truths: Callable[..., object],
) -> Outcomes:
    if isinstance(index, Known):
        try:
            yield state, items[index.value]  # type: ignore[index]
        except Exception as error:
            frame.run.raise_known(state, error)
        return
    like = common_element(state, items)
    if like is not None:
        display = ast.Tuple(elts=[render(frame.run, state, item) for item in items], ctx=ast.Load())
        for item in items:
            keep(frame, item)
        position = render(frame.run, state, index)
        chosen = ast.Subscript(value=display, slice=position, ctx=ast.Load())
        yield state, taken(frame, node, state, chosen, like)
        return
    if frame.run.rolling:
        frame.refuse("DYCL056", node, "each iteration takes another object: unroll the loop")
    if len(items) > frame.run.options.most_paths:
        frame.refuse("DYCL020", node, f"a run-time index chooses among {len(items)} objects")
    pending = [state]
    size = len(items)
    for position in (*range(size), *range(-size, 0)):
        still: list[State] = []
        for before in pending:
            for after, equal in ordered(frame, node, before, cst.Equal, index, Known(position)):
                for tested, truth in truths(frame, node, after, equal):  # type: ignore[attr-defined]
                    if truth:
                        yield tested, items[position]
                    else:
                        still.append(tested)
        pending = still
    for after in pending:
        frame.run.raise_known(after, IndexError("list index out of range"))


def choose_value(
    frame: Frame, node: cst.CSTNode, state: State, items: dict[object, Value], index: Value
) -> Outcomes:

    pending = [state]
    for key, item in items.items():
        still: list[State] = []
        for before in pending:
            for after, equal in ordered(frame, node, before, cst.Equal, index, Known(key)):
                for tested, truth in truths(frame, node, after, equal):
                    if truth:
                        yield tested, item
                    else:
                        still.append(tested)
        pending = still
    if pending:
        frame.refuse("DYCL051", node, "a dict is indexed by a number known only at run time")
