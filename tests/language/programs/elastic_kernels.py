"""Convolutions whose number of channels is known only at run time, none included."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case, noise

X = noise(1, 4, 7, 6)
CUTS = [(X, 4, 4), (X, 2, 3), (X, 1, 1), (X, 0, 2)]


@case(inputs=CUTS, slow=True)
class StridedAndDilated(nn.Module):
    """Stride, padding and dilation; without a bias."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4, 3, 3))

    def forward(self, x, inputs, outputs):
        filters = self.weight[:outputs, :inputs]
        return F.conv2d(x[:, :inputs], filters, None, stride=2, padding=2, dilation=2)


@case(inputs=[*CUTS, (X, 2, 0)], messages=False)
class NoFilters(nn.Module):
    """Without a filter PyTorch raises."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4, 1, 1))
        self.bias = nn.Parameter(torch.randn(4))

    def forward(self, x, inputs, outputs):
        filters = self.weight[:outputs, :inputs]
        return F.conv2d(x[:, :inputs], filters, self.bias[:outputs]).relu()


@case(inputs=[(noise(2, 4, 9), 3), (noise(2, 4, 9), 1), (noise(2, 4, 9), 4)])
class Elastic1d(nn.Module):
    """Filters chosen from a longer list of them, in one dimension."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4, 3))

    def forward(self, x, outputs):
        y = F.conv1d(x, self.weight[:outputs], padding=1)
        return F.max_pool1d(y, 2) if outputs > 2 else y


@case(inputs=[(X, 1), (X, 2), (X, 3), (X, 0)])
class ByScore(nn.Module):
    """The channels that matter most are kept, as pruning at run time does."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(4, 4, 3, padding=1)
        self.weight = nn.Parameter(torch.randn(2, 4, 3, 3))

    def forward(self, x, count):
        if count < 1:
            raise ValueError("no channel is left")
        y = self.first(x)
        kept = y.abs().mean(dim=(0, 2, 3)).topk(count)[1]
        return F.conv2d(y[:, kept], self.weight[:, kept], padding=1)
