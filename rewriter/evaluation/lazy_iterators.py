"""Iterators that work out an item when it is asked for: over lists as they are then, ``zip``...

A source is immutable; the values that it works with are the ``items`` of its heap cell, so
that joins see them. Taking an item replaces the cell.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

import libcst as cst

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import mapping_items, sequence_items
from rewriter.evaluation.joining import merge
from rewriter.evaluation.truth import truths
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

if TYPE_CHECKING:
    from rewriter.evaluation.run import Frame, Run

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
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next item; leave the cell ready for the one after."""


def next_item(frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue) -> Items:
    """Yield the next element of an iterator, None where there is no more."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    if cell.source is not None:
        yield from cell.source.advance(frame, node, state, iterator)
    elif cell.items:
        _set(frame.run, state, iterator, IteratorCell(cell.items[1:]))
        yield state, cell.items[0]
    else:
        yield state, None


def remaining_items(
    frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield all that an iterator has still to give."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    if cell.source is None:
        _set(frame.run, state, iterator, IteratorCell(()))
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
    run: "Run", state: State, items: tuple[Value, ...], source: LazySource
) -> IteratorValue:
    """Return a new iterator that works with some values."""
    return IteratorValue(run.allocate(state, IteratorCell(items, source)).identity)


def ends_at_run_time(state: State, value: Value) -> bool:
    """Return whether it is known only at run time when an iterator ends."""
    if not isinstance(value, IteratorValue):
        return False
    cell = state.cell(Reference(value.identity), IteratorCell)
    return cell.source is not None and cell.source.is_run_time(state, cell.items)


def _set(run: "Run", state: State, iterator: IteratorValue, cell: IteratorCell) -> None:
    run.update(state, Reference(iterator.identity), cell)


def _parts(state: State, iterator: IteratorValue) -> tuple[Value, ...]:
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
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the item at the position."""
        del node
        (container,) = _parts(state, iterator)
        items = listed_items(state, container) or ()
        if self.size is not None and len(items) != self.size:
            error = RuntimeError("dictionary changed size during iteration")
            frame.run.raise_known(state, error)
        elif 0 <= self.position < len(items):
            following = replace(self, position=self.position + self.step)
            _set(frame.run, state, iterator, IteratorCell((container,), following))
            yield state, items[self.position]
        else:
            _set(frame.run, state, iterator, IteratorCell(()))
            yield state, None


def listed_items(state: State, value: Value) -> tuple[Value, ...] | None:
    """Return the items of a container of known structure, None for anything else."""
    items = sequence_items(state, value)
    mapping = mapping_items(state, value) if items is None else None
    return items if mapping is None else tuple(map(Known, mapping))


@dataclass(frozen=True, slots=True)
class Numbered:
    """``enumerate``: items with their numbers."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the items end at run time."""
        return ends_at_run_time(state, items[0])

    def advance(
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next pair."""
        # Operators iterate over containers: a real cycle.
        from rewriter.evaluation.operators import binary

        items, number = _parts(state, iterator)
        assert isinstance(items, IteratorValue)
        for after, item in next_item(frame, node, state, items):
            if item is None or item is SKIPPED:
                yield after, item
                continue
            for counted, following in binary(frame, node, after, cst.Add, number, Known(1)):
                _set(frame.run, counted, iterator, IteratorCell((items, following), self))
                yield counted, TupleValue((number, item))


@dataclass(frozen=True, slots=True)
class Zipped:
    """``zip``: an item of each iterator in turn."""

    strict: bool
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether all columns end at run time: the first to end decides."""
        return bool(items) and all(ends_at_run_time(state, column) for column in items)

    def advance(
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next row."""
        yield from self._row(frame, node, state, _parts(state, iterator), ())

    def _row(
        self,
        frame: "Frame",
        node: cst.CSTNode,
        state: State,
        columns: tuple[Value, ...],
        row: tuple[Value, ...],
    ) -> Items:
        if len(row) == len(columns):
            yield state, TupleValue(row) if row else None
            return
        column = columns[len(row)]
        assert isinstance(column, IteratorValue)
        for after, item in next_item(frame, node, state, column):
            if item is SKIPPED and len(columns) == 1:
                yield after, item
            elif item is SKIPPED:
                frame.refuse("DYCL041", node, "zip() or map() of filtered run-time items")
            elif item is not None:
                yield from self._row(frame, node, after, columns, (*row, item))
            elif not self.strict:
                yield after, None
            elif row:
                frame.run.raise_known(after, _uneven(len(row), "shorter"))
            else:
                yield from self._ended(frame, node, after, columns, 1)

    def _ended(
        self,
        frame: "Frame",
        node: cst.CSTNode,
        state: State,
        columns: tuple[Value, ...],
        index: int,
    ) -> Items:
        """Check that with the first iterator all others have ended."""
        if index == len(columns):
            yield state, None
            return
        column = columns[index]
        assert isinstance(column, IteratorValue)
        for after, item in next_item(frame, node, state, column):
            if item is None:
                yield from self._ended(frame, node, after, columns, index + 1)
            else:
                frame.run.raise_known(after, _uneven(index, "longer"))


def _uneven(index: int, word: str) -> ValueError:
    """Return the error of ``zip(strict=True)``, in CPython's words."""
    before = "argument 1" if index == 1 else f"arguments 1-{index}"
    return ValueError(f"zip() argument {index + 1} is {word} than {before}")


@dataclass(frozen=True, slots=True)
class Mapped:
    """``map``: the function's result for each row of a zip."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the items end at run time."""
        return ends_at_run_time(state, items[1])

    def advance(
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Call the function for the next row."""
        function, rows = _parts(state, iterator)
        assert isinstance(rows, IteratorValue)
        for after, row in next_item(frame, node, state, rows):
            if row is None or row is SKIPPED:
                yield after, row
                continue
            assert isinstance(row, TupleValue)
            yield from call_value(frame, node, after, function, list(row.items), {})


@dataclass(frozen=True, slots=True)
class Filtered:
    """``filter``: the items for which the function's result is true."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the items end at run time."""
        return ends_at_run_time(state, items[1])

    def advance(
        self, frame: "Frame", node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next item that passes."""
        function, items = _parts(state, iterator)
        assert isinstance(items, IteratorValue)
        plain = isinstance(function, Known) and function.value is None
        for after, item in next_item(frame, node, state, items):
            if item is None or item is SKIPPED:
                yield after, item
                continue
            tested = (
                iter([(after, item)])
                if plain
                else call_value(frame, node, after, function, [item], {})
            )
            for called, result in tested:
                for done, truth in truths(frame, node, called, result):
                    if truth:
                        yield done, item
                    elif ends_at_run_time(done, iterator):
                        yield done, SKIPPED
                    else:
                        yield from self.advance(frame, node, done, iterator)
