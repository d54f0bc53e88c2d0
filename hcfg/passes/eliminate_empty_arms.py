"""Elimination of tests whether there is anything, where nothing is done otherwise."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hcfg.edit import bypass
from hcfg.flow import predecessors
from hcfg.graph import Branch, Hcfg, HostBlock, NodeId, SubDnn
from hcfg.idle_when_empty import kept_when_empty
from hcfg.liveness import live
from hcfg.passes.eliminate_dead_code import EliminateDeadCode
from hcfg.passes.merge_subdnns import with_longer_subdnns
from hcfg.pure_code import PureCode
from hcfg.report import Report
from rewriter.program import Copy, SymbolRange

_NONE, _SOME = SymbolRange(minimum=0, maximum=0), SymbolRange(minimum=1)


@dataclass(frozen=True, slots=True)
class EliminateEmptyArms:
    """Compute with no rows, too, where that changes nothing.

    rewrite:
        places, x = subdnn_0(x)
        if places.shape[0] > 0:
            x = subdnn_1(x, places)     # x.index_add_(0, places, self.expert(x[places]))
        y = subdnn_2(x)
          ->
        places, x = subdnn_0(x)
        x = subdnn_1(x, places)
        y = subdnn_2(x)

    Where each operation of the arm makes nothing, writes nothing and raises nothing for no rows,
    and only where sub-DNNs then merge: a test costs less than a call.
    """

    name: ClassVar[str] = "eliminate-empty-arms"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph without such tests."""
        found = {arm.branch: arm for arm in _arms(graph)}
        needed = live(graph).before if found else {}
        idle = {n: arm for n, arm in found.items() if _is_idle(arm, graph, needed[arm.join])}
        if not idle:
            return graph
        notes = Report(recordings=report.recordings)
        changed = bypass(graph, {n: arm.by[0] for n, arm in idle.items()})
        changed = EliminateDeadCode().run(changed, notes)  # what the tests alone needed
        changed = with_longer_subdnns(changed, notes, self.name, _free(idle.values(), changed))
        if _count(changed) > _count(with_longer_subdnns(graph, notes, self.name)) - len(idle):
            return graph
        code = PureCode.of(changed, report.recordings)
        subdnns = (node for node in changed.nodes.values() if isinstance(node, SubDnn))
        if not all(code.is_compilable(node, ()) for node in subdnns):
            return graph
        for n in idle:
            report.note(self.name, n, "goes on with no rows, too")
        return changed


def _free(arms: Iterable["_Arm"], graph: Hcfg) -> frozenset[str]:
    """Return the sizes of which no test tells anything once those of the arms are gone."""
    branches = [node for node in graph.nodes.values() if isinstance(node, Branch)]
    told = {name for node in branches for name in (*node.sizes_if_true, *node.sizes_if_false)}
    return frozenset(arm.symbol for arm in arms) - told


def _count(graph: Hcfg) -> int:
    return sum(isinstance(node, SubDnn) for node in graph.nodes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arm:
    """Two ways from a branch to one node: by a sub-DNN where a size is not 0, else past it."""

    branch: NodeId
    symbol: str
    subdnn: NodeId
    by: tuple[NodeId, ...]
    """The sub-DNN, and host blocks that copy variables."""
    past: tuple[NodeId, ...]
    """Such host blocks alone."""
    join: NodeId


def _arms(graph: Hcfg) -> Iterator[_Arm]:
    before = predecessors(graph)
    for node_id, node in graph.nodes.items():
        found = _tested(node) if isinstance(node, Branch) else None
        if found is None:
            continue
        symbol, empty, other = found
        past, join = _way(graph, before, empty)
        by, end = _way(graph, before, other)
        subdnns = [n for n in by if isinstance(graph.nodes[n], SubDnn)]
        if (
            join == end
            and len(subdnns) == 1
            and not any(isinstance(graph.nodes[n], SubDnn) for n in past)
        ):
            yield _Arm(
                branch=node_id, symbol=symbol, subdnn=subdnns[0], by=by, past=past, join=join
            )


def _tested(node: Branch) -> tuple[str, NodeId, NodeId] | None:
    """Return the size that a branch tests, where it leads for 0 and where for any other."""
    for empty, told, other, rest in (
        (node.if_true, node.sizes_if_true, node.if_false, node.sizes_if_false),
        (node.if_false, node.sizes_if_false, node.if_true, node.sizes_if_true),
    ):
        if len(told) == 1 and told.keys() == rest.keys():
            (symbol,) = told
            if told[symbol] == _NONE and rest[symbol] == _SOME:
                return symbol, empty, other
    return None


def _way(
    graph: Hcfg, before: Mapping[NodeId, Sequence[NodeId]], start: NodeId
) -> tuple[tuple[NodeId, ...], NodeId]:
    """Return the nodes from one on that compute or copy, and the first that does not."""
    way: list[NodeId] = []
    while len(before[start]) == 1:
        match node := graph.nodes[start]:
            case SubDnn():
                pass
            case HostBlock() if all(isinstance(each, Copy) for each in node.statements):
                pass
            case _:  # something else happens
                break
        way.append(start)
        start = node.then
    return tuple(way), start


def _is_idle(arm: _Arm, graph: Hcfg, needed: Collection[str]) -> bool:
    """Return whether both ways give all variables the same values where there is nothing."""
    node = graph.nodes[arm.subdnn]
    assert isinstance(node, SubDnn)
    kept = kept_when_empty(node, graph, arm.symbol)
    if kept is None:
        return False
    by, past = (_values(way, graph, kept) for way in (arm.by, arm.past))
    return all(by.get(name, name) == past.get(name, name) for name in needed)


def _values(
    way: Sequence[NodeId], graph: Hcfg, kept: Mapping[str, str]
) -> Mapping[str, str | None]:
    """Return what variables hold behind some nodes: which variable of before, or a constant."""
    values: dict[str, str | None] = {}
    for node_id in way:
        match graph.nodes[node_id]:
            case SubDnn() as node:
                inputs = [(name, kept.get(name)) for name in node.outputs]
                values |= {n: None if i is None else values.get(i, i) for n, i in inputs}
            case HostBlock() as node:
                for each in node.statements:
                    assert isinstance(each, Copy)
                    pairs = zip(each.targets, each.sources, strict=True)
                    values |= {target: _value(source, values) for target, source in pairs}
    return values


def _value(source: ast.expr, values: Mapping[str, str | None]) -> str | None:
    if isinstance(source, ast.Name):
        return values.get(source.id, source.id)
    return ast.dump(source)
