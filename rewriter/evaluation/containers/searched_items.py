"""The items that ``in`` looks at."""

from typing import Any

from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.containers.hashed_keys import keys_of
from rewriter.evaluation.containers.raw_items import held_by, is_read_otherwise
from rewriter.evaluation.rendering import known_object
from rewriter.state import State
from rewriter.values import Known, Value


def candidates(state: State, container: Value) -> tuple[Value, ...] | None:
    """Return the items that a run-time item is compared with, None where unknown."""
    items = sequence_items(state, container)
    mapping = keys_of(state, container)
    if items is not None or mapping is not None:
        return items if mapping is None else tuple(map(Known, mapping))
    content = known_object(state, container)
    if content is not None and isinstance(content.value, set | frozenset | range):
        return tuple(map(Known, sorted(content.value)))
    return None


def own_items(container: "list[Any] | tuple[Any, ...]") -> Known | None:
    """Return what is searched where a class says in methods that its items are others."""
    return Known(tuple(held_by(container))) if is_read_otherwise(container) else None
