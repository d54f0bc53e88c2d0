"""Sums and products of large integers: they are exact, and wrap where 64 bits are too few."""

import torch
from torch import nn

from tests.language.harness import case

TOKENS = [(torch.tensor(row),) for row in ([[3, 1, 4, 1]], [[5, 0, 2, 9]], [[0, 0, 0, 0]])]
LARGE = [
    (torch.tensor([[2**53 + 1, 0, 2], [5, 1, 3]]),),
    (torch.tensor([[2**62 + 1, 2**62, 3], [-(2**62), -(2**63), 1]]),),
    (torch.tensor([[2, 0, 2], [1, 1, 1]]),),
]
OF_ANY_LENGTH = [(torch.full((length, 2), 2**62 - 3),) for length in (3, 1, 2, 5, 0)]


@case(inputs=TOKENS)
class HashedTokens(nn.Module):
    """Groups of tokens are looked up by a hash, a sum that wraps"""

    def __init__(self):
        super().__init__()
        self.register_buffer("factors", torch.tensor([1, 1000003, 1000003**2, 1000003**3 + 2**61]))
        self.table = nn.Embedding(11, 4)

    def forward(self, tokens):
        places = (tokens * self.factors * 1000003).sum(-1) % 11
        if places.sum() > 2:
            return self.table(places), places
        return self.table(places).relu(), places


@case(inputs=LARGE)
def sums_and_products(x):
    """Over one dimension or all, from 2**53 on"""
    total = x.sum()
    if total.item() % 2 == 0:
        return total, x.sum(0), x.sum(1, keepdim=True), x.prod(), x.prod(0), x.prod(1)
    return total, x.sum((0, 1)), x.T.sum(0), x.prod(1, keepdim=True), (x > 1).sum(), x.sum(-1)


@case(inputs=[(x.clamp(-(2**31), 2**31 - 1).int(),) for (x,) in LARGE])
def sums_in_32_bits(x):
    """What is summed in 32 bits wraps there"""
    narrow = x.sum(1, dtype=torch.int32)
    if narrow[0] > 3:
        return narrow, x.sum(), x.sum(0, dtype=torch.int32, keepdim=True), x.prod()
    return narrow, x.sum(0), x.prod(1)


@case(inputs=OF_ANY_LENGTH, dynamic_shapes={"x": {0: torch.export.Dim("n", max=8)}})
def sums_of_any_length(x):
    """How many are summed is known only at run time; none at all is 0"""
    total = x.sum(0)
    if total[0] < 0:
        return total, x.sum(1), x.sum()
    return total, x[:, None].sum((0, 1)), x.prod(1), (x + 1)[None].sum(1, keepdim=True)


@case(inputs=LARGE)
def remainders(x):
    """What is left of a division, with the sign of either"""
    if x.sum() > 0:
        return x.fmod(7), x % 7, x.fmod(-5), x % -5
    return torch.fmod(x, torch.tensor([7, 5, -3])), torch.remainder(x, torch.tensor(-3))


@case(inputs=LARGE)
def products_by_einsum(x):
    """Products of matrices, and of all pairs, are exact"""
    pairs = torch.einsum("ij,kl->ijkl", x, x)
    return torch.einsum("ij,kj->ik", x, x), pairs, torch.einsum("ij->", (x > 1).long())


@case(inputs=LARGE, refused_on_host="DYCL411")
def sums_by_einsum(x):
    """What is summed by einsum is not: ONNX Runtime rounds"""
    return torch.einsum("ij->i", x)  # <- refused


POWERS = [
    (torch.tensor([3, 7, -5, 0, 1]), torch.tensor([40, 33, 27, 0, -4])),
    (torch.tensor([2, -1, 6, -1, 9]), torch.tensor([63, -3, 2, 8, 1])),
]


@case(inputs=POWERS)
def powers(x, y):
    """Powers of integers are exact, and wrap; below 0 they are 0, but of 1 and -1"""
    found = x**y
    if found[2] > 0:
        return found, x**5, (x.int()) ** 3, 2 ** y.abs()
    return found, x**23, x**0, (y > 0) + (x > 0)


@case(inputs=[(torch.tensor([1, 2, 3]),), (torch.tensor([-1, -2, 0]),)])
def powers_of_small_types(x):
    """Powers of int8 and uint8 are int16, those of int8 and int32 int32."""
    small, positive = x.to(torch.int8), (x + 2).to(torch.uint8)
    if x.sum() > 3:
        return small**positive, positive ** small.abs()
    return positive**positive, small ** x.int()


ROUNDED = [(torch.tensor([[3, -2, 5]]),), (torch.tensor([[0, 1, -7]]),)]


@case(inputs=ROUNDED)
def rounded_and_joined(x):
    """Integers are whole already; stacks of several types have the widest; means say their type"""
    is_small = x < 3
    if x.sum() > 0:
        return x.floor(), torch.stack([x, is_small]), is_small.mean(dtype=torch.float32)
    return x.round(), torch.hstack([x, is_small, x / 2]), x.mean(1, dtype=torch.float64)
