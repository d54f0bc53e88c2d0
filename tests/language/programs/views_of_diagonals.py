"""Diagonals: read, where other elements are infinite or NaN, and written in place as views."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SPECIAL = torch.tensor([[1.0, float("nan"), -1.0], [float("inf"), 2.0, -float("inf")]])
FIVE = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,), (SPECIAL,)]


@case(inputs=FIVE)
def read(x):
    """Elements beside a diagonal do not touch it"""
    chosen = x[x[:, 0] > 0]
    products = chosen @ chosen.t()
    return torch.diag(x), x.diag(1), torch.diag(x, -1), products.diag(), torch.diagonal_copy(x)


@case(inputs=FIVE)
def written(x):
    """A diagonal is filled, copied to, added to and multiplied, beside others and in a batch"""
    filled, below, batch = x.clone(), x.clone(), x.unsqueeze(0).repeat(2, 1, 1)
    filled.diagonal().fill_(7.0)
    below.diagonal(-1).copy_(torch.tensor([3.0]))
    batch.diagonal(1, 1, 2).add_(2.0)
    torch.diagonal(batch, 0, 0, 2).mul_(x[0, :1])
    return filled, below, batch


@case(inputs=FIVE)
def written_in_squares(x):
    """The diagonal of a matrix of a size known at run time, which may be 0"""
    chosen = x[x[:, 0] > 0]
    masked = chosen @ chosen.t()
    larger, copied = masked.clone(), masked.clone()
    masked.diagonal().fill_(float("-inf"))
    larger.diagonal().add_(1.0)
    copied.diagonal().copy_(chosen[:, 0])
    return masked, larger, copied
