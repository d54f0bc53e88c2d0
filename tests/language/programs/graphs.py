"""Graphs of any size: messages along edges, and sums over as many graphs as nodes say."""

import torch
from torch.export import Dim

from tests.language.harness import case, noise

NODES = {0: Dim("nodes", min=1, max=16)}


MANY = [
    (noise(3, 4), torch.tensor([0, 0, 1])),
    (noise(1, 4, seed=1), torch.tensor([0])),
    (noise(4, 4, seed=2), torch.tensor([2, 0, 2, 5])),
    (noise(1, 4, seed=3), torch.tensor([-1])),
    (noise(2, 4, seed=4), torch.tensor([1, -1])),
]


@case(inputs=MANY, dynamic_shapes={"nodes": NODES, "owners": NODES}, messages=False)
def sums_of_graphs(nodes, owners):
    """PyTorch adds nothing, and looks at no place, where there is no graph."""
    count = int(owners.max()) + 1
    return torch.zeros(count, nodes.size(1)).index_add_(0, owners, nodes)


@case(inputs=MANY[:3], dynamic_shapes={"nodes": NODES, "owners": NODES})
def means_of_graphs(nodes, owners):
    """Divided by how many nodes each has."""
    count = owners.max().item() + 1
    sizes = torch.bincount(owners, minlength=count).clamp(min=1)
    return nodes.new_zeros(count, 4).index_add(0, owners, nodes, alpha=2) / sizes[:, None]


EDGES = {1: Dim("edges", max=32)}
WIRED = [
    (noise(3, 4), torch.tensor([[0, 1, 2], [1, 2, 1]])),
    (noise(1, 4, seed=1), torch.tensor([[0, 0], [0, 0]])),
    (noise(4, 4, seed=2), torch.zeros(2, 0, dtype=torch.int64)),
]


@case(inputs=WIRED, dynamic_shapes={"nodes": NODES, "edges": EDGES}, messages=False)
def messages(nodes, edges):
    """Each node gets what its neighbours send, weighted by a softmax over those."""
    source, target = edges[:, edges[0] != edges[1]]
    score = (nodes[source] * nodes[target]).sum(-1)
    top = torch.full((nodes.size(0),), float("-inf")).scatter_reduce(0, target, score, "amax")
    weight = (score - top[target]).exp()
    total = torch.zeros(nodes.size(0)).scatter_add(0, target, weight)
    sent = (weight / total[target])[:, None] * nodes[source]
    return torch.zeros_like(nodes).index_add(0, target, sent)
