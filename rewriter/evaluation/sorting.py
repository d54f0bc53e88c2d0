"""``sorted``, ``list.sort``, ``min`` and ``max`` over items known at compile time."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, Value


def keys_of(
    frame: Frame, node: cst.CSTNode, state: State, items: tuple[Value, ...], key: Value | None
) -> Iterator[tuple[State, list[Value]]]:
    """Yield the sort keys of items."""
    from rewriter.evaluation.calls import call_value

    if key is None or (isinstance(key, Known) and key.value is None):
        yield state, list(items)
        return
    if not items:
        yield state, []
        return
    for after, first in call_value(frame, node, state, key, [items[0]], {}):
        for done, rest in keys_of(frame, node, after, items[1:], key):
            yield done, [first, *rest]


def sorted_items(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield the items in sorted order (stable, as Python's)."""
    reverse_value = known_object(state, keywords.get("reverse", Known(False)))
    if reverse_value is None:
        frame.refuse("DYCL052", node, "the direction of sorting is known only at run time")
    for after, keys in keys_of(frame, node, state, items, keywords.get("key")):
        knowns = [known_object(after, key) for key in keys]
        if None in knowns and len(items) > 1:
            frame.refuse("DYCL052", node, "sorting by keys known only at run time")
        values = [known.value if known is not None else 0 for known in knowns]
        try:
            order = sorted(
                range(len(items)),
                key=lambda index: values[index],  # type: ignore[return-value,arg-type]
                reverse=bool(reverse_value.value),
            )
        except Exception as error:
            frame.run.raise_known(after, error)
            continue
        yield after, tuple(items[index] for index in order)
