"""``index`` and ``count`` of lists, deques and tuples of known length; sets asked item by item."""

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.elements import one_or_equal
from rewriter.evaluation.operators.identity import refuse_nan, sameness
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import known_object, tensor_of, whole_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_sequence_methods import searched
from rewriter.evaluation.run_time.searching_in_code import (
    is_own_object,
    not_in,
    searched_in_code,
)
from rewriter.host_types import SetType
from rewriter.prelude import searching
from rewriter.state import State
from rewriter.values import (
    IteratorValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TupleValue,
    Value,
)

_BOUND = Known(searching.bound)
_ITEM_BY_ITEM: dict[str, Callable[..., object]] = {
    "isdisjoint": searching.has_none_of,
    "issuperset": searching.has_all_of,
}
"""Methods of sets that take from an iterator no more than they must see."""


def item_by_item(
    state: State, receiver: Value, name: str, given: Sequence[Value]
) -> Callable[..., object] | None:
    """Return what stands for a method of a set that walks over an iterator as far as needed."""
    if name not in _ITEM_BY_ITEM or len(given) != 1 or not isinstance(given[0], IteratorValue):
        return None
    cell = state.heap[receiver.identity] if isinstance(receiver, Reference) else None
    is_set = isinstance(cell, SetCell)
    is_set = is_set or (isinstance(cell, RunTimeCell) and isinstance(cell.type, SetType))
    return _ITEM_BY_ITEM[name] if is_set else None


def index_of(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], wanted: Value,
    bounds: Sequence[Value], kind: type,
) -> Outcomes:  # fmt: skip
    """``items.index(wanted, *bounds)`` of a list, deque or tuple."""
    knowns = [known_object(state, bound) for bound in bounds]
    if None in knowns:
        yield from _index_between(frame, node, state, items, wanted, (), bounds, kind)
        return
    limits = [known.value for known in knowns if known is not None]
    try:
        [None][:0].index(None, *limits)
    except TypeError as error:  # a bound is no integer
        frame.run.raise_known(state, error)
        return
    except ValueError:
        pass
    start, stop, _ = slice(*limits, *[None] * (2 - len(limits))).indices(len(items))
    if whole_object(state, wanted) is None:
        on_host = searched(frame, node, state, items[start:stop], "index", wanted, kind, start)
        if on_host is not None:
            yield from on_host
            return
    for after, index in first_equal(frame, node, state, items[:stop], wanted, start):
        if index is not None:
            yield after, Known(index)
            continue
        frame.run.raise_known(after, not_in(after, wanted, kind, "index"))


def _index_between(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], wanted: Value,
    numbers: tuple[Value, ...], bounds: Sequence[Value], kind: type,
) -> Outcomes:  # fmt: skip
    """``items.index(wanted, *numbers, *bounds)``, where some bound is known at run time only."""
    if bounds:
        first, *rest = bounds
        for after, number in call_value(frame, node, state, _BOUND, [first], {}):
            both = (*numbers, number)
            yield from _index_between(frame, node, after, items, wanted, both, rest, kind)
        return
    on_host = searched(frame, node, state, items, "index", wanted, kind, bounds=numbers)
    if on_host is None:
        listed = frame.run.allocate(state, ListCell(items))
        on_host = searched_in_code(
            frame, node, state, listed, "index", kind, [wanted, *numbers]
        )  # fmt: skip
    assert on_host is not None
    yield from on_host


def count_of(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], wanted: Value
) -> Outcomes:
    """``items.count(wanted)``."""
    knowns = [known_object(state, item) for item in (*items, wanted)]
    on_host = searched(frame, node, state, items, "count", wanted) if None in knowns else None
    if on_host is not None:
        yield from on_host
        return
    given = (*items, wanted)
    asked = any(k is not None and user_method(type(k.value), "__eq__") for k in knowns)
    if None in knowns or asked:
        if not asked and not any(
            is_own_object(state, v) or tensor_of(v) is not None for v in given
        ):
            frame.refuse("DYCL039", node, "count() of run-time values is not supported")
        listed = frame.run.allocate(state, ListCell(items))
        yield from call_value(frame, node, state, Known(searching.count), [listed, wanted], {})
        return
    values = [known.value for known in knowns if known is not None]
    yield state, Known(values[:-1].count(values[-1]))


def searched_for(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Known, name: str,
    arguments: Sequence[Value], *, named: bool,
) -> Outcomes:  # fmt: skip
    """Look into a list of the model's for what is known at run time only; refuse other methods."""
    items = sequence_items(state, receiver)
    searches = name == "index" or (name == "count" and len(arguments) == 1)
    if items is None or named or not arguments or not searches:
        frame.refuse("DYCL039", node, f"{name}() with a run-time argument is not supported")
    wanted, *bounds = arguments
    if name == "index":
        yield from index_of(frame, node, state, items, wanted, bounds, list)
    else:
        yield from count_of(frame, node, state, items, wanted)


def searched_tuple(
    state: State, receiver: Known, name: str, positional: Sequence[Value]
) -> TupleValue | None:
    """Return a known tuple by its items, where what is looked for in it is known at run time."""
    searches = isinstance(receiver.value, tuple) and name in ("index", "count")
    if not searches or all(known_object(state, value) is not None for value in positional):
        return None
    items = sequence_items(state, receiver)
    return None if items is None else TupleValue(items)


def first_equal(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    wanted: Value,
    start: int = 0,
) -> Iterator[tuple[State, int | None]]:
    """Yield the first place from ``start`` on where an item equals what is wanted, or None."""
    if start >= len(items):
        yield state, None
        return
    item = items[start]
    alike = type(item) is type(wanted) and not isinstance(item, TupleValue | ScalarValue)
    itself = sameness(frame, node, state, item, wanted) if alike else Known(False)
    for same, is_same in truths(frame, node, state, itself):
        if is_same:
            yield same, start
            continue
        refuse_nan(frame, node, item, wanted)
        found = one_or_equal(frame, node, same, item, wanted)
        for after, equal in found or ordered(frame, node, same, cst.Equal, item, wanted):
            for tested, truth in truths(frame, node, after, equal):
                if truth:
                    yield tested, start
                else:
                    yield from first_equal(frame, node, tested, items, wanted, start + 1)


_FEW = 8
"""Elements up to which each is compared on a path of its own."""


def is_long(container: Value) -> bool:
    """Return whether a known container has many plain elements, which the host may search."""
    content = container.value if isinstance(container, Known) else None
    if not isinstance(content, list | tuple | dict | set | frozenset) or len(content) <= _FEW:
        return False
    return all(type(element) in (int, float, bool, str) for element in content)
