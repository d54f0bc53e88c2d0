"""Where tensors pass between sub-DNNs alone: in blocks of channels, or on a device.

Imports no ONNX package.
"""

from collections.abc import Sequence
from typing import TypeAlias

import torch

from dycl.capture import CapturedSubDnn
from hcfg.graph import Hcfg, SubDnn
from hcfg.private_borders import private_borders
from rewriter.program import TensorSpec

Border: TypeAlias = tuple[str, ...]
"""Variables that hold one tensor."""


def block_borders(subdnns: Sequence[CapturedSubDnn], block: int) -> tuple[Border, ...]:
    """Return the private borders of images with whole blocks, between these sub-DNNs alone."""
    return tuple(
        border
        for border in own_borders(subdnns)
        if all(_has_blocks(name, subdnns[0].graph, block) for name in border)
    )


def staying(subdnns: Sequence[CapturedSubDnn]) -> dict[str, tuple[int, ...]]:
    """Return which results of each sub-DNN only these sub-DNNs look into, by its name.

    None are where the host puts inputs together: batches are made of arrays.
    """
    if any(subdnn.graph.many_inputs or subdnn.graph.put_off for subdnn in subdnns):
        return {}
    kept = {name for border in own_borders(subdnns) for name in border}
    return {
        subdnn.name: tuple(n for n, port in enumerate(subdnn.node.outputs) if port in kept)
        for subdnn in subdnns
    }


def own_borders(subdnns: Sequence[CapturedSubDnn]) -> tuple[Border, ...]:
    """Return the private borders between these sub-DNNs alone."""
    graphs = {id(subdnn.graph): subdnn.graph for subdnn in subdnns}
    if len(graphs) != 1:  # sub-DNNs of several programs have no borders with each other
        return ()
    (graph,) = graphs.values()
    present = {subdnn.name for subdnn in subdnns}
    absent = {
        name
        for node_id, node in graph.nodes.items()
        if isinstance(node, SubDnn) and node_id not in present
        for name in (*node.inputs, *node.outputs)
    }
    return tuple(border for border in private_borders(graph) if not absent.intersection(border))


def _has_blocks(name: str, graph: Hcfg, block: int) -> bool:
    spec = graph.variables[name].spec
    if not isinstance(spec, TensorSpec) or spec.dtype is not torch.float32:
        return False
    sizes = [size for size in spec.shape if isinstance(size, int) and size > 0]
    return len(sizes) == len(spec.shape) == 4 and sizes[1] % block == 0
