"""Partial dead code elimination: what only one arm of a branch needs is computed in that arm."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import networkx

from hcfg.flow import run_order
from hcfg.graph import Branch, DnnStatement, Hcfg, NodeId, SubDnn
from hcfg.ignored_operands import ignored_operands, may_be_ignored, without_operands
from hcfg.lines import Line, Work, merged
from hcfg.liveness import live, live_along, node_reads
from hcfg.pure_code import PureCode
from hcfg.report import Report
from hcfg.splicing import Splicing
from hcfg.statements import (
    all_writes,
    exposed_reads,
    has_effect,
    may_raise,
    reads,
    works_in_place,
    writes,
)
from rewriter.program import Statement, TensorStatement


@dataclass(frozen=True, slots=True)
class SinkIntoArms:
    """Move costly tensor code past a branch into the one arm that needs its results.

    rewrite:
        fine, logits = subdnn_0(x)     # coarse = ...; logits = ...; fine = conv(coarse)
        if sure(logits): return logits
        y = subdnn_1(fine)
          ->
        coarse, logits = subdnn_0(x)
        if sure(logits): return logits
        y = subdnn_1(coarse)           # fine = conv(coarse); ...

    Nothing moves past what works in place or has an effect, and nothing that may raise. What is
    connected by operands moves together, if a product or convolution is among it, and if the arm
    then makes no more calls than before.
    """

    name: ClassVar[str] = "sink-into-arms"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph in which arms compute what they alone need."""
        sinking = _Sinking(
            splicing=Splicing(graph),
            code=PureCode.of(graph, report.recordings),
            live=dict(live(graph).before),
            report=report,
        )
        # From the front: what sinks into an arm may go on into an arm of the next branch.
        changed = [sinking.at(node_id) for node_id in run_order(graph)]
        return sinking.splicing.result() if any(changed) else graph


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moved:
    """What leaves a straight line, in order, and what of the line stays."""

    statements: tuple[DnnStatement, ...]
    staying: tuple[Work, ...]
    """The nodes of the line; without any statement where all of them move."""

    @property
    def saves_call(self) -> bool:
        """Return whether some sub-DNN moves as a whole."""
        return not all(node.statements for node in self.staying)


@dataclass(slots=True, kw_only=True)
class _Sinking:
    """One run of the pass."""

    splicing: Splicing
    code: PureCode
    live: dict[NodeId, frozenset[str]]
    """The variables that are live before a node."""
    report: Report

    def at(self, branch_id: NodeId) -> bool:
        """Move code from before a branch into its arms."""
        branch = self.splicing.nodes.get(branch_id)
        if not isinstance(branch, Branch) or branch.if_true == branch.if_false:
            return False
        into_true = self._sink(branch_id, branch.if_true, branch.if_false)
        branch = self.splicing.nodes[branch_id]
        assert isinstance(branch, Branch)
        return self._sink(branch_id, branch.if_false, branch.if_true) or into_true

    def _sink(self, branch_id: NodeId, arm: NodeId, other: NodeId) -> bool:
        """Move what one arm needs and the other does not."""
        splicing, graph = self.splicing, self.splicing.graph
        before = splicing.sources(branch_id)
        if len(before) != 1 or splicing.sources(arm) != (branch_id,):
            return False
        line = splicing.line_up_to(before[0])
        kept = self.live[other].union(node_reads(splicing.nodes[branch_id], graph))
        moved = self._moved(splicing.works(line), kept, self.live[arm])
        if moved is None:
            return False
        ahead = SubDnn(
            statements=moved.statements,
            inputs=exposed_reads(moved.statements, graph.variables),
            outputs=tuple(n for n in all_writes(moved.statements) if n in self.live[arm]),
            then="",
        )
        tail = splicing.line_until_subdnn(arm)
        after = self.live[splicing.works(tail)[-1].then] if tail else self.live[arm]
        works = self._arm(ahead, splicing.works(tail), after, moved)
        if works is None:
            return False
        along = live_along(works, after, graph)
        left = self._left(moved.staying, along[0] | kept)
        if left is None or not self._can_be_compiled(line, left, ahead):
            return False
        if tail:
            ids = splicing.replace_line(tail, works, splicing.works(tail)[-1].then)
        else:
            ids = splicing.append(works, branch_id, arm, arm)
        self.live.update(zip(ids, along, strict=True))
        splicing.replace_line(line, left, branch_id)
        what = ", ".join(ahead.outputs)
        self.report.note(SinkIntoArms.name, branch_id, f"{what} behind it, in {ids[0]}")
        return True

    def _moved(
        self, line: Sequence[Work], kept: frozenset[str], wanted: frozenset[str]
    ) -> _Moved | None:
        """Return what can leave a line and is worth it; ``wanted`` is what the arm reads."""
        # Which operands are ignored is dear to find out: first what would move if all of them were.
        hope = _Scan(code=self.code, needed=set(kept), ignored=may_be_ignored)
        hope.visit(line)
        hoped = {name for group in hope.wanted_groups(wanted) for name in all_writes(group)}
        if not hoped:
            return None
        scan = _Scan(code=self.code, needed=set(kept), ignored=ignored_operands, asked=hoped)
        scan.visit(line)
        moved = [
            statement
            for group in scan.wanted_groups(wanted)
            if any(map(self.code.is_costly, group))
            for statement in group
        ]
        staying = tuple(self._without(node, moved) for node in line) if moved else (None,)
        nodes = tuple(node for node in staying if node is not None)
        if len(nodes) < len(staying):
            return None
        return _Moved(statements=tuple(scan.in_order(moved)), staying=nodes)

    def _without(self, node: Work, moved: Sequence[TensorStatement]) -> Work | None:
        """Return a node without what was moved, None where that cannot be taken out."""
        if not isinstance(node, SubDnn):
            return node
        gone, names = {id(statement) for statement in moved}, {*all_writes(moved)}
        left: list[DnnStatement] = []
        for statement in node.statements:
            given = names.intersection(reads(statement, self.splicing.graph.variables))
            if id(statement) in gone:
                continue
            if given and isinstance(statement, TensorStatement):
                changed = without_operands(statement, given, self.code)
                if changed is None:
                    return None
                statement = changed
            left.append(statement)
        return replace(node, statements=tuple(left))

    def _arm(
        self, ahead: SubDnn, tail: Sequence[Work], after: frozenset[str], moved: _Moved
    ) -> tuple[Work, ...] | None:
        """Return an arm that begins with what was moved; None where that takes a call more."""
        graph, recordings = self.splicing.graph, self.report.recordings
        works = merged(Line(nodes=(ahead, *tail), after=after), graph, recordings)
        if works is None and moved.saves_call:
            is_sound = ahead.inputs and self.code.is_compilable(ahead, ())
            return (ahead, *tail) if is_sound else None
        return works

    def _left(self, line: Sequence[Work], after: frozenset[str]) -> tuple[Work, ...] | None:
        """Return what stays of a line with new borders, None where no compiler takes it."""
        graph = self.splicing.graph
        left: list[Work] = []
        for node in reversed(line):
            if isinstance(node, SubDnn):
                inputs = exposed_reads(node.statements, graph.variables)
                outputs = tuple(name for name in all_writes(node.statements) if name in after)
                if not outputs:
                    continue
                if not inputs:
                    return None
                node = replace(node, inputs=inputs, outputs=outputs)
            left.append(node)
            after = live_along([node], after, graph)[0]
        return tuple(reversed(left))

    def _can_be_compiled(self, line: Sequence[NodeId], left: Sequence[Work], ahead: SubDnn) -> bool:
        """Return whether what stays can be compiled and gives what was moved its operands."""
        crossed = {
            name
            for node in self.splicing.works(line)
            if isinstance(node, SubDnn)
            for name in (*node.inputs, *node.outputs)
        }
        made = {name for node in left if isinstance(node, SubDnn) for name in node.outputs}
        return all(map(self.code.can_cross, made - crossed)) and all(
            self.code.is_compilable(node, ahead.inputs) for node in left if isinstance(node, SubDnn)
        )


