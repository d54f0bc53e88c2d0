"""The objects that a model holds, and how each is reached from it."""

from collections import deque
from collections.abc import Iterator

import torch
from torch import nn

from rewriter.known_paths import is_library

_MOST_OBJECTS = 200_000
_CONTAINERS = (list, tuple, dict, set, deque)


def held_objects(receiver: object) -> dict[int, tuple[str, object]]:
    """Return the mutable objects that a model reaches, by id, with their paths from it."""
    found: dict[int, tuple[str, object]] = {}
    pending: deque[tuple[str, object]] = deque([("", receiver)])
    while pending and len(found) < _MOST_OBJECTS:
        path, content = pending.popleft()
        if id(content) in found or not _may_hold(content):
            continue
        found[id(content)] = (path, content)
        pending.extend(_parts(path, content))
    return found


def _may_hold(content: object) -> bool:
    if isinstance(content, (nn.Module, torch.Tensor, *_CONTAINERS)):
        return True
    return hasattr(content, "__dict__") and not (
        isinstance(content, type) or callable(content) or is_library(type(content).__module__)
    )


def _parts(path: str, content: object) -> Iterator[tuple[str, object]]:
    match content:
        case torch.Tensor():
            return
        case dict():
            for key, item in content.items():
                yield f"{path}[{key!r}]", item
        case list() | tuple() | set() | deque():
            for index, item in enumerate(content):
                yield f"{path}[{index}]", item
        case _:
            for name, item in _attributes(content).items():
                yield _dotted(path, name), item


def _attributes(content: object) -> dict[str, object]:
    if not isinstance(content, nn.Module):
        return vars(content)
    own = {name: item for name, item in vars(content).items() if name not in _TABLES}
    return {**content._modules, **content._parameters, **content._buffers, **own}


_TABLES = frozenset(vars(nn.Module()))
"""nn.Module's own attributes."""


def _dotted(path: str, name: str) -> str:
    if name.isdigit():
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name
