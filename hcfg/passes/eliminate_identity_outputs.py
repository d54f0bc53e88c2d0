"""Identity-output elimination, DyCL's first strategy."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar

from hcfg.copies import host_copies
from hcfg.edit import Replacement, narrowed, replace_subdnns, with_merged_host_blocks
from hcfg.graph import DnnStatement, Hcfg, NodeId, SubDnn
from hcfg.report import Report
from hcfg.statements import all_writes, writes
from rewriter.program import TensorStatement


@dataclass(frozen=True, slots=True)
class EliminateIdentityOutputs:
    """Turn sub-DNN outputs that only copy an input, or another output, into host assignments.

    rewrite:
        y, z, w = subdnn_3(x)    # y is x, through dropout in eval mode or nn.Identity; w is z
          ->
        z = subdnn_3(x);  y, w = x, z

    Which outputs these are says the recording: an output whose storage is an input's, with
    the same geometry, never written to.
    """

    name: ClassVar[str] = "eliminate-identity-outputs"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph without identity outputs."""
        changed: dict[NodeId, Replacement] = {}
        for node_id, node in graph.nodes.items():
            if isinstance(node, SubDnn):
                recording = report.recordings.of(node_id, node, graph)
                found = _Found(
                    copies={o.name: o.copies for o in recording.outputs if o.copies},
                    repeats={
                        o.name: o.repeats for o in recording.outputs if o.repeats and not o.copies
                    },
                )
                new = self._eliminate(graph, node_id, node, found, report)
                if new is not None:
                    changed[node_id] = new
        return with_merged_host_blocks(replace_subdnns(graph, changed))

    def _eliminate(
        self, graph: Hcfg, node_id: NodeId, node: SubDnn, found: "_Found", report: Report
    ) -> Replacement | None:
        while True:
            gone = {**found.copies, **found.repeats}
            if not gone:
                return None
            remaining = [name for name in node.outputs if name not in gone]
            new = narrowed(_without_idle(node, found.copies), remaining, graph)
            placed = _place(new, found)
            if not placed.stuck:
                break
            copies = {o: i for o, i in found.copies.items() if o not in placed.stuck}
            found = replace(found, copies=copies)
        for output, copied in gone.items():
            report.note(self.name, node_id, f"{output} is {copied}")
        before, after = (host_copies(dict(pairs), node) for pairs in (placed.before, placed.after))
        return Replacement(new=new, before=before, after=after)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Outputs that need not be computed."""

    copies: dict[str, str]
    """``output: input`` whose content it is, as it was before the sub-DNN."""
    repeats: dict[str, str]
    """``output: output`` whose content it is, as it is after the sub-DNN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placement:
    """Pairs ``(output, what it is)`` by where they can be assigned on the host."""

    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    stuck: frozenset[str]
    """Outputs for which neither place will do."""


def _place(new: SubDnn | None, found: _Found) -> _Placement:
    """Decide where each copy goes, given what is left of the sub-DNN."""
    written = set(all_writes(new.statements)) if new else set()
    read = set(new.inputs) if new else set()
    real = [(output, copied) for output, copied in found.copies.items() if output != copied]
    after = (*((o, i) for o, i in real if i not in written), *found.repeats.items())
    # An input whose name the sub-DNN gives a new value must be copied before it does.
    early = [(o, i) for o, i in real if i in written]
    taken = written | read | {i for _, i in after}
    before = tuple((o, i) for o, i in early if o not in taken)
    same = {o for o, i in found.copies.items() if o == i and o in written}
    return _Placement(
        before=before, after=after, stuck=frozenset({o for o, _ in early if o in taken} | same)
    )


def _without_idle(node: SubDnn, copies: dict[str, str]) -> SubDnn:
    """Drop statements such as ``x = dropout(x)``, when they leave ``x`` as it came in."""
    idle = {output for output, copied in copies.items() if output == copied}
    counts = Counter(name for statement in node.statements for name in writes(statement))
    kept = tuple(
        statement
        for statement in node.statements
        if not any(_only_assigns(statement, name) and counts[name] == 1 for name in idle)
    )
    return replace(node, statements=kept)


def _only_assigns(statement: DnnStatement, name: str) -> bool:
    return (
        isinstance(statement, TensorStatement)
        and statement.pattern == name
        and statement.stores_into is None
        and all(new == old for new, old in statement.updates)
        and writes(statement) == (name,)
    )
