"""Tensors that passes compute, as known references of the graph."""

from dataclasses import replace

import torch

from hcfg.edit import fresh_id
from hcfg.graph import Hcfg
from rewriter.contents import content_bytes
from rewriter.program import KnownReference


def as_known(graph: Hcfg, value: torch.Tensor) -> tuple[Hcfg, str]:
    """Return the name of a known tensor with this value, and the graph that knows it."""
    for name, known in graph.knowns.items():
        if isinstance(known.value, torch.Tensor) and _is_equal(known.value, value):
            return graph, name
    name = fresh_id(graph.knowns, "constant")
    own = value.detach().clone(memory_format=torch.contiguous_format)
    known = KnownReference(name=name, path=None, value=own)
    return replace(graph, knowns={**graph.knowns, name: known}), name


def _is_equal(known: torch.Tensor, value: torch.Tensor) -> bool:
    """Return whether two tensors are equal bit for bit."""
    return (
        known.dtype == value.dtype
        and known.shape == value.shape
        and known.device == value.device
        and (known is value or content_bytes(known) == content_bytes(value))
    )
