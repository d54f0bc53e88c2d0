"""Complex numbers inside of tensor code: rotary embeddings as Llama's code has them."""

import torch
from torch import nn

from tests.language.harness import case, noise

X = noise(1, 4, 2, 8)


class _Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        frequencies = 1.0 / (10000.0 ** (torch.arange(0, 8, 2).float() / 8))
        angles = torch.outer(torch.arange(16).float(), frequencies)
        self.rotations = torch.polar(torch.ones_like(angles), angles)

    def rotate(self, x, rotations):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        rotated = pairs * rotations.view(1, x.shape[1], 1, 4)
        return torch.view_as_real(rotated).flatten(3).type_as(x)


@case(inputs=[(X,), (-X,)])
class Rotated(_Rotary):
    """Weights of complex numbers, in straight-line code."""

    def forward(self, x):
        y = self.rotate(x, self.rotations[: x.shape[1]])
        return y if x.sum() > 0 else y * 2


@case(inputs=[(X,), (-X,), (X * 3,)], refused_on_host="DYCL420")
class RotatedInEachLayer(_Rotary):
    """Complex numbers known at compile time, on both sides of branches."""

    def forward(self, x):
        rotations = self.rotations[: x.shape[1]]
        for _ in range(2):
            y = self.rotate(x, rotations)
            x = y + 1 if y.sum() > 0 else x + 2
        return x


@case(inputs=[(X, 0), (-X, 5), (X, 12)], refused_on_host="DYCL405")
class RotatedFromAPosition(_Rotary):
    """The place in the text is known at run time."""

    def forward(self, x, start):
        y = self.rotate(x, self.rotations[start : start + 4])
        return y if y.sum() > 0 else -y
