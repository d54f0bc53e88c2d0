"""What a generator that waits has still to do: a stack of suites, loops and ``try`` statements."""

from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

from rewriter.state import Raised, Returned, State
from rewriter.values import Value


@dataclass(frozen=True, slots=True)
class Statements:
    """A suite, and the statement to execute next."""

    body: tuple[cst.CSTNode, ...]
    index: int = 0


@dataclass(frozen=True, slots=True)
class Looping:
    """A loop whose body ends before this goes on."""

    node: cst.For | cst.While


@dataclass(frozen=True, slots=True)
class Delegating:
    """``yield from``: an iterator in a hidden variable."""

    node: cst.Yield
    target: cst.BaseAssignTargetExpression | None


@dataclass(frozen=True, slots=True)
class Receiving:
    """What ``yield`` gives is assigned."""

    target: cst.BaseAssignTargetExpression


@dataclass(frozen=True, slots=True)
class Protected:
    """The body of a ``try`` statement."""

    node: cst.Try


Item: TypeAlias = Statements | Looping | Delegating | Receiving | Protected


Stack: TypeAlias = tuple[Item, ...]
"""What a generator has still to do, innermost last."""


@dataclass(frozen=True, slots=True)
class Yielded:
    """The generator gave a value and waits."""

    state: State
    value: Value
    stack: Stack


Step: TypeAlias = Yielded | Returned | Raised
