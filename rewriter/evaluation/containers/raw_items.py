"""What containers hold, where a class derived from list, tuple or dict says something else."""

from collections import deque
from types import FunctionType
from typing import Any

_READING = ("__iter__", "__len__", "__getitem__")


def held_by(content: Any) -> list[object]:
    """Return what a container holds, as no method of a class derived from it would tell."""
    if isinstance(content, dict):
        return list(dict.values(content))
    kinds: tuple[Any, ...] = (tuple, set, frozenset, list, deque)
    kind = next(kind for kind in kinds if isinstance(content, kind))
    return list(kind.__iter__(content))


def items_read(content: object) -> list[object] | None:
    """Return the items of a list or tuple; None where its class says them, and for all else."""
    if not isinstance(content, list | tuple) or _is_read_otherwise(content):
        return None
    return held_by(content)


def _is_read_otherwise(content: "list[Any] | tuple[Any, ...]") -> bool:
    """Return whether a class derived from list or tuple says itself what its items are."""
    kind = type(content)
    return kind not in (list, tuple) and any(
        isinstance(getattr(kind, name), FunctionType) for name in _READING
    )
