"""Methods of lists that the program made."""

from collections import deque
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.builtin_functions.comparing_functions import (
    comparison_of,
    sort_in_place_by,
)
from rewriter.evaluation.builtin_functions.sorting import sorted_items
from rewriter.evaluation.containers.adding import add_last
from rewriter.evaluation.containers.deque_methods import DEQUE_RULES, Rule, known_index
from rewriter.evaluation.containers.searching import count_of, first_equal, index_of
from rewriter.evaluation.control.iteration import items_counted
from rewriter.evaluation.control.taking_items import filled
from rewriter.evaluation.host.host_typing import NoHostType, common_type
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_methods import run_time_method
from rewriter.evaluation.run_time.run_time_sequences import to_run_time
from rewriter.evaluation.run_time.searching_in_code import is_own_object, not_in
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import (
    NONE,
    IteratorValue,
    Known,
    ListCell,
    Reference,
    ScalarValue,
    Value,
)


def list_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: ListCell,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``receiver.name(arguments)`` of a list."""
    compare = comparison_of(state, keywords.get("key")) if name == "sort" else None
    if compare is not None:
        yield from sort_in_place_by(frame, node, state, receiver, compare, keywords)
        return
    if name == "sort" and _sorts_objects(state, cell, keywords):
        yield from run_time_method(
            frame, node, state, receiver, to_run_time(frame, node, state, receiver), name, [],
            keywords,
        )  # fmt: skip
        return
    if name == "sort":
        yield from _sorted(frame, node, state, receiver, cell, keywords)
        return
    by_items = name == "extend" and isinstance(positional[0], IteratorValue)
    dynamic = any(_is_dynamic(state, value) for value in positional[:1])
    if name in _AT_RUN_TIME and dynamic and not by_items:
        yield from run_time_method(
            frame, node, state, receiver, to_run_time(frame, node, state, receiver), name,
            positional, keywords,
        )  # fmt: skip
        return
    rule = _RULES.get(name)
    if rule is None or keywords:
        frame.refuse("DYCL039", node, f"list method {name!r} is not supported")
    yield from rule(frame, node, state, receiver, cell, positional)


_AT_RUN_TIME = frozenset({"insert", "pop", "extend", "extendleft", "rotate"})
"""Methods whose argument says what becomes of the length or of the places."""


def _sorted(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Sort a list of known length: the key function, as in CPython, finds it empty."""
    run = frame.run
    run.require_changeable(receiver)
    if "key" in keywords:
        state.heap[receiver.identity] = replace(cell, items=())
    raised = len(run.sinks[-1])
    with run.containers.unchanged(receiver):
        outcomes = list(sorted_items(frame, node, state, cell.items, keywords))
    for completion in run.sinks[-1][raised:]:
        completion.state.heap[receiver.identity] = cell
    for after, items in outcomes:
        if isinstance(items, Reference) and cell.kind is not list:
            frame.refuse("DYCL039", node, f"a {cell.kind.__name__} is sorted at run time")
        content = (
            after.heap[items.identity]
            if isinstance(items, Reference)
            else replace(cell, items=items)
        )
        run.update(after, receiver, content)
        yield after, NONE


def _sorts_objects(state: State, cell: ListCell, keywords: dict[str, Value]) -> bool:
    """Return whether a list of objects, which the host can hold, is sorted by their classes."""
    key = keywords.get("key", NONE)
    by_class = isinstance(key, Known) and key.value is None and len(cell.items) > 1
    if not by_class or not all(is_own_object(state, item) for item in cell.items):
        return False
    try:
        common_type(state, cell.items)
    except NoHostType:
        return False
    return True


def _is_dynamic(state: State, value: Value) -> bool:
    """Return whether an index, or what a list is extended by, is known only at run time."""
    return is_run_time(state, value) or isinstance(value, ScalarValue)


def _replace(
    frame: Frame, state: State, receiver: Reference, cell: ListCell, items: tuple[Value, ...]
) -> None:
    frame.run.update(state, receiver, replace(cell, items=items))


def _append(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del node, cell
    add_last(frame.run, state, receiver, (arguments[0],))
    yield state, NONE


def _extend(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del cell
    added = arguments[0]
    if isinstance(added, IteratorValue):
        for after in filled(frame, node, state, added, receiver):
            yield after, NONE
        return
    for after, items in items_counted(frame, node, state, added):
        add_last(frame.run, after, receiver, items)
        yield after, NONE


def _insert(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    index = known_index(frame, node, state, arguments[0])
    if len(cell.items) == cell.bound:
        frame.run.raise_known(state, IndexError("deque already at its maximum size"))
        return
    items = list(cell.items)
    try:
        items.insert(index, arguments[1])
    except OverflowError as error:  # an index beyond 63 bits
        frame.run.raise_known(state, error)
        return
    _replace(frame, state, receiver, cell, tuple(items))
    yield state, NONE


def _pop(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    index = known_index(frame, node, state, arguments[0]) if arguments else -1
    items = list(cell.items)
    try:
        item = items.pop(index)
    except (IndexError, OverflowError) as error:
        frame.run.raise_known(state, error)
        return
    _replace(frame, state, receiver, cell, tuple(items))
    yield state, item


def _popleft(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del arguments
    yield from _pop(frame, node, state, receiver, cell, [Known(0)])


def _remove(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    for after, index in first_equal(frame, node, state, cell.items, arguments[0]):
        if index is None:
            error = ValueError("list.remove(x): x not in list")
            if issubclass(cell.kind, deque):
                error = not_in(after, arguments[0], deque, "remove")
            frame.run.raise_known(after, error)
            continue
        items = list(cell.items)
        del items[index]
        _replace(frame, after, receiver, cell, tuple(items))
        yield after, NONE


def _clear(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del node, arguments
    _replace(frame, state, receiver, cell, ())
    yield state, NONE


def _reverse(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del node, arguments
    _replace(frame, state, receiver, cell, cell.items[::-1])
    yield state, NONE


def _copy(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del node, arguments, receiver
    kind = cell.kind if is_library(cell.kind.__module__) else list
    yield state, frame.run.allocate(state, ListCell(cell.items, kind, bound=cell.bound))


def _index(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del receiver
    wanted, *bounds = arguments
    yield from index_of(frame, node, state, cell.items, wanted, bounds, cell.kind)


def _count(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: ListCell,
    arguments: list[Value],
) -> Outcomes:  # fmt: skip
    del receiver
    yield from count_of(frame, node, state, cell.items, arguments[0])


_RULES: dict[str, Rule] = {
    **DEQUE_RULES,
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": _popleft,
    "remove": _remove,
    "clear": _clear,
    "reverse": _reverse,
    "copy": _copy,
    "index": _index,
    "count": _count,
}
