"""Layers found by name in a loop that is long, with a decision in each round."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
class Named(nn.Module):
    """Unrolled, each round knows its layer: rolled, each would choose among all of them."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        for place in range(20):
            setattr(self, f"layer{place}", nn.Linear(3, 3))
            setattr(self, f"gate{place}", nn.Linear(3, 1))

    def forward(self, x):
        taken = 0
        for place in range(20):
            if getattr(self, f"gate{place}")(x).sum() > 0:
                x = x + torch.tanh(getattr(self, f"layer{place}")(x))
                taken += 1
        return x, taken
