"""From a graph of which parts need Python to what a mixed package is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import PurePath

from dycl.one_onnx.arguments import inputs_of
from dycl.one_onnx.compiling import Plan
from dycl.one_onnx.linking import Link
from dycl.one_onnx.lowerable import Lowerable, lowerable
from dycl.one_onnx.mixed_graph import mixed_graph
from dycl.one_onnx.refusing import Problems
from dycl.one_onnx.region import Region
from dycl.one_onnx.regions import find_regions
from dycl.one_onnx.results import results_of
from hcfg.edit import fresh_id
from hcfg.graph import Branch, Hcfg, LoopHead, NodeId, SubDnn
from hcfg.wording import places
from rewriter.diagnostics import Diagnostic, DyclBug


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed:
    """A program of which some regions are one artifact each."""

    possible: Lowerable
    regions: Mapping[NodeId, Region]
    """By the nodes that stand for them."""
    plans: Mapping[NodeId, Plan]
    """How each becomes a file."""
    graph: Hcfg
    """What the host does."""
    links: Mapping[NodeId, Link] = field(default_factory=dict)
    """Those regions that are written without ``If``, their tests last."""

    def subdnns(self, node_id: NodeId) -> set[NodeId]:
        """Return the sub-DNNs that are in a region, or in functions that it calls."""
        nodes = self.regions[node_id].program.nodes
        return {inner for inner, node in nodes.items() if isinstance(node, SubDnn)}

    @property
    def original(self) -> Hcfg:
        """Return the graph without regions."""
        return self.possible.graph

    def remarks(self) -> tuple[str, ...]:
        """Return what the user should know: what was lowered, and what keeps the rest in Python."""
        reasons = _reasons(self.possible.reasons)
        if self.links:
            return tuple(starmap(self._described, self.regions.items()))
        if not self.regions:
            return (f"no branch or loop could be lowered to ONNX: {reasons}",)
        lowered = (self._described(*item) for item in self.regions.items())
        return (*lowered, f"the rest of the decisions is made by the host: {reasons}")

    def _described(self, node_id: NodeId, region: Region) -> str:
        nodes = [region.program.nodes[each] for each in region.nodes]
        counts = [
            _counted(sum(isinstance(node, kind) for node in nodes), word)
            for kind, word in ((Branch, "branch"), (LoopHead, "loop"), (SubDnn, "sub-DNN"))
        ]
        where = places(self.graph.nodes[node_id])
        return f"{node_id} ({where}) has {', '.join(filter(None, counts))} inside"


def mixed(graph: Hcfg) -> Mixed:
    """Return which regions of a graph become artifacts; maybe none."""
    possible = lowerable(graph)
    regions: dict[NodeId, Region] = {}
    for region in find_regions(possible):
        regions[fresh_id((*graph.nodes, *regions), "subdnn")] = region
    return mixed_of(regions, possible)


def mixed_of(regions: Mapping[NodeId, Region], possible: Lowerable) -> Mixed:
    """Return a program with these regions, by the nodes that are to stand for them."""
    graph = possible.graph
    plans = {node_id: _plan(region, possible) for node_id, region in regions.items()}
    pairs = {node_id: (regions[node_id], plans[node_id].results[None]) for node_id in regions}
    host = mixed_graph(graph, pairs) if regions else graph
    kept = [node_id for node_id in regions if node_id in host.nodes]
    return Mixed(
        possible=possible,
        regions={node_id: regions[node_id] for node_id in kept},
        plans={node_id: plans[node_id] for node_id in kept},
        graph=host,
    )


def _plan(region: Region, possible: Lowerable) -> Plan:
    """Return how a region becomes a file; integers are as large as in the whole program."""
    problems = Problems()
    program, numbers = region.program, possible.numbers
    inputs = inputs_of(program, problems)
    results = results_of(program, numbers, problems, (None, *program.functions))
    if problems.found:
        raise DyclBug(f"{program.name}: a region needs Python: {next(iter(problems.found))}")
    return Plan(graph=program, numbers=numbers, results=results, inputs=inputs)


_SHOWN = 3


def _reasons(problems: Problems) -> str:
    texts = list(dict.fromkeys(_reason(each) for each in problems.found))
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more


def _reason(problem: Diagnostic) -> str:
    origin = problem.origin
    line = "" if origin is None else f"{PurePath(origin.file).name}:{origin.line}: "
    return line + problem.message


def _counted(number: int, word: str) -> str:
    plural = "es" if word.endswith("ch") else "s"
    return "" if number == 0 else f"{number} {word}{plural if number > 1 else ''}"
