"""Masks of zeros and ones, made branches by an option: layers run only where they count."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case, noise

OPTION = {"masks_to_branches": True}
INF, NAN = float("inf"), float("nan")


def _pictures(count=1):
    """Return ordinary pictures and some with elements that 0 does not make 0, or almost not."""
    ordinary = noise(count, 3, 4, 4)  # at import
    special = []  # at import
    for element in (INF, -INF, NAN, 3e38, -1e38, 1e30):  # at import
        picture = ordinary.clone()  # at import
        picture[count - 1, 1, 2, 3] = element  # at import
        special.append(picture)  # at import
    return [ordinary, torch.zeros_like(ordinary), -torch.zeros_like(ordinary), *special]  # at import


def _each(*gates, count=1):
    return [(x, gate.clone()) for gate in gates for x in _pictures(count)]  # at import


def _tensor(*numbers):
    return torch.tensor(numbers)  # at import


SHUT, OPEN = _tensor(-1.0), _tensor(1.0)
ONE = _each(SHUT, OPEN, _tensor(NAN))
TWO = _each(_tensor(-1.0, -2.0), _tensor(1.0, -1.0), _tensor(2.0, 1.0), count=2)


class Layers(nn.Module):
    """What is skipped."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 3, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(3)
        self.conv2 = nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x):
        return self.conv2(self.bn(self.conv1(x)))


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = Layers()
        self.shortcut = nn.Conv2d(3, 3, 1)


@case(inputs=ONE, options=OPTION)
class ByComparison(Gated):
    """A comparison makes the mask; 0 times an infinity or NaN still shows."""

    def forward(self, x, gate):
        return self.shortcut(x) + self.layers(x) * (gate > 0).float()


@case(inputs=TWO, options=OPTION)
class ByScatter(Gated):
    """A one-hot choice by scatter_, one for each picture: the whole mask decides."""

    def forward(self, x, gate):
        logits = torch.stack([-gate, gate], dim=1)
        _, best = F.softmax(logits, dim=1).max(dim=1, keepdim=True)
        hard = torch.zeros_like(logits).scatter_(1, best, 1)
        return x + self.layers(x) * hard[:, 1].view(-1, 1, 1, 1)


@case(inputs=TWO, options=OPTION)
class ByOneHot(Gated):
    """F.one_hot makes the mask, which stands left of the layers."""

    def forward(self, x, gate):
        choice = F.one_hot((gate > 0).long(), 2).to(x.dtype)
        return choice[:, 1].reshape(-1, 1, 1, 1) * self.layers(x) + x


@case(inputs=ONE, options=OPTION)
class ByWhere(Gated):
    """torch.where of 1 and 0 makes the mask."""

    def forward(self, x, gate):
        return x + torch.where(gate > 0.0, 1.0, 0.0) * self.layers(x)


@case(inputs=ONE, options=OPTION)
class InPlace(Gated):
    """The product and the sum work in place."""

    def forward(self, x, gate):
        out = self.layers(x)
        out *= (gate > 0).float()
        out += x
        return F.leaky_relu(out, inplace=True)


@case(inputs=ONE, options=OPTION)
class OneMinusMask(Gated):
    """Where the mask is 0 something else counts, multiplied by 1 - mask."""

    def forward(self, x, gate):
        mask = (gate > 0).float()
        base = self.shortcut(x)
        return self.layers(x) * mask + base * (torch.ones_like(mask) - mask)


@case(inputs=ONE, options=OPTION)
class Fused(Gated):
    """torch.addcmul is a sum with a product as well."""

    def forward(self, x, gate):
        mask = (gate > 0).float().view(1, 1, 1, 1)
        return torch.addcmul(x, self.layers(x), mask)


@case(inputs=TWO, options=OPTION)
class Selected(Gated):
    """torch.where lets nothing through of what it does not select, whatever that is."""

    def forward(self, x, gate):
        return 1 / torch.where((gate > 0).view(-1, 1, 1, 1), self.layers(x), x)


@case(inputs=ONE, options=OPTION)
class OneAfterAnother(Gated):
    """Two gates in turn; the second looks at what the first one left."""

    def forward(self, x, gate):
        x = x + self.layers(x) * (gate > 0).float()
        again = x.mean((2, 3)) > gate
        return x + self.shortcut(x) * again.float().view(1, 3, 1, 1)


@case(inputs=_each(SHUT, OPEN), options=OPTION)
class NeverShut(Gated):
    """A gate that is open for all inputs."""

    def forward(self, x, gate):
        return x + self.layers(x) * (gate.abs() >= 0).float()


@case(inputs=ONE, options=OPTION)
class StraightThrough(Gated):
    """The straight-through trick gives almost 1: no mask by its operators."""

    def forward(self, x, gate):
        soft = torch.sigmoid(gate)
        hard = (soft > 0.5).float()
        return x + self.layers(x) * (hard - soft.detach() + soft)


@case(inputs=ONE, options=OPTION)
class WithoutBound(Gated):
    """exp may give an infinity whatever the weights: the layers always run."""

    def forward(self, x, gate):
        return x + self.layers(x).exp() * (gate > 0).float()


@case(inputs=[(x, gate) for gate in (SHUT, OPEN) for x in _pictures()[1:3]], options=OPTION)
class SignOfZero(Gated):
    """A division tells zeros of either sign apart: the layers always run."""

    def forward(self, x, gate):
        return 1 / (x + self.layers(x) * (gate > 0).float())


@case(inputs=ONE, options=OPTION)
class AlsoReturned(Gated):
    """What the layers give is needed in any case."""

    def forward(self, x, gate):
        out = self.layers(x)
        return x + out * (gate > 0).float(), out


@case(inputs=ONE, options=OPTION, host=False)
class HugeWeights(Gated):
    """Weights with which ordinary pictures give infinities: the layers always run."""

    def __init__(self):
        super().__init__()
        self.layers.conv1.weight.data *= 1e30
        self.layers.conv2.weight.data *= 1e30

    def forward(self, x, gate):
        return x + self.layers(x) * (gate > 0).float()


@case(inputs=ONE, options=OPTION)
class MaskFromOutside(Gated):
    """Whether an argument is a mask is not known."""

    def forward(self, x, gate):
        return x + self.layers(x) * gate


@case(inputs=ONE, options=OPTION)
class GateInsideOfLayers(nn.Module):
    """A gate among layers that are skipped themselves goes with them."""

    def __init__(self):
        super().__init__()
        self.inner = ByComparison()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x, gate):
        return x + self.conv(self.inner(self.conv(x), gate - 0.5)) * (gate > 0).float()


@case(inputs=ONE, options=OPTION)
class BesideADecision(Gated):
    """A gate, and then a decision of the program's own; each is one."""

    def forward(self, x, gate):
        y = x + self.layers(x) * (gate > 0).float()
        if y.sum() > 0:
            return y, 1
        return y, 0


@case(inputs=ONE, options=OPTION)
class AWeightOfItsOwn(Gated):
    """A parameter scales the mask: no mask by its operators, though it is 0 where the mask is."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(0.7))

    def forward(self, x, gate):
        return x + self.layers(x) * ((gate > 0).float() * self.scale)
