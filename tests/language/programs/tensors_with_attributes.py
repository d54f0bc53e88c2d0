"""Tensors that have attributes of their own: the model's are read, an argument's cannot be."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
TAGGED = torch.ones(3)
TAGGED.scale = 3.0
GIVEN = torch.ones(3)
GIVEN.tag = 1


@case(inputs=BOTH)
class OfTheModel(nn.Module):
    """What is stored at a weight is known, and what is not there raises."""

    def forward(self, x):
        if x.sum() > 0:
            return x * TAGGED * TAGGED.scale
        return x * getattr(TAGGED, "other", 5)


@case(inputs=[(GIVEN,), (POSITIVE,)], refused="DYCL039")
def of_an_argument(x):
    """A caller's array has none."""
    if hasattr(x, "tag"):  # <- refused
        return x + 1
    return x - 1


@case(inputs=[(GIVEN,)])
def of_an_argument_unread(x):
    """Nobody asks for it."""
    return x * getattr(x, "scale", 2)
