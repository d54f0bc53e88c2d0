"""Masks whose size is a product of sizes that dycl cannot compare with what they choose from."""

import torch

from tests.language.harness import case


@case(inputs=[(torch.tensor([0.0, 0.1, 2.0]),), (torch.ones(3),), (torch.tensor([5.0, 2.0, 0.0]),)])
def near_the_first(x):
    """Rows near the first one leave until there is none; the first one is a slice from a number."""
    left = torch.arange(3)
    rounds = 0
    while len(left) > 0:
        first = int(left[0].item())
        rounds += 1
        far = ((x[left, None] - x[None, first : first + 1]).abs() > 0.5).flatten()
        far[0] = False
        left = left[far]
    return rounds
