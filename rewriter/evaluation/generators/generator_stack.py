"""What a generator that waits has still to do: a stack of suites, loops and ``try`` statements."""

from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

from rewriter.state import Raised, Returned, State
from rewriter.values import NONE, Value


@dataclass(frozen=True, slots=True)
class Statements:
    """A suite, and the statement to execute next."""

    body: tuple[cst.CSTNode, ...]
    index: int = 0

    @property
    def is_done(self) -> bool:
        """Return whether all statements were executed."""
        return self.index == len(self.body)


@dataclass(frozen=True, slots=True)
class Looping:
    """A loop whose body ends before this goes on."""

    node: cst.For | cst.While
    turned: bool = False
    """Whether it has taken an item since the generator went on, of a number known at run time."""


@dataclass(frozen=True, slots=True)
class Delegating:
    """``yield from``: an iterator in a hidden variable."""

    node: cst.Yield
    target: cst.BaseAssignTargetExpression | None


@dataclass(frozen=True, slots=True)
class Receiving:
    """What ``yield`` gives is assigned."""

    target: cst.BaseAssignTargetExpression
    value: Value = NONE


@dataclass(frozen=True, slots=True)
class Protected:
    """The body of a ``try`` statement."""

    node: cst.Try


Item: TypeAlias = Statements | Looping | Delegating | Receiving | Protected


Stack: TypeAlias = tuple[Item, ...]
"""What a generator has still to do, innermost last."""


def waiting_stack(stack: Stack) -> Stack:
    """Return a stack as it is kept until the next item is asked for: without finished suites."""
    left = (item for item in stack if not (isinstance(item, Statements) and item.is_done))
    return tuple(Looping(item.node) if isinstance(item, Looping) else item for item in left)


@dataclass(frozen=True, slots=True)
class Yielded:
    """The generator gave a value and waits."""

    state: State
    value: Value
    stack: Stack


Step: TypeAlias = Yielded | Returned | Raised


def hidden_name(node: cst.CSTNode) -> str:
    """Return the variable of a loop's iterator."""
    # No name of the user's can look like this.
    return f"items of {id(node)}"


def loops_of(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return what walks an iterator of its own: loops, and ``yield from``."""
    own = [node] if isinstance(node, cst.For | cst.Yield) else []
    return own + [loop for child in node.children for loop in loops_of(child)]
