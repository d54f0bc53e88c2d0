"""Statements that give the same for the same operands, and what they cost."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeGuard

import torch

from hcfg.graph import DnnStatement, Hcfg, HostBlock, SubDnn
from hcfg.liveness import node_writes
from hcfg.recording import Recording
from hcfg.recordings import Recordings
from hcfg.statements import clobbers, exposed_reads, reads, writes
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.program import TensorSpec, TensorStatement

_COSTLY = re.compile(
    r"= aten\.(mm|addmm|bmm|baddbmm|convolution|linear|matmul|lstm|gru|_?scaled_dot_product\w*)\."
)
"""What is dearer to compute again than to hand over: products of matrices, convolutions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PureCode:
    """Which statements of a graph may be computed once for several places."""

    graph: Hcfg
    recordings: Recordings
    assignments: Mapping[str, int]
    """How many places assign each variable."""
    overwritten: frozenset[str]
    """Variables whose storage some statement writes into."""

    @classmethod
    def of(cls, graph: Hcfg, recordings: Recordings) -> "PureCode":
        """Look at all nodes of a graph."""
        counts: Counter[str] = Counter()
        overwritten: set[str] = set()
        for node in graph.nodes.values():
            if isinstance(node, SubDnn | HostBlock):
                for statement in node.statements:
                    counts.update(writes(statement))
                    overwritten.update(clobbers(statement))
            else:
                counts.update(node_writes(node, graph))
        return cls(
            graph=graph,
            recordings=recordings,
            assignments=counts,
            overwritten=frozenset(overwritten),
        )

    def is_pure(self, statement: DnnStatement) -> TypeGuard[TensorStatement]:
        """Return whether a statement only computes, and what it computes is never changed.

        Its results have no other assignment, so the names stand for these values wherever they
        are defined.
        """
        return (
            isinstance(statement, TensorStatement)
            and statement.stores_into is None
            and not statement.updates
            and bool(writes(statement))
            and all(
                self.assignments[name] == 1 and name not in self.overwritten
                for name in writes(statement)
            )
        )

    def has_fixed_operands(self, statement: DnnStatement) -> bool:
        """Return whether all variables that a statement reads have one assignment each."""
        return all(self.assignments[n] == 1 for n in reads(statement, self.graph.variables))

    def has_known_sizes(self, statement: DnnStatement) -> bool:
        """Return whether no tensor that a statement reads has a size known only at run time.

        Where one has, that the statement raises nothing may hold only behind a test of sizes.
        """
        specs = (self.graph.variables[n].spec for n in reads(statement, self.graph.variables))
        return all(
            isinstance(size, int)
            for spec in specs
            if isinstance(spec, TensorSpec)
            for size in spec.shape
        )

    def is_costly(self, statement: DnnStatement) -> bool:
        """Return whether it pays to hand the results over instead of computing them again."""
        if not all(map(self.can_cross, writes(statement))):
            return False
        node = SubDnn(
            statements=(statement,),
            inputs=exposed_reads((statement,), self.graph.variables),
            outputs=writes(statement),
            then="",
        )
        recording = self.recorded(node)
        return recording is not None and any(map(_COSTLY.search, recording.operations))

    def can_cross(self, name: str) -> bool:
        """Return whether every backend can hand a tensor over, whatever its size."""
        spec = self.graph.variables[name].spec
        return isinstance(spec, TensorSpec) and _is_simple(spec)

    def is_compilable(self, node: SubDnn, kept: Collection[str]) -> bool:
        """Return whether a changed sub-DNN can be compiled, and does not write into ``kept``."""
        recording = self.recorded(node)
        return (
            recording is not None
            and not recording.diagnostics
            and recording.overwritten.isdisjoint(kept)
        )

    def recorded(self, node: SubDnn) -> Recording | None:
        """Return what is recorded of a sub-DNN, None where it cannot be."""
        with suppress(CompileError, DyclBug):
            return self.recordings.of("subdnn", node, self.graph)
        return None


def _is_simple(spec: TensorSpec) -> bool:
    sizes_known = all(isinstance(size, int) for size in spec.shape)
    return sizes_known and spec.dtype in (torch.float32, torch.float64)