@dataclass(slots=True, kw_only=True)
class _Scan:
    """A walk over a straight line from its end, with what may move behind it."""

    code: PureCode
    needed: set[str]
    """Variables that something needs which stays."""
    ignored: Callable[[TensorStatement, PureCode], frozenset[str]]
    """Says which operands a statement does not need."""
    asked: Collection[str] | None = None
    """The variables of which it matters whether they are needed; all, where that is None."""
    _movable: list[TensorStatement] = field(default_factory=list)
    """From the last to the first."""
    _made: set[str] = field(default_factory=set)
    """Variables that the line assigns."""
    _assigned: set[str] = field(default_factory=set)
    """Variables that something assigns which stays."""

    def visit(self, line: Sequence[Work]) -> None:
        """Go back as far as code may be moved past."""
        self._made.update(all_writes(s for node in line for s in node.statements))
        for node in reversed(line):
            for statement in reversed(node.statements):
                if works_in_place(statement) or has_effect(statement):
                    return
                if isinstance(statement, TensorStatement) and self._may_move(statement):
                    self._movable.append(statement)
                else:
                    self.needed.update(self._needs(statement))
                    self._assigned.update(writes(statement))

    def wanted_groups(self, wanted: frozenset[str]) -> Iterator[list[TensorStatement]]:
        """Yield what may move and makes something wanted, by what is connected.

        One statement is connected with another that gives it an operand.
        """
        statements = {id(statement): statement for statement in self._movable}
        makers = {name: s for s in self._movable for name in writes(s)}
        connected: networkx.Graph[int] = networkx.Graph()
        for statement in self._movable:
            connected.add_node(id(statement))
            for name in reads(statement, self.code.graph.variables):
                if name in makers:
                    connected.add_edge(id(statement), id(makers[name]))
        for ids in networkx.connected_components(connected):
            group = [statements[each] for each in ids]
            if not wanted.isdisjoint(all_writes(group)):
                yield group

    def in_order(self, moved: Sequence[TensorStatement]) -> Iterator[TensorStatement]:
        """Yield statements in the order in which they ran."""
        ids = {id(statement) for statement in moved}
        return (statement for statement in reversed(self._movable) if id(statement) in ids)

    def _may_move(self, statement: TensorStatement) -> bool:
        operands = reads(statement, self.code.graph.variables)
        return (
            self.code.is_pure(statement)
            and not may_raise(statement)
            and self.needed.isdisjoint(writes(statement))
            and self._assigned.isdisjoint(operands)
            and self.code.overwritten.isdisjoint(operands)
        )

    def _needs(self, statement: Statement) -> frozenset[str]:
        names = frozenset(reads(statement, self.code.graph.variables))
        open_ones = names & self._made - self.needed
        matters = open_ones if self.asked is None else open_ones.intersection(self.asked)
        if isinstance(statement, TensorStatement) and matters:
            return names - self.ignored(statement, self.code)
        return names
