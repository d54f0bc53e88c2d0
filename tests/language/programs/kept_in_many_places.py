"""What many modules keep from one call to the next; the inputs are calls on one instance."""

import torch
from torch import nn

from tests.language.harness import case, noise

X = noise(2, 3)
CALLS = [(X,), (-X,), (X * 2,), (-X,), (X * 3,)]


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.width, self.uses = -1, 0

    def forward(self, x):
        width = self.width
        if width < 0:  # known
            raise RuntimeError("no width was chosen")  # never
        self.width = -1
        self.uses += 1
        return torch.tanh(x * width) + self.uses * 0.01


class _Slimmable(nn.Module):
    def __init__(self, layers=30):
        super().__init__()
        self.layers = nn.ModuleList(_Layer() for _ in range(layers))

    def choose(self, width):
        for layer in self.layers:
            layer.width = width


@case(inputs=CALLS)
class SlimLayers(_Slimmable):
    """Each of many layers is told its width in each call, forgets it, and counts its uses."""

    def forward(self, x):
        self.choose(3 if x.sum() > 0 else 2)
        for layer in self.layers:
            x = layer(x)
        return x, sum(layer.uses for layer in self.layers)


@case(inputs=CALLS)
class ToldFromOneToTheNext(_Slimmable):
    """A layer tells the next one, the last one what the next call begins with."""

    def __init__(self):
        super().__init__()
        self.choose(1)

    def forward(self, x):
        for layer, after in zip(self.layers, [*self.layers[1:], self.layers[0]]):
            x = layer(x)
            after.width = 1 + layer.uses % 2
        return x
