"""What outlives the call and is written: attributes, variables of files, containers, tensors."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import nn

from rewriter.keeping.shapes import Unset

_TABLES = ("_parameters", "_buffers", "_modules")
_GIVING_OBJECTS = frozenset(
    {"parameters", "named_parameters", "buffers", "named_buffers", "get_parameter", "get_buffer"}
)
"""Methods of modules that give the very tensors that these hold."""

Key = tuple[int, str]
"""An object, by id, and the name of its attribute; a word of its path for the object itself."""


@dataclass(frozen=True, slots=True)
class Root:
    """Something that outlives the call and that the program writes to."""

    key: Key
    name: str
    """What it is called in the state: its path from the model."""
    content: object
    """The object, or the one that has the attribute."""
    attribute: str | None
    """None where the object itself, a container or tensor, is changed."""
    is_alone: bool = False
    """Whether nothing else holds what the attribute is in the beginning, which calls change."""

    @property
    def is_whole(self) -> bool:
        """Return whether calls change what it is in the beginning, and nothing else holds that."""
        return self.attribute is None or self.is_alone

    @property
    def initial(self) -> object:
        """Return what it is at compile time, ``Unset`` for a missing attribute."""
        if self.attribute is None:
            return self.content
        if isinstance(self.content, dict | type):
            table = self.content if isinstance(self.content, dict) else vars(self.content)
            return table.get(self.attribute, Unset())
        return own_or_unset(self.content, self.attribute)


def is_asked_for(root: Root, stored: type, asked: str) -> bool:
    """Return whether ``parameters()``, ``buffers()``... give a root; ``stored``: see ``Plan``."""
    if root.attribute is None and asked in _GIVING_OBJECTS:
        return False  # which are the same ones, whatever has been written into them
    if issubclass(stored, nn.Module) or isinstance(root.initial, nn.Module):
        return True
    held = (root.content, root.initial)
    is_buffer = root.attribute in getattr(root.content, "_buffers", {})  # which may be None first
    if not is_buffer and not any(isinstance(content, torch.Tensor) for content in held):
        return issubclass(stored, nn.Parameter)
    if "parameter" not in asked:
        return True
    tables = getattr(root.content, "_parameters", {})
    is_parameter = any(isinstance(content, nn.Parameter) for content in held)
    return is_parameter or root.attribute in tables or issubclass(stored, nn.Parameter)


def written_memory(roots: Iterable[Root]) -> frozenset[int]:
    """Return the memory of the tensors among what calls change."""
    tensors = [root.initial for root in roots if root.is_whole]
    return frozenset(t.untyped_storage().data_ptr() for t in tensors if isinstance(t, torch.Tensor))


def own_or_unset(content: object, attribute: str) -> object:
    """Return what an object has itself, whatever its ``__getattr__`` makes up."""
    try:
        return object.__getattribute__(content, attribute)
    except (AttributeError, ValueError):  # ValueError: a variable without a value
        tables = [vars(content)[t] for t in _TABLES] if isinstance(content, nn.Module) else []
    return next((table[attribute] for table in tables if attribute in table), Unset())
