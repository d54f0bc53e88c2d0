"""Items that are added to a list or deque of known length."""

from collections import deque
from dataclasses import replace

from rewriter.evaluation.containers.containers import within
from rewriter.evaluation.control.container_changes import tell_walks
from rewriter.evaluation.run import Run
from rewriter.state import State
from rewriter.values import ListCell, Reference, Value


def add_last(run: Run, state: State, receiver: Reference, items: tuple[Value, ...]) -> None:
    """Add items at the end; a deque with a bound loses as many at its beginning as it must."""
    cell = state.cell(receiver, ListCell)
    _set(run, state, receiver, within(cell.items + items, cell.bound), bool(items))


def add_first(run: Run, state: State, receiver: Reference, items: tuple[Value, ...]) -> None:
    """Add items at the beginning, one after the other; a bound cuts at the end."""
    cell = state.cell(receiver, ListCell)
    whole = items[::-1] + cell.items
    _set(run, state, receiver, whole[: cell.bound], bool(items))


def turn(run: Run, state: State, receiver: Reference, places: int) -> None:
    """Move the last items of a deque to its beginning."""
    items = state.cell(receiver, ListCell).items
    turned = deque(items)
    turned.rotate(places)
    _set(run, state, receiver, tuple(turned), len(items) > 1)


def _set(
    run: Run, state: State, receiver: Reference, items: tuple[Value, ...], is_change: bool
) -> None:
    cell = state.cell(receiver, ListCell)
    run.update(state, receiver, replace(cell, items=items))
    if is_change and issubclass(cell.kind, deque):
        tell_walks(state, receiver.identity)
