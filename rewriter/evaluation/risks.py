"""What one evaluation knows of statements that may raise what nothing in the program catches."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rewriter.origin import Origin
from rewriter.state import State


@dataclass(slots=True)
class Risks:
    """What is done before such a statement, and after its error."""

    before: Callable[[State, Origin], None] | None = None
    """Called before one that may raise on the host: it stores what is kept."""
    before_tensors: Callable[[State, Origin], None] | None = None
    """Called before tensor code that may raise."""
    cleanups: list[Callable[[State], list[State]]] = field(default_factory=list)
    """What the open ``finally`` clauses and managers do after an error, outermost first: each
    gives the states that it ends with, none where something is refused."""
    cleaning: int = 0
    """Whether one of these is being evaluated."""
    looked_at: list[tuple[type[BaseException], ...]] = field(default_factory=list)
    """What is caught around here by clauses that look at it: they may show its text."""
    announced: int = 0
    """How often the program says what is to be done."""
