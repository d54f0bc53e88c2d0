"""Iterators over what exists at run time only: the host counts positions."""

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.disturbed_walks import refuse_disturbed
from rewriter.evaluation.host_statements import host_scalar
from rewriter.evaluation.lazy_iterators import Items, lazy_iterator
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time_kinds import element_type
from rewriter.evaluation.run_time_objects import length_of, made, taken
from rewriter.evaluation.truth import truths
from rewriter.host_type_relations import TypeToken, decided
from rewriter.host_types import TEXT, HostType, MappingType, NumberType, SequenceType, SetType
from rewriter.state import State
from rewriter.values import (
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeCell,
    RunTimeRange,
    TupleValue,
    Value,
    ViewValue,
)


@dataclass(frozen=True, slots=True)
class Counting:
    """Goes through a list or string as it is at each step, or through a range.

    It works with the list (or the end of the range), and the next position (or number).
    """

    element: TypeToken | None
    """The type of the elements, None for a range."""
    step: int = 1
    captured: tuple[int, ...] = ()
    is_deque: bool = False
    disturbed: bool = False
    """Whether a deque changed since the last step."""

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return True."""
        del state, items
        return True

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the item at the position, if there is one."""
        refuse_disturbed(frame, node, self.is_deque and self.disturbed)
        whole, place = state.cell(Reference(iterator.identity), IteratorCell).items
        position = render(frame.run, state, place)
        end = whole if self.element is None else length_of(frame, node, state, whole)
        limit = render(frame.run, state, end)
        if self.step > 0:
            test = ast.Compare(left=position, ops=[ast.Lt()], comparators=[limit])
        elif self.element is None:
            test = ast.Compare(left=position, ops=[ast.Gt()], comparators=[limit])
        else:
            zero = ast.Constant(value=0)
            test = ast.Compare(left=zero, ops=[ast.LtE(), ast.Lt()], comparators=[position, limit])
        flag = host_scalar(frame.run, state, test, bool, frame.origin(node))
        for arm, inside in truths(frame, node, state, flag):
            if not inside:
                yield arm, None
                continue
            self._count(frame, node, arm, iterator, whole, position)
            if self.element is None:
                yield arm, place
                continue
            found = ast.Subscript(
                value=render(frame.run, arm, whole), slice=position, ctx=ast.Load()
            )
            yield from taken(frame, node, arm, found, self.element.type)

    def _count(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue,
        whole: Value, position: ast.expr,
    ) -> None:  # fmt: skip
        symbol = ast.Add() if self.step > 0 else ast.Sub()
        total = ast.BinOp(left=position, op=symbol, right=ast.Constant(value=abs(self.step)))
        following = host_scalar(frame.run, state, total, int, frame.origin(node))
        cell = IteratorCell((whole, following), self)
        frame.run.update(state, Reference(iterator.identity), cell)


@dataclass(frozen=True, slots=True)
class Keyed:
    """Goes through the keys that a dict or set had at first; it must keep its size.

    It works with an iterator over those keys, their number, and the dict.
    """

    part: str
    word: str
    captured: tuple[int, ...] = ()
    disturbed: bool = False
    """Whether a key was taken out since the last step."""

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return True."""
        del state, items
        return True

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next key, value, or both."""
        refuse_disturbed(frame, node, self.disturbed)
        keys, size, container = state.cell(Reference(iterator.identity), IteratorCell).items
        assert isinstance(keys, IteratorValue) and isinstance(container, Reference)
        if self.word.startswith("OrderedDict"):  # at its end it does not look at the size
            yield from self._next(frame, node, state, keys, container, size)
            return
        for arm in self._unchanged(frame, node, state, container, size):
            yield from self._next(frame, node, arm, keys, container, None)

    def _unchanged(
        self, frame: Frame, node: cst.CSTNode, state: State, container: Reference, size: Value
    ) -> Iterator[State]:
        now = length_of(frame, node, state, container)
        test = ast.Compare(
            left=render(frame.run, state, now),
            ops=[ast.NotEq()],
            comparators=[render(frame.run, state, size)],
        )
        flag = host_scalar(frame.run, state, test, bool, frame.origin(node))
        for arm, changed in truths(frame, node, state, flag):
            if changed:
                error = RuntimeError(f"{self.word} during iteration")
                frame.run.raise_known(arm, error)
            else:
                yield arm

    def _next(
        self, frame: Frame, node: cst.CSTNode, state: State, keys: IteratorValue,
        container: Reference, size: Value | None,
    ) -> Items:  # fmt: skip
        source = state.cell(Reference(keys.identity), IteratorCell).source
        assert source is not None
        for after, key in source.advance(frame, node, state, keys):
            if key is None:
                yield after, key
                continue
            checked = self._unchanged(frame, node, after, container, size) if size else (after,)
            for arm in checked:
                yield from self._part_at(frame, node, arm, container, key)

    def _part_at(
        self, frame: Frame, node: cst.CSTNode, state: State, container: Reference, key: Value
    ) -> Items:
        if self.part == "keys":
            yield state, key
            return
        cell = state.cell(container, RunTimeCell)
        assert isinstance(cell.type, MappingType)
        found = ast.Subscript(
            value=name_expression(cell.name),
            slice=render(frame.run, state, key),
            ctx=ast.Load(),
        )
        for done, item in taken(frame, node, state, found, cell.type.value):
            yield done, item if self.part == "values" else TupleValue((key, item))


