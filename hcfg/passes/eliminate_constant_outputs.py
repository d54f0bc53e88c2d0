"""Constant-output elimination, DyCL's second strategy."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from hcfg.copies import host_copies
from hcfg.edit import Replacement, narrowed, replace_subdnns, with_merged_host_blocks
from hcfg.execution import compile_forward
from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.known_tensors import as_known
from hcfg.report import Report
from hcfg.zeroed_memory import ZeroedMemory
from rewriter.program import TensorSpec


@dataclass(frozen=True, slots=True)
class EliminateConstantOutputs:
    """Compute sub-DNN outputs that depend on no input now; they become host constants.

    rewrite:
        h, y = subdnn_3(x)      # h is torch.zeros(1, 10): the first state of a recurrent gate
          ->
        y = subdnn_3(x);  h = constant_0

    The recording says on which inputs the storage of an output depends. Where an input is
    read for its shape only, any tensor of that shape will do.
    """

    name: ClassVar[str] = "eliminate-constant-outputs"

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph without constant outputs."""
        changed: dict[NodeId, Replacement] = {}
        result = graph
        for node_id, node in graph.nodes.items():
            if not isinstance(node, SubDnn):
                continue
            values = _constants(graph, node_id, node, report)
            names: dict[str, str] = {}
            for name, value in values.items():
                result, known = as_known(result, value)
                report.note(self.name, node_id, f"{name} is {known}")
                names[name] = known
            if names:
                new = narrowed(node, [n for n in node.outputs if n not in names], graph)
                changed[node_id] = Replacement(new=new, after=host_copies(names, node))
        return with_merged_host_blocks(replace_subdnns(result, changed))


def _constants(
    graph: Hcfg, node_id: NodeId, node: SubDnn, report: Report
) -> dict[str, torch.Tensor]:
    """Return the outputs of a sub-DNN that can be computed now, with their values."""
    recording = report.recordings.of(node_id, node, graph)
    constant = [output.name for output in recording.outputs if not output.depends_on]
    if not constant or recording.diagnostics:
        return {}
    return _compute(graph, node_id, node, constant) or {}


def _compute(
    graph: Hcfg, node_id: NodeId, node: SubDnn, names: list[str]
) -> dict[str, torch.Tensor] | None:
    """Return the values of outputs, or None where they cannot be computed now.

    That is so where an input's symbolic shape decides them, and where computing them raises:
    then the original raises too, but only if it gets there.
    """
    part = narrowed(node, names, graph)
    assert part is not None
    stand_ins = []
    for name in part.inputs:
        spec = graph.variables[name].spec
        sizes = spec.shape if isinstance(spec, TensorSpec) else ("unknown",)
        if not isinstance(spec, TensorSpec) or any(isinstance(size, str) for size in sizes):
            return None
        stand_ins.append(torch.zeros([int(size) for size in sizes], dtype=spec.dtype))
    try:
        with torch.no_grad(), ZeroedMemory():
            values = compile_forward(node_id, part, graph)(*stand_ins)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return None
    return dict(zip(part.outputs, values, strict=True))
