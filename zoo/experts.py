"""A mixture of experts: each token goes to its two best experts, which run on their tokens only.

Shazeer et al.: "Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer",
ICLR 2017; the dispatch loop is the one of Mixtral in Hugging Face transformers (an own
implementation, not a copy).

How many tokens an expert gets is data, and may be none. Weights are seeded.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Experts(nn.Module):
    """Top-2 routing over small feed-forward networks."""

    def __init__(self, dim=12, hidden=24, num_experts=5, top_k=2):
        super().__init__()
        self.num_experts = num_experts
        self.top_k = top_k
        self.router = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(dim, hidden), nn.SiLU(), nn.Linear(hidden, dim))
            for _ in range(num_experts)
        )

    def forward(self, x):
        """Return the mixed outputs, and the experts of each token."""
        batch, length, dim = x.shape
        tokens = x.view(-1, dim)
        weights, selected = torch.topk(F.softmax(self.router(tokens), dim=1), self.top_k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        result = torch.zeros_like(tokens)
        expert_mask = F.one_hot(selected, num_classes=self.num_experts).permute(2, 1, 0)
        for expert_idx in range(self.num_experts):
            choice, token_idx = torch.where(expert_mask[expert_idx])
            if token_idx.shape[0] == 0:
                continue
            current = self.experts[expert_idx](tokens[token_idx])
            result.index_add_(0, token_idx, current * weights[token_idx, choice, None])
        return result.view(batch, length, dim), selected


def build_model():
    torch.manual_seed(0)
    model = Experts().eval()
    with torch.no_grad():
        model.router.weight.mul_(3)
    return model


def example_inputs():
    return (torch.zeros(1, 4, 12),)


def sample_inputs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(1, 4, 12, generator=generator),) for _ in range(count)]


def decide(outputs):
    """The experts of each token."""
    return tuple(map(tuple, outputs[1].tolist()))
