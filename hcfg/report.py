"""What the passes did and found out, beside the graph."""

from dataclasses import dataclass, field

from hcfg.batched_codes import BatchedCodes
from hcfg.graph import Hcfg, NodeId
from hcfg.recordings import Recordings
from hcfg.sharing import Sharing, share_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that one pass did."""

    by: str
    """Name of the pass."""
    node: NodeId
    what: str


@dataclass(slots=True, kw_only=True)
class Report:
    """Grows while passes run."""

    recordings: Recordings = field(default_factory=Recordings)
    batched_codes: BatchedCodes = field(default_factory=BatchedCodes)
    changes: list[Change] = field(default_factory=list)
    sharing: Sharing | None = None
    """Which sub-DNNs are equal, once that is known."""

    def note(self, by: str, node: NodeId, what: str) -> None:
        """Add a line to the report."""
        self.changes.append(Change(by=by, node=node, what=what))

    def sharing_of(self, graph: Hcfg) -> Sharing:
        """Return which sub-DNNs of the final graph are equal: none, where nobody looked."""
        return share_nothing(graph) if self.sharing is None else self.sharing
