"""Places in the user's source, however deep the calls are that lead to them."""

import torch

from dycl.api import build_graph
from hcfg.graph import SubDnn, origins

_DEPTH = 40
"""Calls within each other: more than anything that doubles with each of them can stand."""


def _called_through(depth: int, x: torch.Tensor) -> torch.Tensor:
    return _called_through(depth - 1, x) if depth else x * 2


def deep(x: torch.Tensor) -> torch.Tensor:
    """Compute behind calls in calls."""
    return _called_through(_DEPTH, x)


def test_sites_follow_each_other_and_are_not_in_each_other() -> None:
    graph = build_graph(deep, (torch.ones(2),))
    (node,) = (node for node in graph.nodes.values() if isinstance(node, SubDnn))
    (origin,) = origins(node)
    assert origin.text.strip().endswith("else x * 2")
    assert [site.inlined_at for site in origin.inlined_at] == [()] * (_DEPTH + 1)
    assert origin.inlined_at[-1].text.strip() == "return _called_through(_DEPTH, x)"
    assert origin.sites[1:] == origin.inlined_at
