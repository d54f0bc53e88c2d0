"""From a graph of which parts need Python to what a mixed package is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

import onnx

from dycl.one_onnx.graphs import GraphWriter, Value
from dycl.one_onnx.inlining import SubDnns
from dycl.one_onnx.lowerable import Lowerable, lowerable
from dycl.one_onnx.lowering import Lowering
from dycl.one_onnx.mixed_graph import mixed_graph
from dycl.one_onnx.refusing import Problems
from dycl.one_onnx.regions import Region, find_regions
from dycl.one_onnx.statements import Statements
from dycl.one_onnx.types import type_of_variable
from dycl.one_onnx.weights import Weights
from hcfg.flow import part_of
from hcfg.graph import Branch, Hcfg, LoopHead, NodeId, SubDnn, called_functions
from hcfg.wording import places
from rewriter.diagnostics import Diagnostic

NEXT = "next"
"""The output that says at which exit paths go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed:
    """A program of which some regions are one artifact each."""

    possible: Lowerable
    regions: Mapping[NodeId, Region]
    """By the nodes that stand for them."""
    graph: Hcfg
    """What the host does."""

    @property
    def original(self) -> Hcfg:
        """Return the graph without regions."""
        return self.possible.graph

    def inputs(self, region: Region) -> list[Value]:
        """Return the inputs of a region's file."""
        return [self._value(name, name) for name in region.inputs]

    def outputs(self, region: Region) -> list[str]:
        """Return the names of the outputs of a region's file."""
        names = [f"{name} after" for name in region.outputs]  # no input is called so
        return [*names, NEXT] if len(region.exits) > 1 else names

    def subdnns(self, region: Region) -> set[NodeId]:
        """Return the sub-DNNs that are in a region, or in functions that it calls."""
        found, pending = set(region.nodes), list(region.nodes)
        while pending:
            for function in called_functions(self.original.nodes[pending.pop()]):
                part = set(part_of(self.original, self.original.functions[function].entry))
                pending += part - found
                found |= part
        return {n for n in found if isinstance(self.original.nodes[n], SubDnn)}

    def written(self, region: Region, subdnns: SubDnns, weights: Weights) -> onnx.GraphProto:
        """Return the ONNX graph of a region."""
        writer = GraphWriter()
        statements = Statements(self.original, self.possible.numbers, weights)
        lowering = Lowering(self.original, subdnns, statements, self.possible.results)
        inputs = self.inputs(region)
        values = lowering.write_region(
            region, dict(zip(region.inputs, inputs, strict=True)), writer
        )
        declared = [
            self._value(variable, name)
            for variable, name in zip(region.outputs, self.outputs(region), strict=False)
        ]
        declared += [
            Value(name=NEXT, element=value.element, shape=()) for value in values[len(declared) :]
        ]
        outputs = list(zip(values, declared, strict=True))
        return writer.file(self.original.name, inputs, outputs)

    def remarks(self) -> tuple[str, ...]:
        """Return what the user should know: what was lowered, and what keeps the rest in Python."""
        reasons = _reasons(self.possible.reasons)
        if not self.regions:
            return (f"no branch or loop could be lowered to ONNX: {reasons}",)
        lowered = (self._described(*item) for item in self.regions.items())
        return (*lowered, f"the rest of the decisions is made by the host: {reasons}")

    def _described(self, node_id: NodeId, region: Region) -> str:
        nodes = [self.original.nodes[each] for each in region.nodes]
        counts = [
            _counted(sum(isinstance(node, kind) for node in nodes), word)
            for kind, word in ((Branch, "branch"), (LoopHead, "loop"), (SubDnn, "sub-DNN"))
        ]
        where = places(self.graph.nodes[node_id])
        return f"{node_id} ({where}) has {', '.join(filter(None, counts))} inside"

    def _value(self, variable: str, name: str) -> Value:
        element, shape = type_of_variable(self.original.variables[variable])
        return Value(name=name, element=element, shape=shape)


def mixed(graph: Hcfg) -> Mixed:
    """Return which regions of a graph become artifacts; maybe none."""
    possible = lowerable(graph)
    first = 1 + max(
        (int(n.partition("_")[2]) for n, x in graph.nodes.items() if isinstance(x, SubDnn)),
        default=-1,
    )
    regions = {f"subdnn_{first + i}": each for i, each in enumerate(find_regions(possible))}
    host = mixed_graph(graph, regions) if regions else graph
    kept = {node_id: region for node_id, region in regions.items() if node_id in host.nodes}
    return Mixed(possible=possible, regions=kept, graph=host)


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
