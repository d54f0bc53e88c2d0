"""What is special about tensor objects, by the variables that stand for them."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class TensorObjects:
    """Which variables stand for tensor objects that something is to be known of."""

    aliased: set[str] = field(default_factory=set)
    """Variables that stand for several tensor objects with one content (``y = x[:]``)."""
    callers: set[str] = field(default_factory=set)
    """Variables that stand for tensor objects which the caller, or the model, holds."""
    contained: set[str] = field(default_factory=set)
    """Variables that stand for tensor objects taken out of containers of the host."""
    asking: set[str] = field(default_factory=set)
    """Variables that may stand for tensor objects which have asked for gradients themselves."""
    fixed_views: set[str] = field(default_factory=set)
    """Variables that may stand for views into which nobody may write what PyTorch records."""

    def _tables(self) -> dict[str, set[str]]:
        names = ("aliased", "callers", "contained", "asking", "fixed_views")
        return {name: getattr(self, name) for name in names}

    def inherit(self, new: str, *old: str) -> None:
        """Record that a new variable stands for the objects of older ones."""
        for names in self._tables().values():
            if not names.isdisjoint(old):
                names.add(new)

    def flags(self, name: str) -> frozenset[str]:
        """Return what is special about the tensor objects that a variable stands for."""
        return frozenset(flag for flag, names in self._tables().items() if name in names)

    def flag(self, name: str, flags: Iterable[str]) -> None:
        """Record what is special about the tensor objects that a variable stands for."""
        tables = self._tables()
        for flag in flags:
            tables[flag].add(name)
