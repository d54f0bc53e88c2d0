"""``sorted``, ``list.sort``, ``min`` and ``max`` over items known at compile time."""

import ast
from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.rendering import (
    call_expression,
    known_object,
    name_expression,
    render,
)
from rewriter.evaluation.run import Frame
from rewriter.evaluation.runtime_lists import common_element, keep, taken
from rewriter.evaluation.truth import item_of
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

_NUMBERS = (bool, int, float)


def keys_of(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], key: Value | None
) -> Iterator[tuple[State, list[Value]]]:
    """Yield the sort keys of items."""
    if key is None or (isinstance(key, Known) and key.value is None):
        yield state, list(items)
        return
    if not items:
        yield state, []
        return
    for after, first in call_value(frame, node, state, key, [items[0]], {}):
        for done, rest in keys_of(frame, node, after, items[1:], key):
            yield done, [first, *rest]


def sorted_items(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield the items in sorted order (stable, as Python's)."""
    reverse_value = known_object(state, keywords.get("reverse", Known(False)))
    if reverse_value is None:
        frame.refuse("DYCL052", node, "the direction of sorting is known only at run time")
    for after, keys in keys_of(frame, node, state, items, keywords.get("key")):
        knowns = [known_object(after, key) for key in keys]
        if None in knowns and len(items) > 1:
            yield _sorted_on_host(frame, node, after, items, keys, bool(reverse_value.value))
            continue
        values = [known.value if known is not None else 0 for known in knowns]
        try:
            order = sorted(
                range(len(items)),
                key=lambda index: values[index],
                reverse=bool(reverse_value.value),
            )
        except Exception as error:
            frame.run.raise_known(after, error)
            continue
        yield after, tuple(items[index] for index in order)


def _sorted_on_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keys: list[Value],
    reverse: bool,
) -> tuple[State, tuple[Value, ...]]:
    """Sort by run-time numbers: the host sorts triples of key, place and item."""
    run = frame.run
    like = common_element(state, items)
    numbers: list[Value] = []
    for key in keys:
        if isinstance(key, TensorValue):
            ((state, key),) = item_of(frame, node, state, key)
        numbers.append(key)
    plain = all(
        isinstance(key, ScalarValue) or (isinstance(key, Known) and isinstance(key.value, _NUMBERS))
        for key in numbers
    )
    if like is None or not plain:
        frame.refuse(
            "DYCL052", node, "sorting items of different structure by keys known only at run time"
        )
    # Equal keys keep their order, as in Python's stable sort: the place decides.
    places = range(len(items) - 1, -1, -1) if reverse else range(len(items))
    triples = [
        ast.Tuple(
            elts=[render(run, state, key), ast.Constant(value=place), render(run, state, item)],
            ctx=ast.Load(),
        )
        for key, place, item in zip(numbers, places, items, strict=True)
    ]
    for item in items:
        keep(frame, item)
    expression = call_expression(
        run.builder.reference(sorted, "sorted"),
        [ast.List(elts=list(triples), ctx=ast.Load())],
        {"reverse": ast.Constant(value=True)} if reverse else {},
    )
    ordered = run.host_value(state, expression, [], frame.origin(node))
    taken_items = tuple(
        taken(
            frame,
            node,
            state,
            ast.Subscript(
                value=ast.Subscript(
                    value=name_expression(ordered.name),
                    slice=ast.Constant(value=position),
                    ctx=ast.Load(),
                ),
                slice=ast.Constant(value=2),
                ctx=ast.Load(),
            ),
            like,
        )
        for position in range(len(items))
    )
    return state, taken_items
