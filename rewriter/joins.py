"""What joins have made one of which a refused program may need to know which it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rewriter.leaves import are_known_numbers, is_known_text
from rewriter.origin import Origin
from rewriter.values import Value


class ManyStructures(Exception):
    """A program comes to much, and containers of few structures might make it shorter."""


@dataclass(frozen=True, slots=True)
class Joins:
    """The variables of all evaluations that stand for several things which were told apart."""

    numbers: set[str] = field(default_factory=set)
    """Those that are one known number on some paths, and another one on others."""
    memory: set[str] = field(default_factory=set)
    """Some of those that are tensors of one memory on some paths, and of another one on others."""
    texts: set[str] = field(default_factory=set)
    """Those that are one of few known texts, and what is computed of them."""
    asked: set[str] = field(default_factory=set)
    """Those of them that a test, or a function of the program, is given."""
    apart: list[Origin] = field(default_factory=list)
    """Where more than a few paths stayed apart, as their containers differ."""

    def note(self, name: str, leaves: Sequence[Value]) -> None:
        """Remember a variable that stands for any of several leaves."""
        if are_known_numbers(leaves):
            self.numbers.add(name)
        elif any(map(is_known_text, leaves)):
            self.texts.add(name)
