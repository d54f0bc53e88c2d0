"""Numbers that are an integer on one path and a float on another: ``max(1, x.sum().item())``."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]


@case(inputs=SIGNS)
def with_floats(x):
    """To a tensor of floats both are the same operand."""
    count = max(1, x.sum().item())
    scaled = x.clone()
    scaled[0] = count
    return x.sum() / (3 * count), x * min(2, count), count + x, scaled, x.clamp(max=1.0) ** count


@case(inputs=SIGNS, refused="DYCL030")
def with_integers(x):
    """A tensor of integers stays one, or becomes one of floats."""
    return torch.arange(3) * max(1, x.sum().item())  # <- refused


@case(inputs=SIGNS, refused="DYCL061")
def as_a_bound(x):
    """A range takes the one and not the other."""
    return [x * i for i in range(max(1, x.sum().item()))]  # <- refused
