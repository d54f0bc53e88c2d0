"""Methods of one object that another one holds, and tensors whose names are no words of Python."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Scale:
    """Holds a tensor by the name that its users have, too."""

    shared = torch.tensor([7.0, 8.0, 9.0])

    def __init__(self):
        self.weight = torch.tensor([1.0, 2.0, 3.0])

    def up(self, x):
        """Multiply by this object's tensor."""
        return x * self.weight

    @classmethod
    def of_class(cls, x):
        """Multiply by the class's tensor."""
        return x * cls.shared


class Borrowing(nn.Module):
    """Methods of a Scale, as attributes and in containers."""

    def __init__(self):
        super().__init__()
        self.weight = torch.tensor([-4.0, 5.0, 6.0])
        self.shared = torch.tensor([-1.0, 1.0, 0.5])
        self.scale = Scale()
        self.up = Scale().up
        self.of_class = self.scale.of_class
        self.ways = [Scale().up, self.negated]
        self.named = {"of.up": Scale().up}
        self.scale.shared = torch.tensor([0.0, 0.0, 1.0])

    def negated(self, x):
        """Multiply by this module's tensor."""
        return -x * self.weight


@case(inputs=ROWS)
class AnAttribute(Borrowing):
    """The method reads its own object's tensor, not that of the module that holds it."""

    def forward(self, x):
        return self.up(x) if x.sum() > 0 else x * self.weight


@case(inputs=ROWS)
class AnItem(Borrowing):
    """The same for methods in a list and a dict."""

    def forward(self, x):
        return self.ways[0](x), self.ways[1](x), self.named["of.up"](x), self.scale.up(x)


@case(inputs=ROWS)
class OfTheClass(Borrowing):
    """A class method reads the class's tensor, though an instance has one of this name."""

    def forward(self, x):
        return self.scale.of_class(x), self.of_class(x), x * self.scale.shared


@case(inputs=ROWS)
class OddNames(nn.Module):
    """Parameters, buffers and layers by names that only getattr takes."""

    def __init__(self):
        super().__init__()
        self.register_parameter("weight:up", nn.Parameter(torch.tensor([1.0, 2.0, 3.0])))
        self.register_buffer("weight down", torch.tensor([3.0, 2.0, 1.0]))
        setattr(self, "class", nn.Linear(3, 3))
        setattr(self, "layer-1", nn.Linear(3, 3))

    def forward(self, x):
        if x.sum() > 0:
            return getattr(self, "class")(x) * getattr(self, "weight:up")
        return getattr(self, "layer-1")(x) + getattr(self, "weight down")
