"""Walks the paths of a function, and puts off tensor code as long as nothing needs it.

Paths that know the same and have put off the same share their nodes from there on.
"""

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    kind_of,
    variables_in,
)
from hcfg.lines import Work
from hcfg.liveness import Liveness
from hcfg.path_facts import Facts
from hcfg.path_loops import Rotation
from hcfg.pending_code import Pending, PendingCode, statements_of
from hcfg.statements import all_writes, may_raise, reads, writes
from rewriter.program import HostSpec, ScalarSpec, Variable
from rewriter.schemas import ObjectSample

Position: TypeAlias = tuple[NodeId, int]
"""Before a node, or before one of the statements of a host block."""

_MOST_STEPS = 10_000


class TooMuch(Exception):
    """The paths would need too many nodes."""


@dataclass(slots=True, kw_only=True)
class PathWalk:
    """One walk; ``nodes`` are the new ones."""

    graph: Hcfg
    live: Liveness
    code: PendingCode
    relevant: Mapping[NodeId, frozenset[str]]
    """Variables that a test further on may be about."""
    unrolled: frozenset[NodeId]
    """Heads of loops whose iterations are walked one by one."""
    rotated: Mapping[NodeId, Rotation]
    """By the loop's head."""
    nothing: Facts
    early: frozenset[tuple[str, ...]]
    """Outputs of the sub-DNNs that are not put off beyond a test."""
    limit: int
    """How many nodes there may be."""
    nodes: dict[NodeId, Node] = field(default_factory=dict)
    _places: dict[object, NodeId] = field(default_factory=dict)
    _todo: list[tuple[NodeId, Callable[[], Node]]] = field(default_factory=list)
    _used: set[NodeId] = field(default_factory=set)
    _counts: Counter[str] = field(default_factory=Counter)

    def walk(self, entry: NodeId) -> None:
        """Walk all paths from an entry; raise ``TooMuch`` where that leads too far."""
        for node_id in self.graph.nodes:
            kind, _, number = node_id.partition("_")
            if number.isdecimal():
                self._counts[kind] = max(self._counts[kind], int(number) + 1)
        first = self.graph.nodes[entry]
        assert isinstance(first, Entry)
        self.nodes[entry] = replace(first, then=self._at(first.then, self.nothing, ()))
        steps = 0
        while self._todo:
            node_id, build = self._todo.pop()
            self.nodes[node_id] = build()
            steps += 1
            if steps > self.limit:
                raise TooMuch

    def _at(self, node_id: NodeId, facts: Facts, pending: Pending) -> NodeId:
        """Return the new node for a path that comes to a node."""
        for _ in range(_MOST_STEPS):
            facts = facts.only(self.relevant[node_id], self.live.before[node_id])
            node = self.graph.nodes[node_id]
            if isinstance(node, SubDnn):
                pending = (*pending, self.code.reading_once(node, facts))
                facts = facts.without(node.outputs)
                node_id = node.then
            elif isinstance(node, LoopHead) and self._is_left_out(node_id):
                node_id = node.then
            elif isinstance(node, Branch) and (known := facts.decided(node.condition)) is not None:
                target = node.if_true if known else node.if_false
                if self._starts_iteration(node_id, target):
                    return self._loop(node_id, target, pending)
                node_id = target
            else:
                return self._placed(node_id, node, facts, pending)
        raise TooMuch

    def _is_left_out(self, head: NodeId) -> bool:
        return head in self.unrolled or head in self.rotated

    def _placed(self, node_id: NodeId, node: Node, facts: Facts, pending: Pending) -> NodeId:
        match node:
            case HostBlock():
                return self._host((node_id, 0), facts, pending)
            case LoopHead():
                if pending:
                    return self._flushed((node_id, 0), facts, pending)
                return self._new(
                    (node_id,),
                    node_id,
                    lambda: replace(node, then=self._at(node.then, self.nothing, ())),
                )
            case Branch():
                return self._branch(node_id, node, facts, pending)
            case Return() | Raise():
                if pending:
                    return self._flushed((node_id, 0), facts, pending)
                # one for each path: shared ones would only make jumps of the host's text
                return self._new((node_id, len(self._places)), node_id, lambda: node)
            case _:
                raise AssertionError(node)

    def _branch(self, node_id: NodeId, node: Branch, facts: Facts, pending: Pending) -> NodeId:
        read = {*variables_in(node.condition, self.code.variables)}
        before = statements_of(pending)
        is_early = any(isinstance(each, SubDnn) and each.outputs in self.early for each in pending)
        in_order = any(map(may_raise, before)) and not _is_safe(node.condition, self.code.variables)
        in_order = in_order or self.code.changes_what_is_read(pending, read)
        if is_early or in_order or read & {*all_writes(before)}:
            return self._flushed((node_id, 0), facts, pending)

        def arm(target: NodeId, outcome: bool) -> NodeId:
            if self._starts_iteration(node_id, target):
                return self._loop(node_id, target, pending)
            return self._at(target, facts.told(node.condition, outcome), pending)

        return self._new(
            (node_id, facts.key, pending),
            node_id,
            lambda: replace(
                node, if_true=arm(node.if_true, True), if_false=arm(node.if_false, False)
            ),
        )

    def _starts_iteration(self, test: NodeId, target: NodeId) -> bool:
        return any((each.test, each.body) == (test, target) for each in self.rotated.values())

    def _loop(self, test: NodeId, body: NodeId, pending: Pending) -> NodeId:
        """Return the head of a loop that tests at its end, or what is to run before it."""
        if pending:
            return self._flushed((body, 0), self.nothing, pending, test)
        head = next(n for n, each in self.rotated.items() if each.test == test)
        old = self.graph.nodes[head]
        assert isinstance(old, LoopHead)
        return self._new(
            ("loop", head), head, lambda: replace(old, then=self._at(body, self.nothing, ()))
        )

    def _host(self, position: Position, facts: Facts, pending: Pending) -> NodeId:
        """Return the new node for a path that comes to a statement of a host block."""
        node_id, start = position
        node = self.graph.nodes[node_id]
        assert isinstance(node, HostBlock)
        own: list[HostCode] = []
        put_off, known = pending, facts
        place = start
        while place < len(node.statements):
            statement = node.statements[place]
            parts = self.code.split(known.simplified(statement), put_off, known)
            if parts is None:
                break
            now, later = parts
            copies, put_off = self.code.kept_apart(now, put_off)
            own += [*copies, *now]
            put_off = (*put_off, *later)
            known = known.after(statement)
            place += 1

        def follow() -> NodeId:
            if place < len(node.statements):
                return self._flushed((node_id, place), known, put_off)
            return self._at(node.then, known, put_off)

        if not own:
            return follow()
        return self._new(
            (position, facts.key, pending),
            node_id,
            lambda: HostBlock(statements=tuple(own), then=follow()),
        )

    def _flushed(
        self, position: Position, facts: Facts, pending: Pending, test: NodeId | None = None
    ) -> NodeId:
        """Return the first of the nodes that run what has been put off."""
        node_id = position[0]
        facts = facts.without(all_writes(statements_of(pending)))

        def follow() -> NodeId:
            if test is not None:
                return self._loop(test, node_id, ())
            if isinstance(self.graph.nodes[node_id], HostBlock):
                return self._host(position, facts, ())
            return self._at(node_id, facts, ())

        fails = isinstance(self.graph.nodes[node_id], Raise)
        cut_off = self.code.cut_before_error if fails else self.code.cut
        cut = cut_off(pending, self._live_at(position))
        if not cut:
            return follow()
        key = ("run", position, facts.key, pending, test)
        then: Callable[[], NodeId] = follow
        for number in reversed(range(len(cut))):
            node = cut[number]
            then = self._step((key, number), node, then)
        return then()

    def _step(self, key: object, node: Work, then: Callable[[], NodeId]) -> Callable[[], NodeId]:
        kind = kind_of(node)
        preferred = next((n for n, x in self.graph.nodes.items() if x is node), f"{kind}_x")
        return lambda: self._new(key, preferred, lambda: replace(node, then=then()))

    def _live_at(self, position: Position) -> frozenset[str]:
        """Return the variables that are read from a position on."""
        node_id, place = position
        node = self.graph.nodes[node_id]
        if not isinstance(node, HostBlock):
            return self.live.before[node_id]
        found = self.live.after[node_id]
        for statement in reversed(node.statements[place:]):
            found = (found - {*writes(statement)}) | {*reads(statement, self.code.variables)}
        return found

    def _new(self, key: object, preferred: NodeId, build: Callable[[], Node]) -> NodeId:
        if key not in self._places:
            kind = preferred.partition("_")[0]
            name = preferred
            if name in self._used or name not in self.graph.nodes:
                name = f"{kind}_{self._counts[kind]}"
                self._counts[kind] += 1
            self._used.add(name)
            self._places[key] = name
            self._todo.append((name, build))
        return self._places[key]


def _is_safe(condition: ast.expr, variables: Mapping[str, Variable]) -> bool:
    """Return whether evaluating a condition cannot raise."""
    match condition:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=ast.Name(id=name)) if name in variables:
            spec = variables[name].spec  # None in its place has no attributes
            return isinstance(spec, HostSpec) and spec.description == ObjectSample.__name__
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_safe(inner, variables)
        case ast.BoolOp(values=parts):
            return all(_is_safe(part, variables) for part in parts)
        case ast.Compare(left=left, ops=operations, comparators=others):
            ordered = not all(isinstance(each, ast.Is | ast.IsNot) for each in operations)
            parts = [left, *others]
            return all(
                _is_number(x, variables) if ordered else _is_safe(x, variables) for x in parts
            )
        case _:
            return False


def _is_number(node: ast.expr, variables: Mapping[str, Variable]) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.Name(id=name) if name in variables:
            return isinstance(variables[name].spec, ScalarSpec)
        case _:
            return False
