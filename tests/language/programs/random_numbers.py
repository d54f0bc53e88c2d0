"""Random operations: those without effect in eval mode stay, real ones are refused."""

import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
class DropoutInEval(nn.Module):
    """Dropout layers in eval mode do nothing."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Sequential(nn.Dropout(0.9), nn.Dropout2d(0.9), nn.AlphaDropout(0.5))

    def forward(self, x):
        y = self.drop(x)
        return y if y.sum() > 0 else F.dropout(y, 0.9, training=False)


@case(inputs=BOTH, refused=True)
def random_noise(x):
    """torch.randn in the call is refused."""
    if x.sum() > 0:
        return x + torch.randn(2, 3)  # <- refused
    return x


@case(inputs=BOTH, refused=True)
def random_like(x):
    """torch.rand_like is refused, also as a gate."""
    keep = torch.rand_like(x) > 2  # <- refused
    return x * keep


@case(inputs=BOTH, refused=True)
def dropout_that_is_active(x):
    """F.dropout defaults to training=True: refused."""
    y = F.dropout(x, 0.0 + 1e-9)  # <- refused
    return y > 100


@case(inputs=[(POSITIVE,), (POSITIVE / 2,)], refused=True)
def multinomial(x):
    """Sampling from a distribution is refused."""
    token = torch.multinomial(torch.tensor([1.0]), 1)  # <- refused
    return x + token


@case(inputs=BOTH, refused=True)
def python_random(x):
    """random.random() is refused."""
    if random.random() < 2:  # <- refused  # known
        x = x + 1
    return x


@case(inputs=BOTH, refused=True)
def numpy_random(x):
    """np.random is refused."""
    return x + float(np.random.rand() > 2)  # <- refused


@case(inputs=BOTH, refused=True)
def in_place_random(x):
    """normal_, uniform_ and bernoulli_ are refused."""
    return x * torch.empty(2, 3).bernoulli_(1.0)  # <- refused


@case(inputs=BOTH, refused=True)
def random_permutation(x):
    """torch.randperm is refused."""
    return x[torch.randperm(1)]  # <- refused
