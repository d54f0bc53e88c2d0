"""What joins have made one of which a refused program may need to know which it is."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Joins:
    """The variables of all evaluations that stand for several things which were told apart."""

    numbers: set[str] = field(default_factory=set)
    """Those that are one known number on some paths, and another one on others."""
    memory: set[str] = field(default_factory=set)
    """Some of those that are tensors of one memory on some paths, and of another one on others."""
