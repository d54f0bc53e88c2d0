"""Iterators that work out an item when it is asked for: such as a walk over a list as it is then.

A source is immutable; the values that it works with are the ``items`` of its heap cell, so
that joins see them. Taking an item replaces the cell.
"""

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NoReturn, Protocol, TypeAlias

import libcst as cst

from rewriter.evaluation.control.joining import merge
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State
from rewriter.values import (
    NONE,
    IteratorCell,
    IteratorValue,
    Known,
    ObjectCell,
    Reference,
    TupleValue,
    Value,
    is_none,
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


class KnownEnd:
    """A source of which it is known when it ends, and that reads no variables of frames."""

    __slots__ = ()

    @property
    def captured(self) -> tuple[int, ...]:
        """Nothing is read."""
        return ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return that it is known."""
        del state, items
        return False


class OfItems:
    """A source that gives something for items of other iterators, without end if they have none."""

    __slots__ = ()


class GeneratorSource:
    """What the iterator of a generator function has for a source."""

    __slots__ = ()

    is_library: bool
    """Whether dycl's own function stands for a class of Python's, such as ``itertools.chain``."""

    @property
    def is_undecided(self) -> bool:
        """Return whether it is in a ``while`` loop that ends at run time."""
        return False

    @property
    def is_endless(self) -> bool:
        """Return whether it gives items without end."""
        return False

    @property
    def is_in_while(self) -> bool:
        """Return whether it is in a ``while`` loop."""
        return False

    def send(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, sent: Value
    ) -> Items:
        """Yield the next item, with what the ``yield`` gives; what has ended waits at none."""
        raise NotImplementedError


GENERATOR_METHODS = {
    name: getattr(types.GeneratorType, name) for name in ("__next__", "send", "throw", "close")
}
"""What is called for them (see ``generators/generator_methods``)."""


@dataclass(frozen=True, slots=True)
class Ended(KnownEnd, GeneratorSource):
    """The source of a generator that has ended; its item is what it returned, for who asks now."""

    is_library: bool = False

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Give nothing more, and forget what was returned."""
        del node
        put_cell(frame.run, state, iterator, IteratorCell((), self))
        yield state, None

    def send(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, sent: Value
    ) -> Items:
        """Give nothing more."""
        del sent
        return self.advance(frame, node, state, iterator)


def is_generator(state: State, value: IteratorValue) -> bool:
    """Return whether an iterator is that of a generator function of the program."""
    source = state.cell(Reference(value.identity), IteratorCell).source
    return isinstance(source, GeneratorSource) and not source.is_library


def may_be_unrolled(state: State, value: IteratorValue) -> bool:
    """Return whether a generator ends at run time in a loop that may have an end known before."""
    source = state.cell(Reference(value.identity), IteratorCell).source
    return isinstance(source, GeneratorSource) and source.is_undecided


def result_of(state: State, iterator: IteratorValue) -> Value:
    """Return what a generator that ended just now returned; None for any other iterator."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    return cell.items[0] if isinstance(cell.source, Ended) and cell.items else NONE


def raise_end(run: Run, state: State, returned: Value) -> None:
    """Raise ``StopIteration`` with what a generator returned."""
    if is_none(returned):
        run.raise_known(state, StopIteration())
        return
    attributes = {"args": TupleValue((returned,)), "value": returned}
    run.raise_(state, run.allocate(state, ObjectCell(StopIteration, attributes)))


def next_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    iterator: IteratorValue,
    *,
    becoming: bool = False,
) -> Items:
    """Yield the next element of an iterator, None where there is no more.

    ``becoming`` says that the caller knows of generators that become iterators which end at
    run time: they give ``SKIPPED`` then.
    """
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    if cell.source is not None:
        known = not becoming and not cell.source.is_run_time(state, cell.items)
        for after, item in cell.source.advance(frame, node, state, iterator):
            if known and item is SKIPPED:
                refuse_becoming_run_time(frame, node)
            yield after, item
    elif cell.items:
        put_cell(frame.run, state, iterator, IteratorCell(cell.items[1:]))
        yield state, cell.items[0]
    else:
        yield state, None


def item_after(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, sent: Value
) -> Items:
    """Yield what an iterator gives that something is sent to: None asks for the next element."""
    source = state.cell(Reference(iterator.identity), IteratorCell).source
    if is_none(sent):
        return next_item(frame, node, state, iterator)
    if not isinstance(source, GeneratorSource):
        frame.refuse("DYCL039", node, "send() reaches an iterator that is no generator")
    return source.send(frame, node, state, iterator, sent)


def refuse_becoming_run_time(frame: Frame, node: cst.CSTNode) -> NoReturn:
    """Refuse a generator whose loop ends at run time where that is not provided for."""
    frame.refuse(
        "DYCL041", node, "how many items a generator gives is known only at run time",
        "walk over it in a for loop or a comprehension, or return a list",
    )  # fmt: skip


MOST_ENDS = 64
"""Ways in which what gives items may end before it does for certain, if it ever does."""


def remaining_items(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue,
    most: int | None = None,
) -> Iterator[tuple[State, tuple[Value, ...]]]:  # fmt: skip
    """Yield all that an iterator has still to give, or the first of it."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    if cell.source is None and most is None:
        put_cell(frame.run, state, iterator, IteratorCell(()))
        yield state, cell.items
        return
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    ends = 0
    for turn in count():
        if not pending:
            break
        if turn > frame.run.options.unroll and ends_at_run_time(pending[0][0], iterator):
            refuse_becoming_run_time(frame, node)
        arrivals: list[tuple[State, tuple[Value, ...]]] = []
        for before, taken in pending:
            for after, item in next_item(frame, node, before, iterator):
                if item is None:
                    ends += 1
                    yield after, taken
                else:
                    arrivals.append((after, (TupleValue((*taken, item)),)))
        _require_few_ends(frame, node, ends, arrivals)
        pending = []
        for joined, (table,) in merge(frame.run, arrivals, frame.origin(node)):
            assert isinstance(table, TupleValue)
            if len(table.items) == most:
                yield joined, table.items
            else:
                pending.append((joined, table.items))


def _require_few_ends(
    frame: Frame, node: cst.CSTNode, ends: int, going_on: Sequence[object]
) -> None:
    """Refuse what has ended in many ways, and goes on for nobody knows how long."""
    if going_on and ends > MOST_ENDS:
        refuse_becoming_run_time(frame, node)


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
