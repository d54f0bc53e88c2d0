"""Iterators over what exists at run time only: the host counts positions."""

import ast
import sys
from collections import deque
from dataclasses import dataclass

import libcst as cst

from rewriter.array_samples import OpenArray
from rewriter.evaluation.containers.lazy_iterators import Items, lazy_iterator
from rewriter.evaluation.host.array_lists import row_type
from rewriter.evaluation.host.host_iterators import host_walk, is_walked_alike, refuse_walk
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, render
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.record_walks import record_walk
from rewriter.evaluation.run_time.run_time_objects import length_of, made, taken
from rewriter.evaluation.text.range_text import range_expression
from rewriter.host_type_relations import TypeToken
from rewriter.host_types import (
    TEXT,
    HostType,
    MappingType,
    MixedListType,
    NumberType,
    RecordType,
    SequenceType,
    SetType,
)
from rewriter.state import State
from rewriter.values import (
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeCell,
    RunTimeRange,
    Value,
    ViewValue,
)


@dataclass(frozen=True, slots=True)
class Counting:
    """Goes through a list or string as it is at each step, or through a range.

    It works with the list (or the end of the range), the next position (or number), and the step
    of a range where that is known only at run time.
    """

    element: TypeToken | None
    """The type of the elements, None for a range."""
    step: int = 1
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return True."""
        del state, items
        return True

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the item at the position, if there is one."""
        whole, place, *stride = state.cell(Reference(iterator.identity), IteratorCell).items
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
                self._end(frame, arm, iterator, whole)
                yield arm, None
                continue
            self._count(frame, node, arm, iterator, (whole, place, *stride))
            if self.element is None:
                yield arm, place
                continue
            found = ast.Subscript(
                value=render(frame.run, arm, whole), slice=position, ctx=ast.Load()
            )
            yield from taken(frame, node, arm, found, self.element.type)

    def _end(self, frame: Frame, state: State, iterator: IteratorValue, whole: Value) -> None:
        """Let an iterator that has ended give nothing more, even if the list grows."""
        if self.element is not None:
            beyond = Known(sys.maxsize if self.step > 0 else -1)
            state.heap[iterator.identity] = IteratorCell((whole, beyond), self)

    def _count(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue,
        items: tuple[Value, ...],
    ) -> None:  # fmt: skip
        whole, place, *stride = items
        symbol: ast.operator = ast.Add() if stride or self.step > 0 else ast.Sub()
        step = ast.Constant(value=abs(self.step))
        by = render(frame.run, state, stride[0]) if stride else step
        total = ast.BinOp(left=render(frame.run, state, place), op=symbol, right=by)
        following = host_scalar(frame.run, state, total, int, frame.origin(node))
        cell = IteratorCell((whole, following, *stride), self)
        frame.run.update(state, Reference(iterator.identity), cell)


def walk(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> IteratorValue | None:
    """Return an iterator over what exists at run time only; None for other values."""
    match value:
        case RunTimeRange():
            source = Counting(None, value.step)
            stride = () if value.stride is None else (value.stride,)
            return lazy_iterator(frame.run, state, (value.stop, value.start, *stride), source)
        case HostValue() if isinstance(value.sample, str):
            return lazy_iterator(frame.run, state, (value, Known(0)), Counting(TypeToken(TEXT)))
        case HostValue(sample=OpenArray() as sample) if sample.ndim:
            element = row_type(sample)
            return lazy_iterator(frame.run, state, (value, Known(0)), Counting(TypeToken(element)))
        case Reference() | ViewValue():
            cell = state.heap[value.identity]
            if isinstance(cell, RunTimeCell):
                if (fields := record_walk(frame, state, value)) is not None:
                    return fields
                part = value.part if isinstance(value, ViewValue) else "keys"
                return _walk_cell(frame, node, state, Reference(value.identity), cell, part)
    return None


def _walk_cell(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, cell: RunTimeCell,
    part: str,
) -> IteratorValue:  # fmt: skip
    given = cell.type
    if isinstance(given, SequenceType) and given.kind is not deque:
        return lazy_iterator(
            frame.run, state, (reference, Known(0)), Counting(TypeToken(given.element))
        )
    if isinstance(given, SetType) and not is_walked_alike(given):
        refuse_walk(frame, node)
    if isinstance(given, RecordType | MixedListType):
        frame.refuse(
            "DYCL073", node, "iteration over a record, or a list of items of different types, of a "
            "run-time container", "take the items apart: `tokens, score = hypothesis`",
        )  # fmt: skip
    return host_walk(frame, node, state, reference, part)


def counting_from(state: State, container: Reference | ViewValue, step: int) -> Counting:
    """Return how a walk over a list that has become one of the host's goes on."""
    given = state.cell(Reference(container.identity), RunTimeCell).type
    assert isinstance(given, SequenceType)
    return Counting(TypeToken(given.element), step)


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
        case RunTimeRange() if value.step == 1 and value.stride is None:
            return _reversed_range(frame, node, state, value)
        case RunTimeRange():
            function = frame.run.builder.reference(list, "list")
            whole = call_expression(function, [range_expression(frame, state, value)])
            numbers = made(frame, node, state, whole, SequenceType(NumberType(int)))
            return reversed_walk(frame, node, state, numbers)
        case HostValue() if isinstance(value.sample, str):
            element = TEXT
        case HostValue(sample=OpenArray() as sample) if sample.ndim:
            element = row_type(sample)
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            if isinstance(cell.type, MappingType) or cell.kind is deque:
                return host_walk(frame, node, state, value, "keys", back=True)
            if not isinstance(cell.type, SequenceType):
                frame.refuse("DYCL073", node, "reversed() of a run-time set or record")
            element = cell.type.element
        case ViewValue() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            if not isinstance(cell.type, MappingType):
                frame.refuse("DYCL073", node, "reversed() of a run-time record")
            reference = Reference(value.identity)
            return host_walk(frame, node, state, reference, value.part, back=True)
        case _:
            return None
    size = length_of(frame, node, state, value)
    start = _one_less(frame, node, state, size)
    return lazy_iterator(frame.run, state, (value, start), Counting(TypeToken(element), step=-1))
