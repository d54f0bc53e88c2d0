"""Tensor objects over the same elements, where each goes by a variable of its own (``y.data``)."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from rewriter.state import State
from rewriter.storages import Storages, same_view
from rewriter.values import TensorValue, Value


def note_joined(storages: Storages, paths: Sequence[tuple[State, Sequence[Value]]]) -> None:
    """Note what may be one object or two where paths meet: it is one on some paths only."""
    if not storages.told_apart:
        return
    now = [[_current(state, leaf) for leaf in leaves] for state, leaves in paths]
    columns = [column for column in zip(*now, strict=True) if None not in column]
    for one, other in combinations(columns, 2):
        pairs = [(x, y) for x, y in zip(one, other, strict=True) if x and y]
        same = [x.name == y.name for x, y in pairs]
        if any(same) and any(x.name != y.name and same_view(x.fake, y.fake) for x, y in pairs):
            storages.contained.update(x.name for pair in pairs for x in pair)


def _current(state: State, leaf: Value) -> TensorValue | None:
    return state.current(leaf) if isinstance(leaf, TensorValue) else None


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
