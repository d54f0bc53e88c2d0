"""Tail duplication: what follows a join moves into the arms where that saves a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from hcfg.flow import run_order
from hcfg.graph import Hcfg, LoopHead, NodeId, SubDnn
from hcfg.lines import Line, Work, merged
from hcfg.liveness import live, live_along
from hcfg.report import Report
from hcfg.splicing import Splicing


@dataclass(frozen=True, slots=True)
class DuplicateTails:
    """Let the arm of a branch do what comes after its join, up to the next decision.

    rewrite:
        if go: x = subdnn_1(x)          # a block
        mask = subdnn_2(x)              # the gate of the next one
          ->
        if go: x, mask = subdnn_1(x)    # the block and the gate
        else: mask = subdnn_2(x)

    and likewise at the head of a loop, where the body takes in the test of the next round:
        while subdnn_0(x).item():             test = subdnn_0(x)
            x = subdnn_1(x)               ->  while test.item():
                                                  x, test = subdnn_1(x)

    Only arms that save a call get a copy, the others go on sharing the original. The copies
    together are at most as long as the program, so code grows linearly.
    """

    name: ClassVar[str] = "duplicate-tails"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with fewer sub-DNN calls on its paths."""
        order = run_order(graph)
        duplication = _Duplication(
            splicing=Splicing(graph),
            live=dict(live(graph).before),
            position={node_id: place for place, node_id in enumerate(order)},
            report=report,
            budget=_length([node for node in graph.nodes.values() if isinstance(node, SubDnn)]),
        )
        # From the back: a copy may go on into the arms of an earlier join.
        changed = [duplication.at(node_id) for node_id in reversed(order)]
        return duplication.splicing.result() if any(changed) else graph


def _length(nodes: Sequence[Work]) -> int:
    return sum(len(node.statements) for node in nodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tail:
    """What runs after a join: host blocks and a sub-DNN."""

    nodes: tuple[Work, ...]
    live: frozenset[str]
    """The variables that are read after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merge:
    """An arm whose last straight line becomes one with the tail."""

    line: tuple[NodeId, ...]
    nodes: tuple[Work, ...]


@dataclass(frozen=True, slots=True)
class _Append:
    """An arm that ends in a join of its own, into whose arms the tail will go on."""

    end: NodeId


_Gain: TypeAlias = _Merge | _Append


@dataclass(slots=True, kw_only=True)
class _Duplication:
    """One run of the pass."""

    splicing: Splicing
    live: dict[NodeId, frozenset[str]]
    """The variables that are live before a node."""
    position: Mapping[NodeId, int]
    """Where nodes stood in run order at first."""
    report: Report
    budget: int
    """How many statements may still be copied."""

    def at(self, join: NodeId) -> bool:
        """Move what follows a join into those of its arms that then save a call."""
        splicing = self.splicing
        if join not in splicing.nodes or len(splicing.sources(join)) < 2:
            return False
        head = splicing.nodes[join]
        is_loop = isinstance(head, LoopHead)
        line = splicing.line_until_subdnn(head.then if isinstance(head, LoopHead) else join)
        if not line or (is_loop and len(splicing.sources(line[0])) > 1):
            return False
        nodes = splicing.works(line)
        then = nodes[-1].then
        if then == join:
            return False  # a loop that nothing ends
        tail = _Tail(nodes=nodes, live=self.live[then])
        gains = {source: self._gain(source, tail) for source in splicing.sources(join)}
        back = [s for s in gains if is_loop and self._is_back_edge(s, join)]
        stay = [source for source, gain in gains.items() if gain is None]
        worth_it = any(gains[source] for source in back or gains)
        copies = len(gains) - (1 if is_loop else len(stay) or 1)
        if not worth_it or copies * _length(nodes) > self.budget:
            return False
        self.budget -= copies * _length(nodes)
        if is_loop:
            splicing.redirect(join, line[0], then)
            self.live[join] = tail.live
            splicing.redirect(line[-1], then, join)
            self._serve_those_that_stay(join, line, nodes, stay, back)
        self._serve(join, join if is_loop else then, tail, gains)
        if not splicing.sources(line[0]):
            for node_id in line:
                splicing.drop(node_id)
        self._note(join, line[-1], gains)
        return True

    def _is_back_edge(self, source: NodeId, head: NodeId) -> bool:
        # Nodes without position are copies behind the head: those before it come later.
        return self.position.get(source, self.position[head]) >= self.position[head]

    def _serve(
        self, join: NodeId, then: NodeId, tail: _Tail, gains: Mapping[NodeId, _Gain | None]
    ) -> None:
        """Give the tail to the arms that gain."""
        splicing = self.splicing
        for gain in gains.values():
            match gain:
                case _Merge():
                    line = splicing.replace_line(gain.line, gain.nodes, then)
                    self._note_live(line, tail.live)
                case _Append():
                    line = splicing.append(tail.nodes, gain.end, join, then)
                    self._note_live(line, tail.live)
                case None:
                    pass

    def _note_live(self, line: Sequence[NodeId], after: frozenset[str]) -> None:
        """Record what is live in a new line, which may bear ids that others had."""
        nodes = self.splicing.works(line)
        self.live.update(zip(line, live_along(nodes, after, self.splicing.graph), strict=True))

    def _serve_those_that_stay(
        self,
        head: NodeId,
        line: Sequence[NodeId],
        nodes: Sequence[Work],
        stay: Sequence[NodeId],
        back: Sequence[NodeId],
    ) -> None:
        """Lead the ways into a loop to the tail; ways back in it get copies."""
        for source in stay:
            if source in back:
                copied = self.splicing.append(nodes, source, head, head)
                self._note_live(copied, self.live[head])
            else:
                self.splicing.redirect(source, head, line[0])

    def _gain(self, source: NodeId, tail: _Tail) -> _Gain | None:
        """Return how an arm that ends with ``source`` takes in a tail, if it saves a call."""
        splicing = self.splicing
        line = splicing.line_up_to(source)
        places = [i for i, n in enumerate(line) if isinstance(splicing.nodes[n], SubDnn)]
        if places:
            line = line[places[0] :]
            together = Line(nodes=(*splicing.works(line), *tail.nodes), after=tail.live)
            nodes = merged(together, splicing.graph, self.report.recordings)
            return None if nodes is None else _Merge(line=line, nodes=nodes)
        if not line:
            return None
        arms = splicing.sources(line[0])
        longer = _Tail(nodes=(*splicing.works(line), *tail.nodes), live=tail.live)
        if len(arms) > 1 and any(self._gain(arm, longer) for arm in arms):
            return _Append(source)
        return None

    def _note(self, join: NodeId, subdnn: NodeId, gains: Mapping[NodeId, _Gain | None]) -> None:
        for gain in gains.values():
            if isinstance(gain, _Merge):
                self.report.note(DuplicateTails.name, gain.line[0], f"goes on with {subdnn}")
