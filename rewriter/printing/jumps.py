"""Structuring, second half: jumps become ``break``, ``continue`` and flags.

A jump out of the innermost loop is a ``break`` or ``continue``. A jump further out raises
a flag and breaks; behind each loop that it leaves, the flag is looked at.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from rewriter.diagnostics import DyclBug
from rewriter.printing.drafts import Choice, Draft, DraftItem, Goto, Scope, TooDeep
from rewriter.printing.structured import (
    Body,
    Break,
    Continue,
    Enter,
    If,
    IfFlag,
    Item,
    Loop,
    Node,
    Once,
    Places,
    SetFlag,
    Straight,
)

MAX_LOOPS = 16
"""How deep loops may nest; Python allows 20 nested blocks."""


@dataclass(slots=True)
class _Frame(Generic[Node]):
    """A scope around the current place, while its body is lowered."""

    head: Node | None
    follow: Node | None
    crossed: dict[Node, None] = field(default_factory=dict)
    """Targets of the jumps that leave this scope for one further out, in order."""

    def action(self, target: Node) -> Break | Continue | None:
        if target == self.follow:
            return Break()
        return Continue() if target == self.head else None


@dataclass(slots=True)
class Lowering(Generic[Node]):
    """Turns drafts into structured items."""

    successors: Mapping[Node, Sequence[Node]]
    tests: Collection[Node]
    _frames: list[_Frame[Node]] = field(default_factory=list)
    _flags: dict[Node, int] = field(default_factory=dict)

    def body(self, draft: "Draft[Node]") -> "Body[Node]":
        """Return the items for a draft."""
        return tuple(item for part in draft for item in self._items(part))

    def _items(self, part: "DraftItem[Node]") -> "Sequence[Item[Node]]":
        match part:
            case Straight():
                return (part,)
            case Choice():
                return (
                    If(
                        node=part.node,
                        negated=part.negated,
                        then=self.body(part.then),
                        orelse=self.body(part.orelse),
                    ),
                )
            case Goto():
                return self._jump(part.target)
            case Scope():
                return self._scope(part)

    def _jump(self, target: Node) -> "Sequence[Item[Node]]":
        crossed = []
        for frame in reversed(self._frames):
            action = frame.action(target)
            if action is not None:
                break
            crossed.append(frame)
        else:
            raise DyclBug(f"no enclosing scope leads to node {target!r}")
        if not crossed:
            return (action,)
        for frame in crossed:
            frame.crossed[target] = None
        return (SetFlag(flag=self._flag(target), value=True), Break())

    def _scope(self, scope: Scope[Node]) -> "Sequence[Item[Node]]":
        if len(self._frames) == MAX_LOOPS:
            raise TooDeep
        frame = _Frame(head=scope.head, follow=scope.follow)
        self._frames.append(frame)
        body = self.body(scope.body)
        self._frames.pop()
        before: list[Item[Node]] = []
        after: list[Item[Node]] = []
        for target in frame.crossed:
            flag = self._flag(target)
            action = self._frames[-1].action(target)
            if action is not None:
                before.append(SetFlag(flag=flag, value=False))
            after.append(IfFlag(flag=flag, action=action or Break()))
        if scope.head is None:
            region = Once(body=body if self._never_ends(body) else (*body, Break()))
            return (*before, region, *after)
        return (*before, self._loop(scope.head, body), *after)

    def _flag(self, target: Node) -> int:
        return self._flags.setdefault(target, len(self._flags) + 1)

    def _loop(self, head: Node, body: "Body[Node]") -> Loop[Node]:
        if body and body[-1] == Continue():
            body = body[:-1]
        match body:
            case (If(node=node, negated=negated, then=(Break(),), orelse=()), *rest) if (
                node == head and node in self.tests
            ):
                return Loop(test=node, negated=not negated, body=tuple(rest))
            case _:
                return Loop(test=None, negated=False, body=body)

    def _never_ends(self, body: "Body[Node]") -> bool:
        """Return whether control surely does not reach the end of a body."""
        if not body:
            return False
        match body[-1]:
            case Break() | Continue():
                return True
            case Straight(node=node):
                return not self.successors[node]
            case If(then=then, orelse=orelse):
                return self._never_ends(then) and self._never_ends(orelse)
            case Loop() | Once() | SetFlag() | IfFlag() | Enter() | Places():
                return False
