"""Comparisons: ``<``, ``==``, ``is`` and chains of them, on any mix of binding times."""

import ast
import operator
import types
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Any

import libcst as cst

from rewriter.evaluation.containers.containers import mapping_items, sequence_items
from rewriter.evaluation.instances.generated_methods import (
    compared_fields,
    is_compared_otherwise,
    is_instance,
    ordered_fields,
)
from rewriter.evaluation.instances.stood_for import lacks
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.operators.drawn_fractions import certain_of_drawn
from rewriter.evaluation.operators.elements import one_or_equal
from rewriter.evaluation.operators.identity import (
    equals_itself,
    identical,
    refuse_nan,
    surely_identical,
)
from rewriter.evaluation.operators.operator_application import apply_operator
from rewriter.evaluation.operators.operator_methods import with_methods
from rewriter.evaluation.operators.record_comparisons import compared_records
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.operators.unlike import never_equal
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_operators import host_comparison
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Reference,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)

COMPARE: dict[type[cst.CSTNode], tuple[type[ast.cmpop], Callable[[Any, Any], Any], str, str]] = {
    cst.LessThan: (ast.Lt, operator.lt, "lt", "gt"),
    cst.GreaterThan: (ast.Gt, operator.gt, "gt", "lt"),
    cst.LessThanEqual: (ast.LtE, operator.le, "le", "ge"),
    cst.GreaterThanEqual: (ast.GtE, operator.ge, "ge", "le"),
    cst.Equal: (ast.Eq, operator.eq, "eq", "eq"),
    cst.NotEqual: (ast.NotEq, operator.ne, "ne", "ne"),
}


