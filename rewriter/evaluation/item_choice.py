"""Elements chosen by a number known only at run time: one path per element."""

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from rewriter.evaluation.comparisons import ordered
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.truth import item_of, truths
from rewriter.state import State
from rewriter.values import (
    Known,
    TensorValue,
    Value,
)


def choose_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    index: Value,
    kind: str = "list",
) -> Outcomes:
    """Index a container of known length by a run-time number: one path per element.

    ``kind`` is what Python calls the container when the index is out of range.
    """
    numbers = (
        item_of(frame, node, state, index)
        if isinstance(index, TensorValue)
        else iter([(state, index)])
    )
    for after, number in numbers:
        yield from _choose_position(frame, node, after, items, number, kind)


def _choose_position(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    index: Value,
    kind: str,
) -> Outcomes:
    if isinstance(index, Known):
        try:
            yield state, items[index.value]
        except Exception as error:
            frame.run.raise_known(state, error)
        return
    size = len(items)
    if size > frame.run.options.most_paths:
        frame.refuse("DYCL020", node, f"a run-time index chooses among {size} objects")
    choices = [(position, items[position]) for position in (*range(size), *range(-size, 0))]
    for after, chosen in _first_equal(frame, node, state, choices, index):
        if chosen is None:
            frame.run.raise_known(after, IndexError(f"{kind} index out of range"))
        else:
            yield after, chosen


def choose_value(
    frame: Frame, node: cst.CSTNode, state: State, items: Mapping[object, Value], index: Value
) -> Outcomes:
    """Index a dict by a run-time number, which must be one of its keys."""
    for after, chosen in _first_equal(frame, node, state, list(items.items()), index):
        if chosen is None:
            frame.refuse("DYCL051", node, "a dict is indexed by a number known only at run time")
        yield after, chosen


def _first_equal(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    choices: Sequence[tuple[object, Value]],
    index: Value,
) -> Iterator[tuple[State, Value | None]]:
    """Yield the choice whose key is the index, one path each; None where there is none."""
    pending = [state]
    for key, item in choices:
        still: list[State] = []
        for before in pending:
            for after, equal in ordered(frame, node, before, cst.Equal, index, Known(key)):
                for tested, truth in truths(frame, node, after, equal):
                    if truth:
                        yield tested, item
                    else:
                        still.append(tested)
        pending = still
    for after in pending:
        yield after, None
