"""Elements chosen by a number known only at run time: one path per element."""

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst
import numpy

from rewriter.evaluation.containers.hashed_keys import require_hashed_by_value
from rewriter.evaluation.containers.many_items import chosen_of_many
from rewriter.evaluation.host.numpy_numbers import plain_index
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import item_of, scalar_type, truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_lookups import looked_up_item, looked_up_value
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    ObjectCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


def choose_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    index: Value,
    kind: str = "list",
    table: Value | None = None,
) -> Outcomes:
    """Index a container of known length by a run-time number: one path per element.

    ``kind`` is what Python calls the container when it does not take the index; ``table`` is the
    container itself, which moves to the host where it holds too many for that.
    """
    no_index = TypeError("only integer tensors of a single element can be converted to an index")
    if isinstance(index, TensorValue) and scalar_type(index.fake.dtype) in (float, complex):
        frame.run.raise_known(state, no_index)
        return
    numbers = (
        item_of(frame, node, state, index, no_index)
        if isinstance(index, TensorValue)
        else iter([(state, index)])
    )
    for after, number in numbers:
        yield from _choose_position(frame, node, after, items, number, kind, table)


def _choose_position(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    index: Value,
    kind: str,
    table: Value | None,
) -> Outcomes:
    if isinstance(index, Known):
        try:
            yield state, items[index.value]
        except Exception as error:
            frame.run.raise_known(state, error)
        return
    size = len(items)
    index = plain_index(frame, node, state, index)
    looked_up = looked_up_item(frame, node, state, items, index, kind)
    if looked_up is not None:
        yield from looked_up
        return
    if isinstance(index, ScalarValue) and not _is_whole(frame, node, index):
        frame.run.raise_known(state, TypeError(_not_whole(index, kind)))
        return
    if size > frame.run.options.most_paths:
        yield from chosen_of_many(frame, node, state, table, index, f"index chooses among {size}")
        return
    within = range_of(frame, index)
    choices = [
        (position, items[position])
        for position in (*range(size), *range(-size, 0))
        if within is None or position in within
    ]
    certain = within is not None and len(within) == len(choices) > 0
    for after, chosen in first_equal(frame, node, state, choices, index, certain=certain):
        if chosen is None:
            called = "list" if kind == "module" else kind
            frame.run.raise_known(after, IndexError(f"{called} index out of range"))
        else:
            yield after, chosen


def _is_whole(frame: Frame, node: cst.CSTNode, index: ScalarValue) -> bool:
    """Return whether Python takes a number of this type as an index."""
    if index.type is None:
        frame.refuse("DYCL056", node, "the index is a number whose type depends on the path")
    return issubclass(index.type, int | numpy.integer)


def _not_whole(index: ScalarValue, kind: str) -> str:
    assert index.type is not None
    library = "numpy." if issubclass(index.type, numpy.generic) else ""
    name = f"{library}{index.type.__name__}"
    if kind == "module":
        return f"'{name}' object cannot be interpreted as an integer"
    return f"{kind} indices must be integers or slices, not {name}"


def range_of(frame: Frame, index: Value) -> range | None:
    """Return the numbers among which an index certainly is."""
    if not isinstance(index, ScalarValue):
        return None
    return range(2) if index.type is bool else frame.run.ranges.get(index.name)


def choose_value(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    table: Value,
    items: Mapping[object, Value],
    index: Value,
) -> Outcomes:
    """Index a dict by a run-time number or string: looked up by the host, or one path per key."""
    require_hashed_by_value(frame, node, index)
    looked_up = looked_up_value(frame, node, state, table, items, index)
    if looked_up is not None:
        yield from looked_up
        return
    if not isinstance(index, ScalarValue | HostValue | TupleValue):
        frame.refuse("DYCL051", node, "a dict is indexed by this kind of run-time value")
    if len(items) > frame.run.options.most_paths:
        among = f"key chooses among {len(items)}"
        yield from chosen_of_many(frame, node, state, table, index, among)
        return
    for after, chosen in first_equal(frame, node, state, list(items.items()), index):
        if chosen is None:
            arguments = {"args": TupleValue((index,))}
            frame.run.raise_(after, frame.run.allocate(after, ObjectCell(KeyError, arguments)))
            continue
        yield after, chosen


def chosen_value(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: Mapping[object, Value],
    key: Value,
    default: Value,
) -> Outcomes:
    """Evaluate ``table.get(key, default)``: one path per key."""
    require_hashed_by_value(frame, node, key)
    if len(items) > frame.run.options.most_paths:
        frame.refuse("DYCL020", node, f"a run-time key chooses among {len(items)} objects")
    for after, chosen in first_equal(frame, node, state, list(items.items()), key):
        yield after, default if chosen is None else chosen


def first_equal(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    choices: Sequence[tuple[object, Value]],
    index: Value,
    *,
    certain: bool = False,
) -> Iterator[tuple[State, Value | None]]:
    """Yield the choice whose key is the index, one path each; None where there is none.

    ``certain`` says that there is one: then it is the last where it is none before.
    """
    pending = [state]
    for key, item in choices[:-1] if certain else choices:
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
        yield after, choices[-1][1] if certain else None
