"""Buffers that are registered in the call: tables that grow; the inputs are calls, in order."""

import torch
from torch import Tensor, nn

from tests.language.harness import case, noise

X = noise(2, 3)
CALLS = [(X, 2), (-X, 5), (X * 2, 3), (X * 3, 7), (-X, 4), (X, 9)]
ROWS = [(X,), (-X,)]


class _Angles(nn.Module):
    def __init__(self, longest=4):
        super().__init__()
        self.register_buffer("steps", torch.tensor([1.0, 0.5, 0.25]), persistent=False)
        self.make_table(longest)

    def make_table(self, longest):
        self.longest = longest
        angles = torch.outer(torch.arange(longest).float(), self.steps)
        self.register_buffer("cosines", angles.cos(), persistent=False)

    def forward(self, length):
        if length > self.longest:
            self.make_table(length)
        return self.cosines[:length]


@case(inputs=CALLS)
class GrownTable(nn.Module):
    """A table of positions is made anew for a longer sequence, and stays"""

    def __init__(self):
        super().__init__()
        self.angles = _Angles()

    def forward(self, x, length):
        table = self.angles(length)
        return x * table.sum(0) if x.sum() > 0 else x - table[0]


@case(inputs=CALLS[:2])
class SmallTable(nn.Module):
    """A module made in the call registers its own"""

    def forward(self, x, length):
        return x * _Angles(4).cosines.sum(0) if x.sum() > 0 else x * length


@case(inputs=CALLS)
class KeywordsAndOrder(nn.Module):
    """The arguments are named; a buffer of another size each time"""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, 3))

    def forward(self, x, length):
        before = self.seen
        if length > 3:
            self.register_buffer(persistent=True, tensor=x.repeat(length, 1), name="seen")
        return before.sum(0), self.seen.sum(0), len(self.seen)


@case(inputs=ROWS, refused="DYCL034")
class OneMoreBuffer(nn.Module):
    """A buffer that the model did not have"""

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("mask", x > 0)  # <- refused
        return x


@case(inputs=ROWS, refused="DYCL034")
class SavedFromNowOn(nn.Module):
    """Whether a buffer is in the state dict changes"""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3), persistent=False)

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("seen", x[0])  # <- refused
        return x + self.seen


@case(inputs=ROWS, refused="DYCL034")
class NoTensor(nn.Module):
    """A buffer that is None from then on"""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("seen", None)  # <- refused
        return x


class _Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))
        self.scale = 2.0  # <- refused

    def forward(self, x: Tensor):
        return x * self.scale  # never


@case(inputs=ROWS, refused="DYCL050")
def replaced_by_a_number(x):
    """PyTorch takes only tensors in the place of a buffer"""
    return _Replaced()(x)


class _There(nn.Module):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))  # <- refused

    def forward(self, x: Tensor):
        return x * self.scale  # never


@case(inputs=ROWS, refused="DYCL034")
def of_the_name_of_a_class_attribute(x):
    """PyTorch raises where there is an attribute of that name"""
    return _There()(x)


@case(inputs=ROWS)
class TooFewArguments(nn.Module):
    """A buffer without a tensor raises"""

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("mask")
        return x
