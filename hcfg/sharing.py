"""Which sub-DNNs are the same: a table beside the graph.

Equal up to weights: one export serves all. Equal with weights: one artifact serves all.
Equality is that of recorded ATen operations, so it does not matter how the user's code got
there, and modules that look alike but compute differently are told apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from hcfg.graph import Hcfg, NodeId, SubDnn
from hcfg.recordings import Recordings
from rewriter.contents import content_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """Groups of sub-DNNs; each group and the list of groups in the order of the graph."""

    structures: tuple[tuple[NodeId, ...], ...]
    """Sub-DNNs that are equal up to weights."""
    artifacts: tuple[tuple[NodeId, ...], ...]
    """Sub-DNNs that are equal with weights: a refinement of ``structures``."""

    def structure_of(self, node_id: NodeId) -> tuple[NodeId, ...]:
        """Return the group of sub-DNNs that share an export with this one."""
        return next(group for group in self.structures if node_id in group)

    def artifact_of(self, node_id: NodeId) -> tuple[NodeId, ...]:
        """Return the group of sub-DNNs that share an artifact with this one."""
        return next(group for group in self.artifacts if node_id in group)


def share_nothing(graph: Hcfg) -> Sharing:
    """Return the table in which every sub-DNN stands alone."""
    alone = tuple((n,) for n, node in graph.nodes.items() if isinstance(node, SubDnn))
    return Sharing(structures=alone, artifacts=alone)


def share(graph: Hcfg, recordings: Recordings) -> Sharing:
    """Return which sub-DNNs of a graph are equal, up to weights and with them."""
    structures: dict[str, list[NodeId]] = {}
    weights: dict[NodeId, tuple[torch.Tensor, ...]] = {}
    for node_id, node in graph.nodes.items():
        if isinstance(node, SubDnn):
            recording = recordings.of(node_id, node, graph)
            key = node_id if recording.opaque else recording.structure
            structures.setdefault(key, []).append(node_id)
            weights[node_id] = recording.weights
    artifacts: list[list[NodeId]] = []
    for group in structures.values():
        artifacts += _equal_groups(group, weights)
    order = {node_id: position for position, node_id in enumerate(weights)}
    return Sharing(
        structures=tuple(tuple(group) for group in structures.values()),
        artifacts=tuple(sorted((tuple(group) for group in artifacts), key=lambda g: order[g[0]])),
    )


def _equal_groups(
    group: list[NodeId], weights: Mapping[NodeId, tuple[torch.Tensor, ...]]
) -> list[list[NodeId]]:
    """Divide sub-DNNs of one structure into those with equal weights."""
    glances: dict[tuple[bytes, ...], list[list[NodeId]]] = {}
    for node_id in group:
        own = weights[node_id]
        alike = glances.setdefault(tuple(map(_glance, own)), [])
        for known in alike:
            if all(map(is_same, weights[known[0]], own)):
                known.append(node_id)
                break
        else:
            alike.append([node_id])
    return [found for alike in glances.values() for found in alike]


def _glance(weight: torch.Tensor) -> bytes:
    """Return the first row: weights that differ nearly always differ there."""
    if weight.numel() == 0:
        return b""
    return content_bytes(weight.detach()[(0,) * max(0, weight.dim() - 1)])


def is_same(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Return whether two weights of equal geometry hold the same, bit for bit."""
    if first is second or first.data_ptr() == second.data_ptr() != 0:
        return True
    return content_bytes(first) == content_bytes(second)
