"""Tensors that operators are tried on."""

import torch


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def integers(*shape: int, low: int = -9, high: int = 10) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(0))


NAN, INFINITY = float("nan"), float("inf")


X = normal(2, 3, 4)


POSITIVE = X.abs() + 0.1


IMAGE = normal(2, 4, 9, 7)


SPECIAL = torch.tensor([1.5, NAN, -2.5, INFINITY, -INFINITY, 0.0, -0.0, 0.5, -0.5, 2.5, -7.3])


TIES = torch.tensor([[1.0, 3.0, 3.0, 2.0, 3.0], [0.0, 0.0, -1.0, 0.0, 0.0]])
LONG = (torch.arange(18000.0) * 7919 % 18001).reshape(2, 3000, 3)


WITH_NAN = torch.tensor([[1.0, NAN, 3.0], [4.0, 5.0, 6.0], [NAN, 0.0, NAN]])


DIVIDENDS = torch.tensor([7, -7, 7, -7, 6, 0, -1])


DIVISORS = torch.tensor([2, 2, -2, -2, 3, 5, 3])


BOOLS = torch.tensor([[True, False, True], [False, False, False]])
ONE_ROW_ONLY = torch.tensor([[False, False, False], [True, True, True], [True, False, True]])


EMPTY = torch.zeros(0, 3)


TOKENS = torch.tensor([[1, 5, 0], [2, 2, 6]])


SQUARE = normal(2, 4, 4)
