"""``in`` and ``not in``."""

import ast
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_member
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.containers.hashed_keys import (
    keys_of,
    not_hashed,
    searched_as,
)
from rewriter.evaluation.containers.identity_keys import (
    called_with_key,
    is_tensor_key,
    takes_own_key,
)
from rewriter.evaluation.containers.searched_arrays import comparable, in_tensor, is_array
from rewriter.evaluation.containers.searched_items import candidates
from rewriter.evaluation.containers.searching import is_long
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.instances.user_classes import is_asked_by_place, method_of, user_method
from rewriter.evaluation.operators.boolean_operators import negation
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.elements import one_or_equal
from rewriter.evaluation.operators.identity import (
    equals_itself,
    identical,
    refuse_nan,
    surely_identical,
)
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.hashed_instances import (
    handle_of,
    is_hashed_by_identity,
    is_hashed_on_host,
)
from rewriter.evaluation.run_time.run_time_iterables import host_iterable
from rewriter.evaluation.run_time.run_time_kinds import element_of
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.evaluation.run_time.run_time_sequence_methods import compared
from rewriter.evaluation.run_time.searching_in_code import is_asked_in_code
from rewriter.host_types import TEXT, HostType, NumberType, SequenceType, TypeVariable
from rewriter.prelude import searching
from rewriter.state import State
from rewriter.values import (
    HostValue,
    IteratorValue,
    Known,
    Reference,
    RunTimeRange,
    ScalarValue,
    SetCell,
    TensorValue,
    Value,
    ViewValue,
)

_CONTAINS = Known(searching.contains)


def contains(
    frame: Frame, node: cst.CSTNode, state: State, item: Value, container: Value, negated: bool
) -> Outcomes:
    """Evaluate ``item in container``, or its negation."""
    container = searched_as(container)
    asked = _asked(frame, node, state, item, container)
    if asked is not None:
        for after, result in asked:
            yield from negation(frame, node, after, result) if negated else [(after, result)]
        return
    if isinstance(container, Reference) and isinstance(
        cell := state.heap[container.identity], SetCell
    ):
        container = Known(cell.items)
    found = is_tensor_key(frame, node, state, item, container)
    if found is not None:
        yield state, Known(found is not negated)
        return
    error = _misfit(frame, node, state, item, container)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    on_host = _on_host(frame, node, state, item, container, negated)
    if on_host is not None:
        yield from on_host
        return
    known = known_object(state, item)
    content = (
        None if _says_what_is_equal(state, item, container) else _known_content(state, container)
    )
    if known is not None and content is not None:
        yield from _known_membership(frame, state, known, content.value, negated)
        return
    if isinstance(container, TensorValue) or is_array(container):
        yield from in_tensor(frame, node, state, item, container, negated)
        return
    items = candidates(state, container)
    if items is None or not comparable((item, *items)):
        frame.refuse("DYCL053", node, "`in` is not supported between these values")
    yield from _search(frame, node, state, item, items, negated)


def _misfit(
    frame: Frame, node: cst.CSTNode, state: State, item: Value, container: Value
) -> TypeError | None:
    kind = type(container.value) if isinstance(container, Known) else None
    if kind is not None and not any(hasattr(kind, name) for name in _SEARCHED):
        return TypeError(f"argument of type '{kind.__name__}' is not iterable")
    return not_hashed(frame, node, state, item) if _is_hashed(state, container) else None


_SEARCHED = ("__contains__", "__iter__", "__getitem__")
"""What ``in`` asks an object for: None is nothing to search in."""


def _is_hashed(state: State, container: Value) -> bool:
    """Return whether a container of known structure is searched by hash."""
    if isinstance(container, ViewValue):
        return container.part == "keys"
    in_set = isinstance(container, Known) and isinstance(container.value, set | frozenset)
    return in_set or keys_of(state, container) is not None


