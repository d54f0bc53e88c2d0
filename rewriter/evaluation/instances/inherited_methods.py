"""Special methods of ``list`` and ``dict`` called by name, as ``super().__setitem__(...)`` does."""

import libcst as cst

from rewriter.evaluation.containers.container_items import container_item
from rewriter.evaluation.containers.hashed_keys import require_hashed_by_value
from rewriter.evaluation.containers.item_assignment import delete_own_item, set_own_item
from rewriter.evaluation.instances.instances import fill
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, DictCell, Known, ListCell, Reference, Value


def inherited_special(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, name: str,
    positional: list[Value], keywords: dict[str, Value] | None = None,
) -> Outcomes:  # fmt: skip
    """Evaluate what the builtin class itself does for an object of known structure."""
    cell = state.heap[receiver.identity]
    assert isinstance(cell, ListCell | DictCell)
    match name, positional:
        case "__init__", _:
            for after, _ in fill(frame, node, state, receiver, positional, keywords or {}):
                yield after, NONE
        case "__getitem__", [index]:
            yield from container_item(frame, node, state, receiver, index)
        case "__setitem__", [index, item]:
            for after in set_own_item(frame, node, state, receiver, index, item):
                yield after, NONE
        case "__delitem__", [index]:
            for after in delete_own_item(frame, node, state, receiver, index):
                yield after, NONE
        case "__contains__", [key] if (
            found := _has_key(frame, node, state, cell, key)
        ) is not None:
            yield state, Known(found)
        case "__len__", []:
            yield state, Known(len(cell.items))
        case _:
            frame.refuse("DYCL039", node, f"method {name!r} of a {cell.kind.__name__}")


def _has_key(
    frame: Frame, node: cst.CSTNode, state: State, cell: ListCell | DictCell, key: Value
) -> bool | None:
    """Return whether a dict has a known key, None for what is asked otherwise."""
    if not isinstance(cell, DictCell):
        return None
    require_hashed_by_value(frame, node, key)
    known = known_object(state, key)
    if known is None or type(known.value) not in _PLAIN_KEYS:
        return None
    return known.value in cell.items


_PLAIN_KEYS = (str, int, bool, float, type(None))
