"""Elements of tensors that are asked for, or written, by the name of the method."""

import operator
from collections.abc import Callable

from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.state import State
from rewriter.values import Value

_ITEMS: dict[tuple[str, int], Callable[..., object]] = {
    ("__getitem__", 1): operator.getitem,
    ("__setitem__", 2): operator.setitem,
}
"""What functions do the same, by the number of arguments."""


def item_function(
    state: State, receiver: Value, name: str, given: list[Value]
) -> Callable[..., object] | None:
    """Return the function that does what a method of a tensor does, if one does.

    Not where its class has a method of its own: it was reached by ``super()``.
    """
    found = _ITEMS.get((name, len(given)))
    if found is None or tensor_of(receiver) is None:
        return None
    return found if method_of(state, receiver, name) is None else None
