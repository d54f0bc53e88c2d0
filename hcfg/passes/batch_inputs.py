"""Many inputs at once: a sub-DNN for batches beside each sub-DNN of the program."""

from dataclasses import dataclass
from typing import ClassVar

from hcfg.edit import ordered
from hcfg.flow import run_order
from hcfg.graph import Hcfg, SubDnn
from hcfg.passes.batch_recursion import with_batches
from hcfg.report import Report


@dataclass(frozen=True, slots=True)
class BatchInputs:
    """Add sub-DNNs for inputs that stand at the same place of the program.

    rewrite:
        x, mask = subdnn_1(x)     ->        x, mask = subdnn_1(x)
                                            def subdnn_1_in_batches(x_1):
                                                return subdnn_2(x_1)

    Only where many inputs are to run together; those that have none run one by one.
    """

    name: ClassVar[str] = "batch-inputs"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with more sub-DNNs, as functions that nothing in it calls."""
        if not graph.many_inputs:
            return graph
        computing = frozenset(graph.batches.values())
        for node_id in run_order(graph):
            is_own = node_id not in graph.batches and node_id not in computing
            if not isinstance(graph.nodes[node_id], SubDnn) or not is_own:
                continue
            if (code := report.batched_codes.of(node_id, graph, report.recordings)) is not None:
                graph = with_batches(graph, node_id, code)
                report.note(self.name, node_id, "runs for many inputs at once")
        return graph if len(graph.batches) == len(computing) else ordered(graph)
