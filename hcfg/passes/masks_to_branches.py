"""Layers whose result is multiplied by a mask of zeros: skipped, where that is the same."""

from dataclasses import dataclass
from typing import ClassVar

from hcfg.edit import ordered
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.masks.finding import Skippable, skippable_parts
from hcfg.masks.splitting import Split, split
from hcfg.masks.values import trace
from hcfg.pure_code import PureCode
from hcfg.report import Report


@dataclass(frozen=True, slots=True)
class MasksToBranches:
    """Make branches of masks: layers do not run where what they give is multiplied by 0.

    rewrite:
        y = subdnn_0(x)                         gate, runs_0 = subdnn_0(x)
            # gate = (p > 0).float()            if runs_0.item():
            # y = x + layers(x) * gate    ->        y = subdnn_1(x, gate)
                                                else:
                                                    y = subdnn_2(x, gate)   # x + 0 * gate

    The layers run as well where what they read is so large that they could give an infinity,
    or is NaN: 0 times that is NaN. ``docs/masks.md`` says what is proved, and how.
    """

    name: ClassVar[str] = "masks-to-branches"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with a branch for each mask that layers can be skipped by."""
        for node_id, node in graph.nodes.items():
            if isinstance(node, SubDnn):
                graph = self._in_subdnn(graph, node_id, node, report)
        return graph

    def _in_subdnn(self, graph: Hcfg, node_id: NodeId, node: SubDnn, report: Report) -> Hcfg:
        found = trace(node_id, node, graph)
        if found is None:
            return graph
        parts = skippable_parts(node, found, graph)
        done = _compilable(node_id, parts, graph, report) if parts else None
        if done is None:
            return graph
        kept, new = done
        for part, test in zip(kept, new.tests, strict=True):
            limits = "".join(f" and |{name}| <= {limit:.0e}" for name, limit in part.limits)
            report.note(self.name, test, f"skips {part.result} where {part.mask} is 0{limits}")
        return ordered(new.graph)


def _compilable(
    node_id: NodeId, parts: tuple[Skippable, ...], graph: Hcfg, report: Report
) -> tuple[tuple[Skippable, ...], Split] | None:
    """Return as many of the parts as give sub-DNNs that can be compiled, and the graph."""
    whole = split(node_id, parts, graph)
    if _is_compilable(whole, report):
        return parts, whole
    kept: tuple[Skippable, ...] = ()
    done: Split | None = None
    for part in parts:
        new = split(node_id, (*kept, part), graph)
        if _is_compilable(new, report):
            kept, done = (*kept, part), new
    return None if done is None else (kept, done)


def _is_compilable(new: Split, report: Report) -> bool:
    code = PureCode.of(new.graph, report.recordings)
    for node_id, after in new.made:
        node = new.graph.nodes[node_id]
        assert isinstance(node, SubDnn)
        if not code.is_compilable(node, after):
            return False
    return True
