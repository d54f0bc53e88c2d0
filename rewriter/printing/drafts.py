"""A graph as nested code that may still hold jumps."""

from dataclasses import dataclass
from typing import Generic, TypeAlias

from rewriter.printing.structured import Node, Straight


class TooDeep(Exception):
    """The graph nests deeper than Python can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goto(Generic[Node]):
    """Go on at a node that is placed elsewhere."""

    target: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Generic[Node]):
    """An ``if`` whose arms may still hold jumps."""

    node: Node
    negated: bool
    then: "Draft[Node]"
    orelse: "Draft[Node]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope(Generic[Node]):
    """A loop, or a region that runs once (without a head)."""

    head: Node | None
    """Where the next round starts; reaching the end of the body also leads here."""
    follow: Node | None
    """Where leaving leads: what is placed after the scope."""
    body: "Draft[Node]"


DraftItem: TypeAlias = Straight[Node] | Choice[Node] | Scope[Node] | Goto[Node]


Draft: TypeAlias = tuple[DraftItem[Node], ...]


def choice_of(node: Node, then: "Draft[Node]", orelse: "Draft[Node]") -> Choice[Node]:
    """Return an ``if`` with these arms, negated where only the second has code."""
    if not then and orelse:
        return Choice(node=node, negated=True, then=orelse, orelse=())
    return Choice(node=node, negated=False, then=then, orelse=orelse)
