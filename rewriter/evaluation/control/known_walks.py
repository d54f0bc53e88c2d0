"""Walks over lists, dicts, sets and deques of the program while their structure is known.

What Python does when a container changes inside of a walk over it is done here too; where it
goes by the layout of a hash table, the walk is refused.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, replace
from enum import Enum

import libcst as cst

from rewriter.evaluation.containers.containers import listed_items
from rewriter.evaluation.containers.lazy_iterators import Items, lazy_iterator
from rewriter.evaluation.control.disturbed_walks import refuse_disturbed
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    SetCell,
    Value,
    ViewValue,
)


class Kind(Enum):
    """How Python walks a kind of container."""

    LIST = "list"
    """By position, whatever becomes of it."""
    DEQUE = "deque mutated during iteration"
    """It counts the changes, and raises."""
    ORDERED = "OrderedDict mutated during iteration"
    """The same, but the key that comes next is chosen one step earlier."""
    DICT = "dictionary changed size during iteration"
    """It looks at the size, then at the next place of its table."""
    SET = "Set changed size during iteration"


@dataclass(frozen=True, slots=True)
class Walk:
    """Goes through a container of the program as it is at each step.

    It works with the container; for a set also with its elements in order.
    """

    kind: Kind
    position: int = 0
    step: int = 1
    taken: int = 0
    """How many items were given."""
    size: int = 0
    """How many items a dict or set must keep; less than 0 where it did not."""
    disturbed: bool = False
    """Whether the container changed in a way that its size does not tell."""
    follows: bool = True
    """Whether an OrderedDict had a key for the next step."""
    owned: bool = False
    """Whether nothing but a loop being evaluated holds it: a step is no effect then."""
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether the container has become one that exists at run time only."""
        container = items[0]
        assert isinstance(container, Reference | ViewValue)
        return isinstance(state.heap[container.identity], RunTimeCell)

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the item at the position."""
        parts = state.cell(Reference(iterator.identity), IteratorCell).items
        container = parts[0]
        assert isinstance(container, Reference | ViewValue)
        if self.kind is Kind.ORDERED and not self.follows:
            self._keep(frame, state, iterator, IteratorCell(()))
            yield state, None
            return
        if isinstance(state.heap[container.identity], RunTimeCell):
            yield from self._on_host(frame, node, state, iterator, container)
            return
        items = parts[1:] or listed_items(state, container) or ()
        if self._raises(frame, node, state, container):
            raised = replace(self, size=-1, follows=False)
            self._keep(frame, state, iterator, IteratorCell(parts, raised))
            frame.run.raise_known(state, RuntimeError(self.kind.value))
        elif 0 <= self.position < len(items):
            after = self.position + self.step
            follows = self.kind is not Kind.ORDERED or 0 <= after < len(items)
            following = replace(self, position=after, taken=self.taken + 1, follows=follows)
            self._keep(frame, state, iterator, IteratorCell(parts, following))
            yield state, items[self.position]
        else:
            self._keep(frame, state, iterator, IteratorCell(()))
            yield state, None

    def _raises(
        self, frame: Frame, node: cst.CSTNode, state: State, container: Reference | ViewValue
    ) -> bool:
        """Return whether Python raises here; refuse where it goes by the layout of a table."""
        match self.kind:
            case Kind.LIST:
                return False
            case Kind.DEQUE | Kind.ORDERED:
                return self.disturbed
            case Kind.DICT | Kind.SET:
                cell = state.heap[container.identity]
                assert isinstance(cell, DictCell | SetCell)
                if len(cell.items) != self.size:
                    return True
                refuse_disturbed(frame, node, self.disturbed)
                return False

    def _on_host(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue,
        container: Reference | ViewValue,
    ) -> Items:  # fmt: skip
        """Go on over a list that has become one of the host's."""
        # Other walks become the host's with their container, unless they were disturbed.
        refuse_disturbed(frame, node, self.kind is not Kind.LIST)
        # What the host walks goes on from what was known: a real cycle.
        from rewriter.evaluation.control.run_time_walks import counting_from

        source = counting_from(state, container, self.step)
        position = self.position if self.position >= 0 else -1
        cell = IteratorCell((container, Known(position)), source)
        self._keep(frame, state, iterator, cell)
        yield from source.advance(frame, node, state, iterator)

    def _keep(
        self, frame: Frame, state: State, iterator: IteratorValue, cell: IteratorCell
    ) -> None:
        if self.owned:
            state.heap[iterator.identity] = cell
        else:
            frame.run.update(state, Reference(iterator.identity), cell)


def known_walk(
    frame: Frame, state: State, container: Reference | ViewValue, *, back: bool = False,
    owned: bool = False,
) -> IteratorValue | None:  # fmt: skip
    """Return an iterator over a container of known structure, None for other objects."""
    cell = state.heap[container.identity]
    order: tuple[Value, ...] = ()
    match cell:
        case ListCell():
            kind = Kind.DEQUE if issubclass(cell.kind, deque) else Kind.LIST
        case DictCell():
            kind = Kind.ORDERED if issubclass(cell.kind, OrderedDict) else Kind.DICT
        case SetCell() if not back:
            kind, order = Kind.SET, tuple(map(Known, cell.order))
        case _:
            return None
    size = len(cell.items)
    position, step = (size - 1, -1) if back else (0, 1)
    kept = size if kind in (Kind.DICT, Kind.SET) else 0
    follows = kind is not Kind.ORDERED or size > 0
    walk = Walk(kind, position, step, size=kept, follows=follows, owned=owned)
    return lazy_iterator(frame.run, state, (container, *order), walk)
