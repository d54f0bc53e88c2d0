"""What the host calls where tensors that its containers hold are written in place.

Such a tensor has an array of its own in the containers, which all that hold it share. Stands in
host packages as it is here: it may import nothing.
"""

from typing import Any


def copied(held: Any) -> Any:
    """Return a copy of an array, or tensor, with memory of its own."""
    return held.clone() if hasattr(held, "clone") else held.copy()


def refill(held: Any, content: Any) -> None:
    """Give an array, or tensor, that containers hold another content."""
    held[...] = content
