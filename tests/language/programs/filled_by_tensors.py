"""Tensors filled with what a tensor of no dimension holds."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SERIES = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=SERIES)
class StridesOfLevels(nn.Module):
    """The strides of a detector's levels are elements of a tensor."""

    def __init__(self):
        super().__init__()
        self.stride = torch.tensor([8.0, 16.0])

    def forward(self, x):
        made = []
        for stride in self.stride:
            made.append(x.new_full((2, 1), stride))
            made.append(torch.full((3,), stride, dtype=torch.float64))
        return torch.cat([m.flatten().float() for m in made]) if x.sum() > 0 else made


@case(inputs=SERIES)
def run_time_fill_values(x):
    """The largest element, or its place, fills a tensor."""
    filled = torch.full_like(x, x.max()), x.new_full(size=(2,), fill_value=x.sum())
    return filled, torch.full((2,), x.argmax()), torch.full((2,), fill_value=x.mean())
