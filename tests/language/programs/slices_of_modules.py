"""Rows of layers cut by numbers known only at run time: depths, stages, what is skipped."""

import torch
from torch import nn

from tests.language.harness import case, noise

INPUTS = [(noise(2, 3) * scale,) for scale in (0.1, 1.0, -1.0, 3.0, -4.0)]


def _depth(x):
    return int(x.abs().sum()) % 4


class _Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return x + self.linear(x) if x.sum() > 0 else self.linear(x)


class _Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([_Block(), _Block(), _Block()])
        self.chain = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))


@case(inputs=INPUTS)
class FirstLayers(_Stack):
    """As many layers as the input asks for, with what comes after them."""

    def forward(self, x):
        depth = _depth(x)
        for layer in self.layers[:depth]:
            x = layer(x)
        return x, len(self.layers[depth:])


@case(inputs=INPUTS)
class ChainInTwo(_Stack):
    """A Sequential is cut in two."""

    def forward(self, x):
        depth = _depth(x)
        return self.chain[depth:](self.chain[:depth](x))


@case(inputs=INPUTS)
class AnyBounds(_Stack):
    """Bounds below zero, beyond the end, crossed, and with a step."""

    def forward(self, x):
        start = int(x.sum())
        for layer in self.layers[start:start + 2]:
            x = layer(x)
        for layer in self.layers[start::2]:
            x = torch.tanh(layer(x))
        return x


@case(inputs=INPUTS)
class InAList(_Stack):
    """Layers in a plain list, cut at a place that is a tensor."""

    def forward(self, x):
        layers = list(self.layers)
        count = (x > 0.2).sum()
        return torch.stack([layer(x) for layer in [self.chain, *layers[:count]]])


@case(inputs=INPUTS, refused="DYCL056")
class Backwards(_Stack):
    """Layers from a place back to the first."""

    def forward(self, x):
        for layer in self.layers[_depth(x) :: -1]:  # <- refused
            x = layer(x)
        return x