def ordered(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes:
    """Apply ``<``, ``==`` and the like."""
    _, _, name, mirrored = COMPARE[kind]
    return with_methods(
        frame,
        node,
        state,
        (left, right),
        f"__{name}__",
        f"__{mirrored}__",
        lambda after: _ordered(frame, node, after, kind, left, right),
    )


def _ordered(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes:
    """Compare where no class of the user's says how."""
    symbol, function, _, _ = COMPARE[kind]
    certain = certain_of_drawn(frame.run, function, left, right)
    if certain is not None:
        return iter([(state, Known(certain))])
    if isinstance(left, Reference | TupleValue) or isinstance(right, Reference | TupleValue):
        records = compared_records(
            frame, node, state, kind, (left, right),
            lambda after, one, other: ordered(frame, node, after, kind, one, other),
        )  # fmt: skip
        if records is not None:
            return records
        on_host = host_comparison(frame, node, state, left, right, symbol())
        if on_host is not None:
            return on_host
        structural = never_equal(state, kind, left, right) or _structural(
            frame, node, state, kind, left, right
        )
        if structural is not None:
            return structural
    if isinstance(left, Known) and isinstance(left.value, types.TracebackType):
        identical(frame, node, state, left, right)  # which is refused for two
    return apply_operator(
        frame,
        node,
        state,
        (left, right),
        function,
        lambda parts: ast.Compare(left=parts[0], ops=[symbol()], comparators=[parts[1]]),
        may_raise=False,
    )


def _structural(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes | None:
    """Compare containers with run-time parts element by element (``==`` and ``!=``)."""
    if known_object(state, left) is not None and known_object(state, right) is not None:
        return None
    if kind not in (cst.Equal, cst.NotEqual):
        return _in_order(frame, node, state, kind, left, right)

    if isinstance(left, Reference) and isinstance(right, Reference):
        compared = compared_fields(state, left, right)
        if compared is not None:
            return _elementwise(frame, node, state, kind, compared)
    _refuse_dataclasses(frame, node, state, left, right)
    if is_instance(state, left) or is_instance(state, right):
        equal = _is_itself(frame, node, state, left, right)
        return iter([(state, Known(equal is (kind is cst.Equal)))])
    as_mappings = _equal_mappings(frame, node, state, kind, left, right)
    if as_mappings is not None:
        return as_mappings
    left_items, right_items = sequence_items(state, left), sequence_items(state, right)
    if left_items is None or right_items is None:
        return None
    if isinstance(left, ViewValue) or isinstance(right, ViewValue):
        return None
    alike = _sequence_class(state, left) is _sequence_class(state, right)
    if len(left_items) != len(right_items) or not alike:
        return iter([(state, Known(kind is cst.NotEqual))])
    return _elementwise(frame, node, state, kind, list(zip(left_items, right_items, strict=True)))


def _refuse_dataclasses(frame: Frame, node: cst.CSTNode, state: State, *values: Value) -> None:
    for value in values:
        own = class_of(state, value)
        if own is not None and is_compared_otherwise(own):
            frame.refuse("DYCL038", node, f"a {own.__name__} is compared")


def _is_itself(frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value) -> bool:
    """Return whether objects are equal where no class says what is: only an object itself is."""
    for value, other in ((left, right), (right, left)):
        own = class_of(state, value)
        if own is not None and lacks(own, "__eq__") and not isinstance(other, Known):
            frame.refuse("DYCL038", node, f"a {own.__name__} is compared")
    if not isinstance(left, Reference) or not isinstance(right, Reference):
        return False
    return identical(frame, node, state, left, right)


def _equal_mappings(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes | None:
    """Compare two dicts, or a dict and a list; None for others, and for what counts.

    Keys that a Counter has not are zero.
    """
    ours, theirs = mapping_items(state, left), mapping_items(state, right)
    if ours is None or theirs is None:
        other = sequence_items(state, left if ours is None else right)
        unlike = ours is not theirs and other is not None
        return iter([(state, Known(kind is cst.NotEqual))]) if unlike else None
    classes = [class_of(state, value) or dict for value in (left, right)]
    if any(issubclass(each, Counter) for each in classes):
        return None
    in_order = all(issubclass(each, OrderedDict) for each in classes)
    if ours.keys() != theirs.keys() or (in_order and list(ours) != list(theirs)):
        return iter([(state, Known(kind is cst.NotEqual))])
    return _elementwise(frame, node, state, kind, [(ours[key], theirs[key]) for key in ours])


def _in_order(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes | None:
    """Compare two lists, two tuples or two dataclasses by ``<`` and the like; None for others."""
    left, right = ordered_fields(state, (left, right)) or (left, right)
    left_items, right_items = sequence_items(state, left), sequence_items(state, right)
    if left_items is None or right_items is None:
        return None
    if class_of(state, left) is not class_of(state, right):
        return None
    return _first_difference(frame, node, state, kind, left_items, right_items)


def _first_difference(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: tuple[Value, ...],
    right: tuple[Value, ...],
) -> Outcomes:
    """The first elements that are not equal decide, or else the lengths."""
    if not left or not right:
        yield state, Known(COMPARE[kind][1](len(left), len(right)))
        return
    for after, equal in _elementwise(frame, node, state, cst.Equal, [(left[0], right[0])]):
        if isinstance(equal, Known) and equal.value:
            yield from _first_difference(frame, node, after, kind, left[1:], right[1:])
        else:
            yield from ordered(frame, node, after, kind, left[0], right[0])


def _sequence_class(state: State, value: Value) -> type:
    """Return which of the builtin sequences a value is: only those of one class are equal."""
    if isinstance(value, Reference):
        kind = state.cell(value, ListCell).kind
    else:
        kind = type(value.value) if isinstance(value, Known) else tuple
    return next(base for base in (list, tuple, deque) if issubclass(kind, base))


def _is_one_tensor(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value
) -> bool:
    """Return whether two elements are the same tensor, which Python does not compare then.

    Tensors that were in containers of run time are compared: they may be the same, and if they have
    several elements that raises, but most are behind a number that is never equal.
    """
    if not (isinstance(left, TensorValue) and isinstance(right, TensorValue)):
        return False
    if not frame.run.storages.contained.isdisjoint({left.name, right.name}):
        return False
    if left is not right and equals_itself(left):
        return False  # comparing them says the same
    return identical(frame, node, state, left, right)


def _elementwise(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    pairs: list[tuple[Value, Value]],
) -> Outcomes:
    if not pairs:
        yield state, Known(kind is cst.Equal)
        return
    (left, right), *rest = pairs
    if surely_identical(left, right) or _is_one_tensor(frame, node, state, left, right):
        yield from _elementwise(frame, node, state, kind, rest)
        return
    refuse_nan(frame, node, left, right)
    found = one_or_equal(frame, node, state, left, right)
    for after, result in found or ordered(frame, node, state, cst.Equal, left, right):
        for tested, truth in truths(frame, node, after, result):
            if truth:
                yield from _elementwise(frame, node, tested, kind, rest)
            else:
                yield tested, Known(kind is cst.NotEqual)
