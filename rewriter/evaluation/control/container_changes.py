"""Walks over dicts, sets and deques of known structure are told when these change.

Python goes by the layout of a hash table then, or by a count of the changes; what a walk
needs to know of them is whether there was one.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    IteratorCell,
    IteratorValue,
    ListCell,
    ObjectCell,
    Reference,
    SetCell,
    Value,
    ViewValue,
)

if TYPE_CHECKING:
    from rewriter.evaluation.containers.lazy_iterators import Items
    from rewriter.evaluation.run import Frame


@dataclass(frozen=True, slots=True)
class Watch:
    """The walk of a function's caller over a container that the function is handed.

    It gives no items: the caller asks it what the function did.
    """

    disturbed: bool = False
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return False: nobody walks it."""
        del state, items
        return False

    def advance(
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> "Items":
        """Never called."""
        raise AssertionError("a watch gives no items")


def note_change(state: State, identity: int, old: Cell | None, new: Cell) -> None:
    """Tell the walks over a container what a change of its content means to them."""
    if _disturbs(old, new):
        tell_walks(state, identity)


def _disturbs(old: Cell | None, new: Cell) -> bool:
    """Return whether a walk cannot see a change by the container's size alone."""
    match old, new:
        case DictCell(), DictCell():
            before, now = list(old.items), list(new.items)
            if issubclass(old.kind, OrderedDict):
                return before != now
            return now[: len(before)] != before
        case SetCell(), SetCell():
            return not old.items <= new.items
        case ListCell(), ListCell():
            return issubclass(old.kind, deque) and len(old.items) != len(new.items)
        case _:
            return False


def tell_walks(state: State, identity: int) -> None:
    """Mark the walks over a container as disturbed."""
    for place in walks_over(state, identity):
        cell = state.heap[place]
        assert isinstance(cell, IteratorCell)
        source: Any = cell.source
        state.heap[place] = IteratorCell(cell.items, replace(source, disturbed=True))


def walks_over(state: State, identity: int) -> list[int]:
    """Return the heap places of the iterators that walk over a container."""
    return [
        place
        for place, cell in state.heap.items()
        if isinstance(cell, IteratorCell)
        and hasattr(cell.source, "disturbed")
        and any(
            isinstance(item, Reference | ViewValue) and item.identity == identity
            for item in cell.items
        )
    ]


def walked_over(state: State, among: Iterable[int]) -> frozenset[int]:
    """Return which containers of these are walked over, but for lists, which may change."""
    changing = {each for each in among if _may_not_change(state.heap.get(each))}
    if not changing:  # mostly, and a heap is long
        return frozenset()
    iterators = [cell for cell in state.heap.values() if type(cell) is IteratorCell]
    return frozenset(
        item.identity
        for cell in iterators
        if hasattr(cell.source, "disturbed")
        for item in cell.items
        if isinstance(item, Reference | ViewValue) and item.identity in changing
    )


def _may_not_change(cell: Cell | None) -> bool:
    """Return whether something is a container that may not change while it is walked over."""
    is_list = isinstance(cell, ListCell) and not issubclass(cell.kind, deque)
    return not is_list and not isinstance(cell, ObjectCell)


def is_disturbed(state: State, watch: IteratorValue) -> bool:
    """Return whether what a watch stands for was disturbed."""
    cell = state.heap[watch.identity]
    return isinstance(cell, IteratorCell) and bool(getattr(cell.source, "disturbed", False))
