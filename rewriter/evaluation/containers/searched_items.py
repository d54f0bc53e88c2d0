"""The items that ``in`` looks at."""

from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.containers.hashed_keys import keys_of
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
