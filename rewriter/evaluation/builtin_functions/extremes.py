"""``min`` and ``max`` of items known at compile time, by keys known only at run time."""

import ast

import libcst as cst

from rewriter.evaluation.builtin_functions.sorting import compare_as_numbers
from rewriter.evaluation.containers.item_choice import choose_item
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.host_typing import NoHostType, common_type
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import NotMaterial, call_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.comparable import host_orders
from rewriter.evaluation.run_time.moving import make_run_time
from rewriter.evaluation.run_time.run_time_lookups import plain_item
from rewriter.evaluation.run_time.run_time_sequences import numbered, sequence_item
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import Known, ListCell, RunTimeCell, TensorValue, Value

Keyed = list[tuple[Value, Value]]
"""Items, each with what it is compared by."""

_FEW = 4
"""Up to so many keys of run time, each comparison is two paths: there are few, and all is known."""
_MANY = 12
"""More than so many are too many for that."""


def best_of(
    frame: Frame, node: cst.CSTNode, state: State, pairs: Keyed, symbol: type[cst.CSTNode]
) -> Outcomes:
    """Yield the first of the items that no other one is better than."""
    open_keys = sum(not isinstance(key, Known) for _, key in pairs)
    if open_keys <= _FEW:
        yield from _scan(frame, node, state, pairs, symbol)
        return
    items = tuple(item for item, _ in pairs)
    keys = _comparable(frame, node, state, [key for _, key in pairs])
    if keys is not None:
        yield from _on_host(frame, node, state, items, keys, symbol)
    elif open_keys <= _MANY:
        yield from _scan(frame, node, state, pairs, symbol)
    else:
        text = f"the best of {len(pairs)} items, by keys that the host does not compare"
        frame.refuse("DYCL020", node, text)


def _comparable(
    frame: Frame, node: cst.CSTNode, state: State, keys: list[Value]
) -> list[ast.expr] | None:
    """Return keys that the host compares as Python does, None where there are others."""
    tensors = [key.fake for key in keys if isinstance(key, TensorValue)]
    if any(size != 1 for fake in tensors for size in fake.shape):
        return None
    if tensors and not compare_as_numbers(keys):
        return None
    numbers: list[Value] = []
    for key in keys:
        ((state, number),) = numbered(frame, node, state, key)
        numbers.append(number)
    try:
        kind = common_type(state, tuple(numbers))
        return [render(frame.run, state, key) for key in numbers] if host_orders(kind) else None
    except (NoHostType, NotMaterial):
        return None


def _on_host(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...],
    keys: list[ast.expr], symbol: type[cst.CSTNode],
) -> Outcomes:  # fmt: skip
    """Let the host find the place of the best key."""
    function = min if symbol is cst.LessThan else max
    builder = frame.run.builder
    table = ast.List(elts=keys, ctx=ast.Load())
    places = call_expression(builder.reference(range, "range"), [ast.Constant(value=len(items))])
    found = call_expression(
        builder.reference(function, function.__name__),
        [places],
        {"key": ast.Attribute(value=table, attr="__getitem__", ctx=ast.Load())},
    )
    place = host_scalar(frame.run, state, found, int, frame.origin(node))
    frame.run.ranges[place.name] = range(len(items))
    if all(
        isinstance(item, Known) and type(item.value) is int and item.value == i
        for i, item in enumerate(items)
    ):
        yield state, place
        return
    yield from plain_item(frame, node, state, items, place) or _chosen(
        frame, node, state, items, place
    )


def _chosen(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], place: Value
) -> Outcomes:
    """Choose among objects: one path for each, or from a list of the host where they are many."""
    try:
        kind = SequenceType(common_type(state, items)) if len(items) > _MANY else None
    except NoHostType:
        kind = None
    if kind is None:
        yield from choose_item(frame, node, state, items, place)
        return
    listed = frame.run.allocate(state, ListCell(items))
    make_run_time(frame, node, state, listed, kind)
    yield from sequence_item(frame, node, state, state.cell(listed, RunTimeCell), kind, place)


def _scan(
    frame: Frame, node: cst.CSTNode, state: State, pairs: Keyed, symbol: type[cst.CSTNode]
) -> Outcomes:
    """Walk the items as Python does, keeping the best so far; one path per outcome."""
    best, *rest = pairs
    if not rest:
        yield state, best[0]
        return
    challenger, *others = rest
    for after, better in ordered(frame, node, state, symbol, challenger[1], best[1]):
        for tested, truth in truths(frame, node, after, better):
            winner = challenger if truth else best
            yield from _scan(frame, node, tested, [winner, *others], symbol)
