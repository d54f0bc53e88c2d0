"""Iterators that work out an item when it is asked for: such as a walk over a list as it is then.

A source is immutable; the values that it works with are the ``items`` of its heap cell, so
that joins see them. Taking an item replaces the cell.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import libcst as cst

from rewriter.evaluation.containers import mapping_items, sequence_items
from rewriter.evaluation.joining import merge
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State
from rewriter.values import (
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeCell,
    TupleValue,
    Value,
)

Items: TypeAlias = Iterator[tuple[State, Value | None]]
"""States with the next item, None where there is no more."""

SKIPPED = Known(object())
"""Instead of an item: a filter took it out. Given only by iterators that end at run time."""


class LazySource(Protocol):
    """How an iterator finds its next item."""

    @property
    def captured(self) -> tuple[int, ...]:
        """Identities of the frames whose variables it may read."""

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether it is known only at run time when it ends."""

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next item; leave the cell ready for the one after."""


def next_item(frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue) -> Items:
    """Yield the next element of an iterator, None where there is no more."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    if cell.source is not None:
        yield from cell.source.advance(frame, node, state, iterator)
    elif cell.items:
        put_cell(frame.run, state, iterator, IteratorCell(cell.items[1:]))
        yield state, cell.items[0]
    else:
        yield state, None


def remaining_items(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield all that an iterator has still to give."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    if cell.source is None:
        put_cell(frame.run, state, iterator, IteratorCell(()))
        yield state, cell.items
        return
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    while pending:
        arrivals: list[tuple[State, tuple[Value, ...]]] = []
        for before, taken in pending:
            for after, item in next_item(frame, node, before, iterator):
                if item is None:
                    yield after, taken
                else:
                    arrivals.append((after, (TupleValue((*taken, item)),)))
        pending = []
        for joined, (table,) in merge(frame.run, arrivals, frame.origin(node)):
            assert isinstance(table, TupleValue)
            pending.append((joined, table.items))


def lazy_iterator(
    run: Run, state: State, items: tuple[Value, ...], source: LazySource
) -> IteratorValue:
    """Return a new iterator that works with some values."""
    return IteratorValue(run.allocate(state, IteratorCell(items, source)).identity)


def ends_at_run_time(state: State, value: Value) -> bool:
    """Return whether it is known only at run time when an iterator ends."""
    if not isinstance(value, IteratorValue):
        return False
    cell = state.cell(Reference(value.identity), IteratorCell)
    return cell.source is not None and cell.source.is_run_time(state, cell.items)


def put_cell(run: Run, state: State, iterator: IteratorValue, cell: IteratorCell) -> None:
    """Give an iterator another source or other values."""
    run.update(state, Reference(iterator.identity), cell)


def parts_of(state: State, iterator: IteratorValue) -> tuple[Value, ...]:
    """Return the values that an iterator works with."""
    return state.cell(Reference(iterator.identity), IteratorCell).items


@dataclass(frozen=True, slots=True)
class Walk:
    """Goes through a list or dict of the program as it is at each step."""

    position: int = 0
    step: int = 1
    size: int | None = None
    """How many keys a dict must keep."""
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return False: what it walks is of known structure, or has become a run-time list."""
        (container,) = items
        return isinstance(container, Reference) and isinstance(
            state.heap[container.identity], RunTimeCell
        )

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the item at the position."""
        del node
        (container,) = parts_of(state, iterator)
        items = listed_items(state, container) or ()
        if self.size is not None and len(items) != self.size:
            error = RuntimeError("dictionary changed size during iteration")
            frame.run.raise_known(state, error)
        elif 0 <= self.position < len(items):
            following = replace(self, position=self.position + self.step)
            put_cell(frame.run, state, iterator, IteratorCell((container,), following))
            yield state, items[self.position]
        else:
            put_cell(frame.run, state, iterator, IteratorCell(()))
            yield state, None


def listed_items(state: State, value: Value) -> tuple[Value, ...] | None:
    """Return the items of a container of known structure, None for anything else."""
    items = sequence_items(state, value)
    mapping = mapping_items(state, value) if items is None else None
    return items if mapping is None else tuple(map(Known, mapping))
