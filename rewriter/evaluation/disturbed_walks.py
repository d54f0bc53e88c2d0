"""Dicts, sets and deques that change inside a walk over them.

Python goes on by the layout of its hash table then, or raises: a walk that goes on is refused.
What changes the size and nothing else is noticed by the walk itself.
"""

from collections import OrderedDict, deque
from dataclasses import replace
from typing import Any

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorCell,
    Known,
    ListCell,
    Reference,
    SetCell,
    Value,
    ViewValue,
)

_MESSAGE = "a dict, set or deque loses or replaces an item inside a walk that goes on"
_HELP = "walk over list(...) of it"


def disturb(state: State, container: Reference) -> None:
    """Note in the run-time walks over a container that it lost an item."""
    for identity, cell in list(state.heap.items()):
        if not isinstance(cell, IteratorCell) or not hasattr(cell.source, "disturbed"):
            continue
        walked = (item for item in cell.items if isinstance(item, Reference | ViewValue))
        if any(item.identity == container.identity for item in walked):
            source: Any = cell.source
            state.heap[identity] = IteratorCell(cell.items, replace(source, disturbed=True))


def refuse_disturbed(frame: Frame, node: cst.CSTNode, disturbed: bool) -> None:
    """Refuse to go on with a walk over a container that lost an item."""
    if disturbed:
        frame.refuse("DYCL073", node, _MESSAGE, _HELP)


def check_known(
    frame: Frame, node: cst.CSTNode, state: State, source: Reference | ViewValue,
    before: tuple[Value, ...], now: tuple[Value, ...] | None,
) -> bool:  # fmt: skip
    """Return whether a walk may go on; raise Python's error, or refuse, where it may not."""
    cell = state.heap[source.identity]
    match cell:
        case DictCell():
            word = "dictionary changed size"
            held = list(cell.items)
            keys = None if isinstance(source, ViewValue) and source.part == "values" else before
            same = keys is None or held == [_key(item) for item in keys]
        case SetCell():
            word = "Set changed size"
            held = list(cell.items)
            same = cell.items == {item.value for item in before if isinstance(item, Known)}
        case ListCell() if issubclass(cell.kind, deque):
            word = "deque mutated"
            held = list(cell.items)
            same = all(one is other for one, other in zip(before, now or (), strict=False))
        case _:
            return True
    if len(held) != len(before):
        # Whether an OrderedDict raises depends on whether the item was its last.
        ordered = isinstance(cell, DictCell) and issubclass(cell.kind, OrderedDict)
        refuse_disturbed(frame, node, ordered)
        frame.run.raise_known(state, RuntimeError(f"{word} during iteration"))
        return False
    refuse_disturbed(frame, node, not same)
    return True


def _key(item: Value) -> object:
    first = getattr(item, "items", (item,))[0]
    return first.value if isinstance(first, Known) else first
