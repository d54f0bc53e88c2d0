"""Tensor objects over the same elements, where each goes by a variable of its own (``y.data``)."""

from collections.abc import Iterable
from itertools import combinations

from rewriter.state import State
from rewriter.storages import Storages, same_view, storage_key
from rewriter.values import TensorValue, Value


def note_sharing(storages: Storages, state: State, leaves: Iterable[Value]) -> None:
    """Where paths meet: a variable may stand for either of two objects from here on."""
    if not storages.told_apart:
        return
    groups: dict[int, dict[str, TensorValue]] = {}
    for leaf in leaves:
        if isinstance(leaf, TensorValue):
            now = state.current(leaf)
            groups.setdefault(storage_key(now.fake), {})[now.name] = now
    for group in groups.values():
        for one, other in combinations(group.values(), 2):
            if same_view(one.fake, other.fake):
                storages.contained |= {one.name, other.name}


def note_exchanged(
    storages: Storages,
    end: State,
    entry: Iterable[Value],
    head: Iterable[Value],
    back: Iterable[Value],
) -> bool:
    """Note what a loop's variables stand for that have another object over the same elements
    after an iteration; return whether that is new.
    """
    found: set[str] = set()
    if storages.told_apart:
        for before, one, other in zip(entry, head, back, strict=True):
            if isinstance(one, TensorValue) and isinstance(other, TensorValue):
                now = end.current(other)
                if same_view(end.current(one).fake, now.fake) and end.current(one).name != now.name:
                    found |= {one.name, now.name}
                    found |= {before.name} if isinstance(before, TensorValue) else set()
    is_new = not found <= storages.contained
    storages.contained |= found
    return is_new
