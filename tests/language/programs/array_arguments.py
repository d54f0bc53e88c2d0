"""Arguments that are numpy arrays."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

ARRAYS = [(POSITIVE.numpy(),), (NEGATIVE.numpy(),)]


@case(inputs=ARRAYS)
class Policy(nn.Module):
    """A policy takes an observation as an array, and decides by its content"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, observation):
        x = torch.from_numpy(observation)
        if observation.sum() > 0:
            x = self.layer(x)
        return x.relu()


@case(inputs=ARRAYS)
def computed_with_numpy(x):
    """numpy computes on an argument before it becomes a tensor"""
    scaled = (x - x.mean()) / np.maximum(x.std(), 1e-6)
    return torch.as_tensor(scaled) * 2, scaled.shape[0]


@case(inputs=[(POSITIVE, np.array([1, 0])), (NEGATIVE, np.array([0, 0]))])
def array_of_indices(x, order):
    """An array of integers chooses the rows of a tensor"""
    return x[torch.from_numpy(order)]


@case(inputs=[(POSITIVE, {"a": np.float32([1, 2, 3])}), (NEGATIVE, {"a": np.float32([3, 2, 1])})])
def array_in_a_dict(x, batch):
    """An array in a dict argument"""
    if batch["a"][0] > 2:
        return x + torch.from_numpy(batch["a"])
    return x


@case(inputs=ARRAYS, refused="DYCL034")
def memory_of_an_array_written(x):
    """A tensor over the memory of an argument is written in place"""
    y = torch.from_numpy(x)
    y += 1  # <- refused
    return y
