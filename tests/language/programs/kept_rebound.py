"""Attributes bound to what they hold already; the inputs are calls on one instance, in order."""

import torch
from torch import nn

from tests.language.harness import case, noise

X = noise(2, 3)
CALLS = [(X, 0), (-X, 1), (X * 2, 4), (X * 3, 2), (-X, 4), (X, 0)]


class _Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(6, 3)
        self.register_buffer("sums", torch.zeros(3))


@case(inputs=CALLS)
class MovedAndWritten(_Cached):
    """A cache is moved to where it is, and then written in place, as Llama's code does."""

    def forward(self, x, start):
        self.cache = self.cache.to(x)
        self.cache[start : start + 2] = x
        return self.cache * 2 if x.sum() > 0 else self.cache[: start + 1].sum(0)


@case(inputs=CALLS)
class MovedBuffer(_Cached):
    """A buffer likewise."""

    def forward(self, x, start):
        self.sums = self.sums.to(x.device)
        self.sums += x[0]
        self.sums = self.sums
        return self.sums * start


@case(inputs=CALLS)
class ShownOnly(_Cached):
    """What is never read is written even where it is the same in the first call."""

    last = None

    def __init__(self):
        super().__init__()
        self.shown, self.seen = 0, 0

    def forward(self, x, start):
        self.shown = 0
        self.last = self.last
        if x.sum() > 0:
            self.shown = start
        self.seen = self.seen
        if start > 3:
            self.seen = start
        return x + self.seen, self.last


@case(inputs=CALLS, refused="DYCL034")
class OtherOnSomePaths(_Cached):
    """What is written in place may be another tensor, which others may hold."""

    def forward(self, x, start):
        self.cache = self.cache.to(x)
        if x.sum() > 0:
            self.cache = self.cache * 2
        self.cache[start : start + 2] = x  # <- refused
        return self.cache.sum(0)
