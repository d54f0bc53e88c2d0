"""Combinations of the elements of a tensor, by places that are known."""

import itertools

import torch


def combinations(input, r=2, with_replacement=False):
    """``torch.combinations``."""
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    count = input.shape[0]
    if r == 2:
        rows, columns = torch.triu_indices(count, count, offset=0 if with_replacement else 1)
        return torch.stack([input[rows], input[columns]], dim=1)
    if with_replacement:
        places = list(itertools.combinations_with_replacement(range(count), r))
    else:
        places = list(itertools.combinations(range(count), r))
    return input[torch.tensor(places, dtype=torch.int64).reshape(-1, r)]
