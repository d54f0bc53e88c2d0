"""What a pass over a graph looks like."""

from typing import ClassVar, Protocol

from hcfg.graph import Hcfg
from hcfg.report import Report


class Pass(Protocol):
    """A frozen dataclass in a file named after it, in ``hcfg/passes``."""

    name: ClassVar[str]
    """Its switch: ``run_passes(graph, disabled={name})``."""

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the better graph, or the same object; note in ``report`` what was done."""
        ...
