"""Elements of a tensor at places that go in equal steps along each dimension."""

import torch


def in_steps(input, first, steps):
    """Return ``input``'s elements, counted in its order, from ``first`` on.

    ``steps`` are pairs: how many along a dimension, and how many elements lie between two of them.
    """
    places = torch.tensor(first)
    for number, step in steps:
        places = places.unsqueeze(-1) + torch.arange(number) * step
    return input.take(places)
