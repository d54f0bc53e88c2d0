"""Folding of decisions that are the same in every call."""

import ast
from dataclasses import dataclass, replace
from typing import ClassVar

from hcfg.constants import Constants
from hcfg.graph import Branch, Hcfg
from hcfg.report import Report


@dataclass(frozen=True, slots=True)
class FoldConstantDecisions:
    """Write down the outcome of a branch where it is the same in every call.

    rewrite:
        mask = constant_0
        if mask.item() > 0: ...
          ->
        mask = constant_0
        if True: ...

    A decision looks constant only here: what it tests was computed by a sub-DNN until that
    was found to depend on no input. What then is never reached goes with the dead code. Where
    evaluating the condition raises, it stays.
    """

    name: ClassVar[str] = "fold-constant-decisions"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with constants for conditions."""
        constants = Constants(graph)
        nodes = dict(graph.nodes)
        for node_id, node in graph.nodes.items():
            if not isinstance(node, Branch) or isinstance(node.condition, ast.Constant):
                continue
            outcome = constants.decided(node_id)
            if outcome is not None:
                nodes[node_id] = replace(node, condition=ast.Constant(outcome))
                report.note(self.name, node_id, f"is always {outcome}")
        return graph if nodes == graph.nodes else replace(graph, nodes=nodes)