def walk(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> IteratorValue | None:
    """Return an iterator over what exists at run time only; None for other values."""
    match value:
        case RunTimeRange():
            source = Counting(None, value.step)
            return lazy_iterator(frame.run, state, (value.stop, value.start), source)
        case HostValue() if isinstance(value.sample, str):
            return lazy_iterator(frame.run, state, (value, Known(0)), Counting(TypeToken(TEXT)))
        case Reference() | ViewValue():
            cell = state.heap[value.identity]
            if isinstance(cell, RunTimeCell):
                part = value.part if isinstance(value, ViewValue) else "keys"
                return _walk_cell(frame, node, state, Reference(value.identity), cell, part)
    return None


def _walk_cell(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, cell: RunTimeCell,
    part: str,
) -> IteratorValue:  # fmt: skip
    match cell.type:
        case SequenceType() as kind:
            source = Counting(TypeToken(kind.element), is_deque=kind.kind is deque)
            return lazy_iterator(frame.run, state, (reference, Known(0)), source)
        case MappingType():
            ordered = cell.kind.__name__ == "OrderedDict"
            word = "OrderedDict mutated" if ordered else "dictionary changed size"
        case SetType() as kind if kind.ordered and _is_number(kind.element):
            word = "Set changed size"
        case SetType():
            frame.refuse(
                "DYCL051", node, "a set is walked in an order that may differ from run to run",
                "use sorted(...)",
            )  # fmt: skip
        case _:
            frame.refuse("DYCL073", node, "iteration over a record of a run-time container")
    element = element_type(cell.type)
    assert element is not None
    listed = call_expression(
        frame.run.builder.reference(list, "list"), [name_expression(cell.name)]
    )
    keys = made(frame, node, state, listed, SequenceType(element))
    size = length_of(frame, node, state, keys)
    source = Counting(TypeToken(element))
    inner = lazy_iterator(frame.run, state, (keys, Known(0)), source)
    return lazy_iterator(frame.run, state, (inner, size, reference), Keyed(part, word))


def _is_number(element: HostType) -> bool:
    return isinstance(decided(element), NumberType)


def _reversed_range(
    frame: Frame, node: cst.CSTNode, state: State, value: RunTimeRange
) -> IteratorValue:
    first = _one_less(frame, node, state, value.stop)
    end = _one_less(frame, node, state, value.start)
    return lazy_iterator(frame.run, state, (end, first), Counting(None, -1))


def _one_less(frame: Frame, node: cst.CSTNode, state: State, number: Value) -> Value:
    if isinstance(number, Known):
        return Known(number.value - 1)
    less = ast.BinOp(
        left=render(frame.run, state, number), op=ast.Sub(), right=ast.Constant(value=1)
    )
    return host_scalar(frame.run, state, less, int, frame.origin(node))


def reversed_walk(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> IteratorValue | None:
    """Return ``reversed(items)`` of a run-time list or string, None for other values."""
    element: HostType
    match value:
        case RunTimeRange() if value.step == 1:
            return _reversed_range(frame, node, state, value)
        case HostValue() if isinstance(value.sample, str):
            element = TEXT
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            if not isinstance(cell.type, SequenceType):
                frame.refuse("DYCL073", node, "reversed() of a run-time dict or set")
            element = cell.type.element
        case _:
            return None
    size = length_of(frame, node, state, value)
    start = _one_less(frame, node, state, size)
    return lazy_iterator(frame.run, state, (value, start), Counting(TypeToken(element), step=-1))
