"""Iterators made of other iterators: ``enumerate``, ``zip``, ``map`` and ``filter``."""

from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.lazy_iterators import (
    SKIPPED,
    GeneratorSource,
    Items,
    OfItems,
    ends_at_run_time,
    next_item,
    parts_of,
    put_cell,
)
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, Known, Reference, TupleValue, Value


@dataclass(frozen=True, slots=True)
class Numbered(OfItems):
    """``enumerate``: items with their numbers."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the items end at run time."""
        return ends_at_run_time(state, items[0])

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next pair."""
        # Operators iterate over containers: a real cycle.
        from rewriter.evaluation.operators.operators import binary

        items, number = parts_of(state, iterator)
        assert isinstance(items, IteratorValue)
        for after, item in next_item(frame, node, state, items):
            if item is None or item is SKIPPED:
                yield after, item
                continue
            for counted, following in binary(frame, node, after, cst.Add, number, Known(1)):
                put_cell(frame.run, counted, iterator, IteratorCell((items, following), self))
                yield counted, TupleValue((number, item))


@dataclass(frozen=True, slots=True)
class Zipped:
    """``zip``: an item of each iterator in turn."""

    strict: bool
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether all columns that have an end have it at run time: the first decides."""
        ending = [column for column in items if not never_ends(state, column)]
        return bool(ending) and all(ends_at_run_time(state, column) for column in ending)

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next row."""
        yield from self._row(frame, node, state, parts_of(state, iterator), ())

    def _row(
        self,
        frame: Frame,
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
        frame: Frame,
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


def never_ends(state: State, value: Value) -> bool:
    """Return whether an iterator is, or is made of, a generator without end."""
    if not isinstance(value, IteratorValue):
        return False
    cell = state.cell(Reference(value.identity), IteratorCell)
    match cell.source:
        case GeneratorSource():
            return cell.source.is_endless
        case OfItems():
            return any(never_ends(state, part) for part in cell.items)
        case Zipped():
            return bool(cell.items) and all(never_ends(state, column) for column in cell.items)
        case _:
            return False


def may_go_on(state: State, value: Value) -> bool:
    """Return whether nothing but a ``while`` loop, or run time, says when an iterator ends."""
    if not isinstance(value, IteratorValue):
        return False
    cell = state.cell(Reference(value.identity), IteratorCell)
    parts = [item for item in cell.items if isinstance(item, IteratorValue)]
    match cell.source:
        case None:
            return False
        case GeneratorSource():
            return cell.source.is_in_while
        case Zipped():
            return all(may_go_on(state, column) for column in parts)
        case _:
            going_on = any(may_go_on(state, part) for part in parts)
            return going_on or ends_at_run_time(state, value)


def _uneven(index: int, word: str) -> ValueError:
    """Return the error of ``zip(strict=True)``, in CPython's words."""
    before = "argument 1" if index == 1 else f"arguments 1-{index}"
    return ValueError(f"zip() argument {index + 1} is {word} than {before}")


@dataclass(frozen=True, slots=True)
class Mapped(OfItems):
    """``map``: the function's result for each row of a zip."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the items end at run time."""
        return ends_at_run_time(state, items[1])

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Call the function for the next row."""
        function, rows = parts_of(state, iterator)
        assert isinstance(rows, IteratorValue)
        for after, row in next_item(frame, node, state, rows):
            if row is None or row is SKIPPED:
                yield after, row
                continue
            assert isinstance(row, TupleValue)
            yield from call_value(frame, node, after, function, list(row.items), {})


@dataclass(frozen=True, slots=True)
class Filtered(OfItems):
    """``filter``: the items for which the function's result is true."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the items end at run time."""
        return ends_at_run_time(state, items[1])

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next item that passes."""
        function, items = parts_of(state, iterator)
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
                arms = list(truths(frame, node, called, result))
                undecided = len(arms) > 1 and never_ends(called, iterator)
                for done, truth in arms:
                    if truth:
                        yield done, item
                    elif undecided or ends_at_run_time(done, iterator):
                        yield done, SKIPPED
                    else:
                        yield from self.advance(frame, node, done, iterator)
