"""Structured control flow: what a control-flow graph is turned into, and Python can say."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Straight(Generic[Node]):
    """Run the straight line of a node. A node without successors leaves the function."""

    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Generic[Node]):
    """Decide by the test of a node, after its straight line has run."""

    node: Node
    negated: bool
    then: "Body[Node]"
    orelse: "Body[Node]" = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop(Generic[Node]):
    """``while test:``, or ``while True:`` without a test."""

    test: Node | None
    negated: bool
    body: "Body[Node]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Once(Generic[Node]):
    """A region that runs once and can be left early: ``while True: ...; break``.

    The body ends in ``Break`` wherever control would reach its end.
    """

    body: "Body[Node]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Leave the innermost loop or region."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue:
    """Go on with the next round of the innermost loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFlag:
    """Note whether an outer loop is to be left (or continued) as well."""

    flag: int
    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IfFlag:
    """Leave or continue the next outer loop if a flag says so."""

    flag: int
    action: Break | Continue


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """Make a numbered place the next one to run."""

    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(Generic[Node]):
    """Numbered places, run by number until one leaves the function; starts with 0.

    Looking at the places in order and again from the start finds the next one: most
    places enter a later one.
    """

    bodies: "tuple[Body[Node], ...]"


Item: TypeAlias = (
    Straight[Node]
    | If[Node]
    | Loop[Node]
    | Once[Node]
    | Break
    | Continue
    | SetFlag
    | IfFlag
    | Enter
    | Places[Node]
)
Body: TypeAlias = tuple[Item[Node], ...]
