"""Windows on dicts, and iterators, that leave the program: made again over what they look at.

The caller looks through them after the call. So they are taken where only the result holds what
they look at: what an argument holds, or the model, may be changed by then.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from rewriter.evaluation.builtin_functions.combined_iterators import Numbered, Zipped
from rewriter.evaluation.containers.containers import listed_items
from rewriter.evaluation.control.known_walks import Kind, Walk
from rewriter.evaluation.control.run_time_walks import Counting
from rewriter.evaluation.rendering import call_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.text.range_text import range_expression
from rewriter.flattening import Flattening, Roots
from rewriter.leaving_lists import Refusing
from rewriter.state import State
from rewriter.values import (
    IteratorCell,
    IteratorValue,
    Known,
    Reference,
    RunTimeRange,
    ScalarValue,
    TupleValue,
    Value,
    ViewValue,
)


def kept_cells(state: State) -> frozenset[int]:
    """Return the objects that attributes hold, which calls have written."""
    kept = Flattening(state, Roots(frames=(), attributes=tuple(state.attributes)))
    return frozenset(kept.run().cells)


@dataclass(frozen=True, slots=True)
class LeavingIterators:
    """Writes what makes windows and iterators for the caller."""

    frame: Frame
    state: State
    write: Callable[[Value], ast.expr]
    """Writes what they look at."""
    refuse: Refusing

    written: dict[int, ast.expr]
    """The expressions of objects, inner ones first: one iterator is one for the caller, too."""

    def expression(self, value: ViewValue | IteratorValue | RunTimeRange) -> ast.expr:
        """Return the expression of a window, an iterator or a range."""
        match value:
            case RunTimeRange():
                return range_expression(self.frame, self.state, value)
            case ViewValue(part=part):
                whole = self._whole(Reference(value.identity))
                return call_expression(ast.Attribute(value=whole, attr=part, ctx=ast.Load()), [])
            case IteratorValue():
                return self._once(value, self._iterator)

    def _once(self, value: IteratorValue, made: Callable[[IteratorCell], ast.expr]) -> ast.expr:
        if value.identity not in self.written:
            cell = self.state.cell(Reference(value.identity), IteratorCell)
            expression = made(cell)
            self.written[value.identity] = expression
        return self.written[value.identity]

    def _iterator(self, cell: IteratorCell) -> ast.expr:
        """Return the expression of an iterator that nobody has asked for an item."""
        match cell.source:
            case Zipped(strict=False):
                return self._call(zip, *map(self._part, cell.items))
            case Numbered():
                items, number = cell.items
                return self._call(enumerate, self._part(items), self.write(number))
            case Walk():
                return self._walk(cell.source, cell.items[0])
            case Counting(element=None, step=step):
                stop, start, *stride = cell.items
                by = stride[0] if stride else None
                assert by is None or isinstance(by, ScalarValue)
                return self._call(iter, self.write(RunTimeRange(start, stop, step, by)))
            case Counting(step=1):
                whole, place = cell.items
                if isinstance(place, Known) and place.value == 0:
                    return self._call(iter, self._whole(whole))
        self._refuse_iterator()

    def _refuse_iterator(self) -> NoReturn:
        self.refuse("an iterator that was begun, or that works out its items when it is asked,")

    def _part(self, value: Value) -> ast.expr:
        """Return one of the iterators that ``zip`` or ``enumerate`` takes its items of."""
        assert isinstance(value, IteratorValue)
        return self._once(value, self._column)

    def _column(self, cell: IteratorCell) -> ast.expr:
        if cell.source is not None:
            return self._iterator(cell)
        return self._call(iter, self.write(TupleValue(cell.items)))

    def _walk(self, walk: Walk, container: Value) -> ast.expr:
        """Return what walks over a container of known structure, from its one end or the other."""
        size = len(listed_items(self.state, container) or ())
        begun = walk.taken or walk.disturbed or walk.position != (0 if walk.step > 0 else size - 1)
        grown = walk.kind is Kind.DICT and walk.size != size
        if begun or grown or walk.kind is Kind.SET:
            self._refuse_iterator()
        return self._call(iter if walk.step > 0 else reversed, self._whole(container))

    def _whole(self, value: Value) -> ast.expr:
        """Return the expression of what is looked at, which nothing but the result holds."""
        state, run = self.state, self.frame.run
        if isinstance(value, Reference | ViewValue):
            given = run.lasting_cells | run.containers.places.keys()
            attributes = run.containers.attributes.owners.keys()
            if value.identity in given | attributes | kept_cells(state):
                self.refuse("a window on, or an iterator over, what something else holds")
            kind: type = getattr(state.heap[value.identity], "kind", dict)
            if kind.__module__ not in ("builtins", "collections"):
                self.refuse(f"a window on, or an iterator over, a {kind.__name__}")
        return self.write(value)

    def _call(self, function: object, *arguments: ast.expr) -> ast.Call:
        name = getattr(function, "__name__", "")
        reference = self.frame.run.builder.reference(function, name)
        return call_expression(reference, arguments)
