"""Iterators over lists of known structure that a loop of unknown length takes items from.

``while (item := next(items, None)) is not None and item < most``: each iteration leaves the
iterator at another place. The list exists at run time only from the loop on, and so does the place.
That is tried last: how many items there are is known no more.
"""

from rewriter.evaluation.control.known_walks import Kind, Walk
from rewriter.evaluation.control.run_time_walks import counting_from
from rewriter.evaluation.run_time.run_time_structures import type_for_both
from rewriter.host_types import SequenceType
from rewriter.state import State
from rewriter.values import IteratorCell, Known, Reference, RunTimeCell


def list_walked(
    head: State, one: int, end: State, other: int
) -> tuple[Reference, SequenceType] | None:
    """Return the list that two iterators go through, and its type; None for other objects."""
    lists = [_list_of(head, one), _list_of(end, other)]
    if lists[0] is None or lists[0] != lists[1]:
        return None
    kind = type_for_both(head, lists[0], end, lists[0])
    return (lists[0], kind) if isinstance(kind, SequenceType) else None


def _list_of(state: State, identity: int) -> Reference | None:
    cell = state.heap.get(identity)
    if not isinstance(cell, IteratorCell) or not isinstance(cell.source, Walk):
        return None
    container = cell.items[0]
    is_list = cell.source.kind is Kind.LIST and isinstance(container, Reference)
    return container if is_list and isinstance(container, Reference) else None


def let_walk(state: State, identity: int) -> bool:
    """Let an iterator's place be one of run time; return whether its list is one of the host's."""
    cell = state.heap[identity]
    if not isinstance(cell, IteratorCell) or not isinstance(cell.source, Walk):
        return True
    container = _list_of(state, identity)
    if container is None or not isinstance(state.heap[container.identity], RunTimeCell):
        return False
    source = counting_from(state, container, cell.source.step)
    position = max(cell.source.position, -1)
    state.heap[identity] = IteratorCell((container, Known(position)), source)
    return True
