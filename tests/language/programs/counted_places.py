"""Rows at counted places: ``x[arange(n)]``, ``x[range(a, b)]``, ranges by steps of run time."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case, noise

X = noise(6, 3)
COUNTS = [(X, n) for n in (2, 0, 6, 7, 100, -1)]


@case(inputs=COUNTS, messages=False)
def beyond_the_end(x, n):
    """Places beyond the end are an error, as long as the tensor is no slice"""
    places = torch.arange(n)
    return x[places], x.index_select(0, places), x[torch.arange(n, dtype=torch.int32)].sum(0)


@case(inputs=[(X, n) for n in (2, 3, 0, 4)], messages=False)
def columns(x, n):
    """Columns, and rows of a table of embeddings"""
    return x[:, torch.arange(n)], F.embedding(torch.arange(n), x[:2])


@case(inputs=[(X, n) for n in (4, 2, -2, 6)], messages=False)
def ranges(x, n):
    """A range that does not lead from end to end has no places"""
    return x[range(2, n)], x[range(n)], x[range(4, n, -1)]


@case(inputs=[(X, n) for n in (4, 2, 3, -2)])
def ranges_written(x, n):
    """Rows at the places of a range are written"""
    out = x.clone()
    out[range(n)] = 0
    return out


STEPS = [(7, 2), (6, 3), (0, 2), (-3, 2), (5, -1), (-5, -2), (5, 0), (0, 0)]


@case(inputs=STEPS)
def stepped(n, step):
    """Counting by a step of run time, up or down; the wrong sign, and no step, are errors"""
    return torch.arange(0, n, step), torch.arange(start=0, end=n, step=step, dtype=torch.float32)


@case(inputs=[(X, s) for s in (1, 2, -1, -2, 10)])
def stepped_ranges(x, step):
    """Ranges by such a step are indices, too"""
    return x[range(5, -1, step)], x[range(0, 6, step)]


@case(inputs=[(X, n) for n in (4, 8, 9)], messages=False)
class Positions(nn.Module):
    """A table of positions has a last one"""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(noise(8, 3, seed=1))

    def forward(self, x, n):
        rows = x.repeat(2, 1)[:n]
        return rows + self.table[torch.arange(n)][: rows.shape[0]]
