"""What outlives the call and is written: attributes, variables of files, containers, tensors."""

from dataclasses import dataclass

from rewriter.keeping.shapes import Unset

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

    @property
    def initial(self) -> object:
        """Return what it is at compile time, ``Unset`` for a missing attribute."""
        if self.attribute is None:
            return self.content
        if isinstance(self.content, dict | type):
            table = self.content if isinstance(self.content, dict) else vars(self.content)
            return table.get(self.attribute, Unset())
        return getattr(self.content, self.attribute, Unset())
