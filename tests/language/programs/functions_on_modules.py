"""``nn.Module.apply`` in a call: a function runs on each module, parts before wholes."""

from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

CALLS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE * 3,), (ZERO,)]


class Layers(nn.Module):
    """Layers in two levels."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.rest = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.calls = 0


@case(inputs=CALLS)
class Gathered(Layers):
    """A function gathers the layers that `apply` walks, and they are called in that order"""

    def forward(self, x):
        found = []

        def gather(module):
            if isinstance(module, nn.Linear):
                found.append(module)

        whole = self.apply(gather)
        for layer in found:
            if x.sum() > 0:
                x = layer(x)
        return whole.rest(x)


@case(inputs=CALLS)
class OrderOfParts(Layers):
    """Parts come before what holds them"""

    def forward(self, x):
        names = []
        self.apply(lambda module: names.append(type(module).__name__))
        if x.max() > 1:
            x = self.first(x)
        return x, names


@case(inputs=CALLS)
class CountsOnModules(Layers):
    """What the function writes on a module lasts"""

    def count(self, module):
        if module is self:
            module.calls += 1

    def forward(self, x):
        self.apply(self.count)
        if x.sum() > 0:
            x = self.first(x)
        return x * self.calls


class Own(nn.Module):
    """Has an `apply` of its own, that goes on to its parts once more."""

    def __init__(self):
        super().__init__()
        self.part = nn.Linear(3, 3)

    def apply(self, fn):
        """Apply a function to the part twice."""
        self.part.apply(fn)
        return super().apply(fn)


@case(inputs=CALLS)
class OwnApply(nn.Module):
    """A part has an `apply` of its own"""

    def __init__(self):
        super().__init__()
        self.inner = Own()

    def forward(self, x):
        found = []
        self.apply(found.append)
        for module in found[:2]:
            if x.sum() > 0:
                x = module(x)
        return x, len(found)


def keeps_on_every_module(module):
    """Write an attribute on a module."""
    module.seen = getattr(module, "seen", 0) + 1


@case(inputs=CALLS)
class CountsOnEveryModule(Layers):
    """A function counts on every module, and another one reads it"""

    def forward(self, x):
        self.apply(keeps_on_every_module)
        if x.sum() > 0:
            x = self.first(x)
        return x * self.rest[0].seen
