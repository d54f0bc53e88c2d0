"""Whether values are, or contain, tensors."""

from collections.abc import Hashable

from rewriter.flattening import Flattening, Roots
from rewriter.host_type_properties import has_tensor
from rewriter.host_type_relations import TypeToken
from rewriter.state import State
from rewriter.values import Value


def holds_tensor(state: State, *values: Value) -> bool:
    """Return whether values, or what they contain, are tensors: their text is PyTorch's own."""
    return _mentions_tensor(tuple(Flattening(state, Roots(frames=(), extra=values)).run().shape))


def _mentions_tensor(token: Hashable) -> bool:
    if isinstance(token, TypeToken):
        return has_tensor(token.type)
    return isinstance(token, tuple) and (
        token[:1] == ("tensor",) or any(_mentions_tensor(part) for part in token)
    )
