"""Attributes that were not there before, and that only some paths set: asked for afterwards"""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, case

SERIES = [(x,) for x in (NEGATIVE, POSITIVE, NEGATIVE, LARGE, MIXED, POSITIVE)]


@case(inputs=SERIES)
class LookedFor(nn.Module):
    """``hasattr`` and ``getattr`` behind the branch that sets it, and in later calls"""

    def forward(self, x):
        if x.sum() > 0:
            self.last = x
        if hasattr(self, "last"):
            x = x + self.last
        return x, getattr(self, "other", 7)


@case(inputs=SERIES)
class ReadUnlessSet(nn.Module):
    """It is read where nobody has set it: an AttributeError, which the program catches"""

    def forward(self, x):
        if x.sum() > 0:
            self.first, self.scale = x * 2, 3.0
        if x.mean() > 1:
            self.names = ["large"]
        try:
            return x + self.first * self.scale
        except AttributeError as error:
            return str(error), hasattr(self, "names"), hasattr(self, "scale")


@case(inputs=SERIES)
class SetOnce(nn.Module):
    """The first call of a kind sets it, the others count"""

    def forward(self, x):
        if x.sum() > 0 and not hasattr(self, "calls"):
            self.calls = 0
            self.mask = torch.ones_like(x)
        elif hasattr(self, "calls"):
            self.calls += 1
            x = x * self.mask
        return x, getattr(self, "calls", -1)


@case(inputs=[(x, n) for x in (NEGATIVE, POSITIVE) for n in (0, 2, 3)] + [(NEGATIVE, 1)])
class SetInALoop(nn.Module):
    """A loop of the host sets it in some of its rounds"""

    def forward(self, x, n):
        while n > 0:
            if x.mean() > 0.5:
                self.found = x * n
            x = x + 0.25
            n -= 1
        return x, getattr(self, "found", None)


@case(inputs=SERIES)
class SetInASubmodule(nn.Module):
    """A layer sets its own, and the model looks for it"""

    class Layer(nn.Module):
        """Notes what it has seen."""

        def forward(self, x):
            if x.min() > 0:
                self.seen = x.sum()
            return x * 2

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(self.Layer() for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) - 1
        return x, [layer.seen for layer in self.layers if hasattr(layer, "seen")]
