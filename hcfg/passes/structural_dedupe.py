"""Structural dedupe: find the sub-DNNs that need to be exported or compiled only once."""

from dataclasses import dataclass
from typing import ClassVar

from hcfg.graph import Hcfg
from hcfg.report import Report
from hcfg.sharing import share


@dataclass(frozen=True, slots=True)
class StructuralDedupe:
    """Write down which sub-DNNs are equal; the graph stays as it is.

    The table is ``report.sharing``; without this pass it says that nothing is shared.
    """

    name: ClassVar[str] = "structural-dedupe"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the same graph, with the sharing of its sub-DNNs in the report."""
        report.sharing = share(graph, report.recordings)
        for group in report.sharing.structures:
            for node_id in group[1:]:
                report.note(self.name, node_id, f"shares the structure of {group[0]}")
        return graph
