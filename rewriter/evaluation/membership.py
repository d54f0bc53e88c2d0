"""``in`` and ``not in``."""

import libcst as cst
from torch import nn

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.comparisons import ordered
from rewriter.evaluation.containers import mapping_items, sequence_items
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.truth import truths
from rewriter.evaluation.user_classes import method_of
from rewriter.state import State
from rewriter.values import Known, Reference, ScalarValue, SetCell, TensorValue, Value


def contains(
    frame: Frame, node: cst.CSTNode, state: State, item: Value, container: Value, negated: bool
) -> Outcomes:
    """Evaluate ``item in container``, or its negation."""
    method = method_of(state, container, "__contains__")
    if method is not None:
        for after, result in call_value(frame, node, state, method, [item], {}):
            for tested, truth in truths(frame, node, after, result):
                yield tested, Known(truth is not negated)
        return
    if isinstance(container, Reference) and isinstance(
        cell := state.heap[container.identity], SetCell
    ):
        container = Known(cell.items)
    known_item, known_container = known_object(state, item), known_object(state, container)
    mapping = mapping_items(state, container)
    if known_item is not None and (known_container is not None or mapping is not None):
        content = mapping if mapping is not None else known_container.value  # type: ignore[union-attr]
        if isinstance(content, nn.ModuleDict):
            content = list(content.keys())
        try:
            found = known_item.value in content  # type: ignore[operator]
        except Exception as error:
            frame.run.raise_known(state, error)
            return
        yield state, Known(found is not negated)
        return
    items = sequence_items(state, container)
    if items is None and mapping is not None:
        items = tuple(map(Known, mapping))
    if (
        items is None
        and known_container is not None
        and isinstance(known_container.value, set | frozenset | range)
    ):
        items = tuple(map(Known, sorted(known_container.value)))
    if items is None or any(isinstance(part, TensorValue) for part in (item, *items)):
        frame.refuse("DYCL053", node, "`in` is not supported between these values")
    yield from _search(frame, node, state, item, items, negated)


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
    if isinstance(item, ScalarValue) and isinstance(first, ScalarValue) and item.name == first.name:
        yield state, Known(not negated)  # the same object, as Python asks first
        return
    for after, equal in ordered(frame, node, state, cst.Equal, first, item):
        for tested, truth in truths(frame, node, after, equal):
            if truth:
                yield tested, Known(not negated)
            else:
                yield from _search(frame, node, tested, item, tuple(rest), negated)
