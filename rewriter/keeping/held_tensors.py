"""Tensors that are kept, and that others may hold: what one evaluation knows of them."""

from dataclasses import dataclass, field

from rewriter.keeping.roots import Key
from rewriter.values import TensorValue


@dataclass(slots=True)
class HeldTensors:
    """Tensors of the state that callers may have as well (see ``written_in_place``)."""

    begun: dict[tuple[int, Key], str] = field(default_factory=dict)
    """What those that calls write in place are called when a call begins, by phase."""
    own_copies: dict[str, TensorValue] = field(default_factory=dict)
    """What the state gets for such tensors that the call has made, by what these are called."""
    shared: dict[int, Key] = field(default_factory=dict)
    """Attributes that hold tensors which something else held when a call ended, by storage."""
