"""Merging of sub-DNNs that always run one after the other."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.lines import Line, merged
from hcfg.liveness import live
from hcfg.report import Report
from hcfg.splicing import Splicing


@dataclass(frozen=True, slots=True)
class MergeSubdnns:
    """Make one sub-DNN of two between which nothing is decided.

    rewrite:
        y = subdnn_0(x)
        print("half way")
        z = subdnn_1(y)
          ->
        z = subdnn_0(x)
        print("half way")

    The graph is built with as few sub-DNNs as its straight lines allow; lines grow when other
    passes take out branches. A number that the host reads from one sub-DNN and gives to the
    next keeps them apart.
    """

    name: ClassVar[str] = "merge-subdnns"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with longer sub-DNNs."""
        return with_longer_subdnns(graph, report, self.name)


def with_longer_subdnns(graph: Hcfg, report: Report, name: str, free: Collection[str] = ()) -> Hcfg:
    """Return the graph with what may be merged; ``free`` are sizes of which no test tells more."""
    after = live(graph).after
    splicing = Splicing(graph)
    changed = False
    for line in _lines(splicing):
        nodes = splicing.works(line)
        whole = Line(nodes=nodes, after=after[line[-1]])
        found = merged(whole, graph, report.recordings, free)
        if found is not None:
            counts = (sum(isinstance(x, SubDnn) for x in part) for part in (nodes, found))
            report.note(name, line[0], "{} sub-DNNs from here on are now {}".format(*counts))
            splicing.replace_line(line, found, nodes[-1].then)
            changed = True
    return splicing.result() if changed else graph


def _lines(splicing: Splicing) -> Iterator[tuple[NodeId, ...]]:
    """Yield the straight lines from their first sub-DNN to their last, if they have two."""
    for node_id in tuple(splicing.nodes):
        node = splicing.work(node_id)
        if node is None:
            continue
        goes_on = splicing.work(node.then) is not None and len(splicing.sources(node.then)) == 1
        if not goes_on:
            line = splicing.line_up_to(node_id)
            places = [i for i, n in enumerate(line) if isinstance(splicing.nodes[n], SubDnn)]
            if len(places) > 1:
                yield line[places[0] : places[-1] + 1]
