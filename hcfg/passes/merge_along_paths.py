"""Merging along paths: tensor code waits until it is needed, and runs with what came since."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from hcfg.base_cases import with_base_cases
from hcfg.edit import ordered, with_merged_host_blocks
from hcfg.flow import is_reducible, part_of
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.liveness import live, node_reads, node_writes
from hcfg.path_facts import Facts
from hcfg.path_loops import Ways, ways
from hcfg.path_relevance import pure_functions, relevant_variables
from hcfg.path_walk import PathWalk, TooMuch
from hcfg.pending_code import MustRun, PendingCode
from hcfg.report import Report
from hcfg.sizes import symbols_of

_GROWTH, _AT_LEAST = 4, 60
"""How many times as many nodes a function may get, and how many it may have in any case."""


@dataclass(frozen=True, slots=True)
class MergeAlongPaths:
    """Let tensor code of a function wait until something needs it, where that saves calls.

    rewrite:
        def encode(node):                       def encode(node):
            e = subdnn_0(node.word)                 if not node.children:
            for child in node.children:                 return subdnn_3(node.word)
                h = encode(child)                   e = subdnn_0(node.word)
                e = subdnn_1(e, h)        ->        while True:
            return subdnn_2(e)                          h = encode(child)
                                                        if child is the last:
                                                            return subdnn_4(e, h)
                                                        e = subdnn_1(e, h)

    Decisions of the host that are not about its results are made before it runs, and it runs
    together with what the arms need then. Where a call is, the base case of the called function is
    tried first, whose tensor code is then part of the caller's. Tests whose outcome a path knows
    are left out, and loops whose counter chooses a layer are walked iteration by iteration.

    Only specialised functions: what recursion repeats. Those that run in batches keep their few
    kinds of sub-DNNs, and lose only tests. Those with sizes known only at run time stay: a symbol
    is another size in each iteration.
    """

    name: ClassVar[str] = "merge-along-paths"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with fewer sub-DNN calls on the paths of its functions."""
        names = [name for name in graph.functions if name not in graph.put_off]
        for name in graph.put_off:
            graph = _with_fewer_tests(graph, name, report) or graph
        for name in names:
            graph = _walked(graph, name, report) or graph
        for name in names:
            graph = _with_base_cases(graph, name, report) or graph
        return graph


def _with_base_cases(graph: Hcfg, name: str, report: Report) -> Hcfg | None:
    """Return a graph that tries the base cases of what a function calls, if that saves calls."""
    decided = graph  # without the tests whose outcomes the paths know, base cases are short
    for each in graph.functions:
        decided = _walked(decided, each, report, at_least=0) or decided
    tried = with_base_cases(decided, name)
    return None if tried is decided else _walked(tried, name, report)


def _with_fewer_tests(graph: Hcfg, name: str, report: Report) -> Hcfg | None:
    """Return the graph with a function that tests less; None where that takes more sub-DNNs."""
    walked = _walked(graph, name, report, at_least=0)
    if walked is None:
        return None
    before, after = (
        _subdnns(each, part_of(each, each.functions[name].entry)) for each in (graph, walked)
    )
    return walked if after <= before else None


def _walked(graph: Hcfg, name: str, report: Report, at_least: int = 1) -> Hcfg | None:
    """Return the graph with a function whose paths were walked, if that saves so many calls."""
    part = part_of(graph, graph.functions[name].entry)
    if _has_symbols(graph, part) or _subdnns(graph, part) <= at_least:
        return None
    for way in ways(graph, part):
        walk = _walk(graph, part, report, way)
        if walk is None or walk.code.saved < at_least:
            continue
        others = {n: node for n, node in graph.nodes.items() if n not in part}
        nodes = {**others, **walk.nodes}
        made = replace(graph, nodes=nodes, variables=walk.code.variables)
        if not is_reducible(made):  # paths that know different things came into one loop
            continue
        if at_least:
            report.note(MergeAlongPaths.name, part[0], f"{walk.code.saved} calls less")
        return with_merged_host_blocks(ordered(made))
    return None


def _walk(graph: Hcfg, part: Sequence[NodeId], report: Report, way: Ways) -> PathWalk | None:
    """Return the walk of a function; None where that needs too many nodes."""
    unrolled, rotated = way
    early: set[tuple[str, ...]] = set()
    while True:
        code = PendingCode(
            graph=graph, recordings=report.recordings, variables=dict(graph.variables)
        )
        walk = PathWalk(
            graph=graph,
            live=live(graph),
            code=code,
            relevant=relevant_variables(graph, part),
            unrolled=unrolled,
            rotated=rotated,
            nothing=Facts(
                variables=graph.variables, knowns=graph.knowns, pure=pure_functions(graph)
            ),
            early=frozenset(early),
            limit=max(_AT_LEAST, _GROWTH * len(part)),
        )
        try:
            walk.walk(part[0])
        except TooMuch:
            return None
        except MustRun as must:
            if must.outputs in early:
                return None
            early.add(must.outputs)
        else:
            return walk


def _has_symbols(graph: Hcfg, part: Sequence[NodeId]) -> bool:
    """Return whether sizes are known at run time only."""
    nodes = [graph.nodes[node_id] for node_id in part]
    names = {n for x in nodes for n in (*node_reads(x, graph), *node_writes(x, graph))}
    return bool(symbols_of(graph.variables[name].spec for name in names))


def _subdnns(graph: Hcfg, part: Sequence[NodeId]) -> int:
    return sum(isinstance(graph.nodes[node_id], SubDnn) for node_id in part)
