"""Loops that scale a matrix until it no longer changes"""

import torch
from torch import nn

from tests.language.harness import case


def costs(*seeds):
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]  # at import
    return [(torch.rand(4, 4, generator=each) * 3,) for each in generators]  # at import


def far_apart():
    """Nothing converges: the kernel is zero"""
    return (torch.full((4, 4), 1e4),)  # at import


@case(inputs=[*costs(0, 1, 2), far_apart()])
class Sinkhorn(nn.Module):
    """Sinkhorn scaling: quotients of matrix products, transposed and not, until they settle."""

    def forward(self, cost, epsilon: float = 0.5):
        kernel = torch.exp(-cost / epsilon)
        left = torch.ones(cost.shape[0])
        count = 0
        try:
            while True:
                right = 1 / (kernel.t() @ left)
                new = 1 / (kernel @ right)
                count += 1
                error = (new - left).abs().max().item()
                left = new
                if error < 1e-3:
                    break
                if count > 60:
                    raise RuntimeError("no convergence")
        except RuntimeError as failure:
            return str(failure), count
        return left[:, None] * kernel * right, count
