"""Walks over dicts of the host with certain keys: known is how many items there are, and the keys.

``for name, score in hypothesis.scores.items()`` is unrolled, as for a dict of known structure.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.containers.lazy_iterators import Items, KnownEnd, lazy_iterator
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_kinds import record_of_keys
from rewriter.evaluation.run_time.run_time_records import field_of
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeCell,
    Value,
    ViewValue,
)


@dataclass(frozen=True, slots=True)
class Fields(KnownEnd):
    """Reads the fields of a record, each when it is asked for. It works with the record."""

    part: str
    position: int = 0

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield what is at the position, if there is a field."""
        (record,) = state.cell(Reference(iterator.identity), IteratorCell).items
        given = record_of_keys(state, record)
        assert given is not None
        names = [name for name, _ in given.fields]
        following = replace(self, position=min(self.position + 1, len(names)))
        cell = IteratorCell((record,), following)
        frame.run.update(state, Reference(iterator.identity), cell)
        if self.position == len(names):
            yield state, None
            return
        yield from _item(frame, node, state, record, names[self.position], self.part)


def record_walk(frame: Frame, state: State, value: Value) -> IteratorValue | None:
    """Return an iterator over a record or a view of one; None for other objects."""
    if record_of_keys(state, value) is None:
        return None
    assert isinstance(value, Reference | ViewValue)
    source = Fields(value.part if isinstance(value, ViewValue) else "keys")
    return lazy_iterator(frame.run, state, (Reference(value.identity),), source)


def record_items(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference | ViewValue
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield what walking over a record, or a view of one, gives at once."""
    given = record_of_keys(state, value)
    assert given is not None
    part = value.part if isinstance(value, ViewValue) else "keys"
    ways: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for name, _ in given.fields:
        ways = [
            (after, (*items, item))
            for before, items in ways
            for after, item in _item(frame, node, before, Reference(value.identity), name, part)
        ]
    yield from ways


def dict_of_record(
    frame: Frame, node: cst.CSTNode, state: State, record: Reference
) -> Iterator[tuple[State, Reference]]:
    """Yield a dict of known structure with what a record has now."""
    given = record_of_keys(state, record)
    assert given is not None
    names = [name for name, _ in given.fields]
    values = ViewValue(record.identity, "values")
    for after, items in record_items(frame, node, state, values):
        cell = DictCell(dict(zip(names, items, strict=True)))
        yield after, frame.run.allocate(after, cell)


def _item(
    frame: Frame, node: cst.CSTNode, state: State, record: Value, name: object, part: str
) -> Iterator[tuple[State, Value]]:
    if part == "keys":
        yield state, Known(name)
        return
    given = record_of_keys(state, record)
    assert given is not None and isinstance(record, Reference)
    cell = state.cell(record, RunTimeCell)
    for after, value in field_of(frame, node, state, cell, name, dict(given.fields)[name]):
        yield after, value if part == "values" else tuple_value((Known(name), value))