def _asked(
    frame: Frame, node: cst.CSTNode, state: State, item: Value, container: Value
) -> Outcomes | None:
    """Return what users' classes say to ``item in container``, as bools; None if they say nothing.

    A list of the host is asked item by item where its objects, or the item, may say.
    """
    method = method_of(state, container, "__contains__")
    if method is not None:
        return (
            (tested, Known(truth))
            for after, result in call_value(frame, node, state, method, [item], {})
            for tested, truth in truths(frame, node, after, result)
        )
    is_tensor = isinstance(item, TensorValue)
    if isinstance(container, Reference) and not is_tensor and takes_own_key(state, container, item):
        return called_with_key(frame, node, state, container, "__contains__", [item])
    if isinstance(container, Known) and isinstance(container.value, list | tuple):
        return None  # Python looks at the items themselves, whatever its class says that they are
    is_walked = isinstance(container, IteratorValue) or is_asked_by_place(state, container)
    if is_walked or method_of(state, container, "__iter__") is not None:
        return call_value(frame, node, state, Known(searching.gives), [container, item], {})
    cell = run_time_cell(state, container)
    if cell is None or not isinstance(cell.type, SequenceType):
        return None
    if not is_asked_in_code(state, cell.type.element, item):
        return None
    return call_value(frame, node, state, _CONTAINS, [container, item], {})


def _says_what_is_equal(state: State, item: Value, container: Value) -> bool:
    """Return whether a user's ``__eq__`` is asked, which may do more than tell."""
    items = sequence_items(state, container)
    return items is not None and any(
        isinstance(each, Known) and user_method(type(each.value), "__eq__") is not None
        for each in (item, *items)
    )


def _on_host(
    frame: Frame, node: cst.CSTNode, state: State, item: Value, container: Value, negated: bool
) -> Outcomes | None:
    """Return the outcomes where the host searches, None where the elements are known."""
    searched = Reference(container.identity) if isinstance(container, ViewValue) else container
    cell = run_time_cell(state, searched)
    if isinstance(container, HostValue) and isinstance(container.sample, str):
        error = misfit_of_member(state, container.sample, item)
        if error is not None:
            frame.run.raise_known(state, error)
            return iter(())
        element: HostType = TEXT
    elif cell is not None and (kind := element_of(state, container)) is not None:
        element = kind
    elif isinstance(container, RunTimeRange):
        element = NumberType(int)
    elif known_object(state, item) is None and is_long(container):
        element = TypeVariable()
    else:
        return None
    if is_hashed_on_host(state, container) and is_hashed_by_identity(state, item):
        expression = handle_of(frame, node, state, item, element)
    else:
        expression = compared(frame, node, state, element, item)
    return _searched(frame, node, state, expression, container, negated)


def _searched(
    frame: Frame, node: cst.CSTNode, state: State, item: ast.expr, container: Value, negated: bool
) -> Outcomes:
    symbol = ast.NotIn() if negated else ast.In()
    if isinstance(container, Known):
        content: ast.expr = frame.run.builder.reference(
            container.value, frame.run.path_of(container)
        )
        starts = (item for item in [(state, content)])
    else:
        starts = (
            (after, found) for after, found, _ in host_iterable(frame, node, state, container)
        )
    for after, whole in starts:
        test = ast.Compare(left=item, ops=[symbol], comparators=[whole])
        origin = frame.origin(node)
        found = host_scalar(frame.run, after, test, bool, origin, effect=True, may_raise=False)
        yield after, found


def _known_content(state: State, container: Value) -> Known | None:
    """Return what is searched where that is known: for a dict its keys."""
    mapping = keys_of(state, container)
    return known_object(state, container) if mapping is None else Known(mapping)


def _known_membership(
    frame: Frame, state: State, item: Known, content: Any, negated: bool
) -> Outcomes:
    try:
        found = item.value in content
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, Known(found is not negated)


def _search(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    item: Value,
    items: tuple[Value, ...],
    negated: bool,
) -> Outcomes:
    if not items:
        yield state, Known(negated)
        return
    first, *rest = items
    if isinstance(item, ScalarValue) and isinstance(first, Known) and first.value is None:
        yield from _search(frame, node, state, item, tuple(rest), negated)
        return
    if surely_identical(item, first):
        yield state, Known(not negated)
        return
    asked = item is first or not equals_itself(item)
    tensors = asked and _is_tensor(item) and _is_tensor(first)
    if tensors and identical(frame, node, state, item, first):
        yield state, Known(not negated)
        return
    refuse_nan(frame, node, first, item)
    found = one_or_equal(frame, node, state, first, item)
    for after, equal in found or ordered(frame, node, state, cst.Equal, first, item):
        for tested, truth in truths(frame, node, after, equal):
            if truth:
                yield tested, Known(not negated)
            else:
                yield from _search(frame, node, tested, item, tuple(rest), negated)


def _is_tensor(value: Value) -> bool:
    return isinstance(value, TensorValue) or (
        isinstance(value, Known) and isinstance(value.value, torch.Tensor)
    )
