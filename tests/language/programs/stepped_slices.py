"""Slices of tensors by steps that only the run knows."""

import torch
from torch import nn

from tests.language.harness import case, noise

X = noise(6, 4)
STEPS = [(X, n) for n in (2, 1, 3, 100, 0, -1)]


@case(inputs=STEPS)
def every_row(x, n):
    """Rows and columns so many places apart; no step, and one that goes back, are errors"""
    every = x[::n]
    return every * 2, len(every), every.max(), x[:, ::n].shape[1], x[::n, ::n].sum()


BOUNDS = [(X, 2, 1, 5), (X, 1, -3, 100), (X, 3, 5, 1), (X, 9, 0, 7), (X, 0, 0, 2), (X, -2, 1, 4)]


@case(inputs=BOUNDS, slow=True)
def between_bounds(x, n, start, stop):
    """With bounds of run time, counted from either end, that may cross"""
    return x[start:stop:n], x[-4::n], x[:-1:n], x[..., start::n]


@case(inputs=[(x, torch.tensor(n)) for x, n in STEPS])
def beside_others(x, n):
    """Beside integers, masks, new dimensions and index tensors; the step may be a tensor"""
    chosen = x[x[:, 0] > 0]
    one = n % 4
    return x[::n, 0], x[one, ::n], x[::n, [1, 0]], chosen[::n], x[None, ::n, 1:3], x[x[:, 0] > 0, ::n]


@case(inputs=STEPS)
def written(x, n):
    """Elements so far apart are written, through a view, too, and added to"""
    out = x.clone()
    out[1::n, 0] = out[1::n, 1] * 10
    out[::n] += 1
    out[:, ::n] = -2
    view = out[2::n]
    view.mul_(3)
    return out, view


@case(inputs=[(X, 2, 2), (X, 2, 3), (X, 4, 3)], messages=False)
def added(x, n, m):
    """Slices by one step have one size; those by another may not fit"""
    return x[::n] + x.exp()[::n], x[::n] * x[::m]


@case(inputs=[(X, 2), (X, 1), (X, 0), (X, 4)])
class Strided(nn.Module):
    """Parameters are sliced, a step is computed, and a loop takes a step for each trip"""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(noise(8, 4, seed=1))

    def forward(self, x, n):
        levels = [x[:: k + 1].mean() for k in range(n)]
        return levels, self.table[:: n + 1].sum(0), x[: n * 2 : n + 3]


@case(inputs=[(X, 5), (X, 4), (X, 1), (X, 0)])
def folded_in_two(x, n):
    """As many as go into pairs, side by side: the rest is cut off"""
    part = x[:n].T[None]
    b, c, t = part.size()
    t = (t // 2) * 2
    pairs = part[:, :, :t].view(b, c, t // 2, 2) if t else part.new_zeros(1, 4, 0, 2)
    return pairs.permute(0, 3, 1, 2).contiguous().view(b, c * 2, t // 2), part[:, :, 1::2]
