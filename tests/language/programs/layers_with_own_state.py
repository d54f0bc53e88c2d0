"""Subclasses of torch's layers that keep something of their own; calls on one instance."""

import torch
from torch import nn

from tests.language.harness import case, noise

SERIES = [(noise(2, 3),), (-noise(2, 3),), (noise(2, 3) * 2,), (noise(2, 3, seed=1),)]


class _Counting(nn.GRU):
    def __init__(self):
        super().__init__(3, 3)
        self.calls, self.longest = 0, 0

    def forward(self, x):
        self.calls += 1
        if x.max() > self.longest:
            self.longest = x.max().item()
        return super().forward(x)[0] / self.calls


@case(inputs=SERIES, slow=True)
class CountsItsCalls(nn.Module):
    """What torch's code does not read may change before its forward."""

    def __init__(self):
        super().__init__()
        self.layer = _Counting()

    def forward(self, x):
        y = self.layer(x)
        return y if y.sum() > 0 else y - 1


class _Scaled(nn.Dropout):
    def forward(self, x):
        self.p = self.p / 2
        return super().forward(x)


@case(inputs=SERIES, may_refuse=True)
class ReadByTheBase(nn.Module):
    """What torch's code reads is read as the call has changed it."""

    def __init__(self):
        super().__init__()
        self.layer = _Scaled(0.5)

    def forward(self, x):
        y = self.layer(x) * 2
        return y if y.sum() > 0 else y - 1


class _Bounded(nn.Hardtanh):
    def forward(self, x):
        self.max_val = self.max_val + 0.25
        return super().forward(x)


@case(inputs=SERIES, may_refuse=True)
class BoundsThatGrow(nn.Module):
    """A bound grows from call to call."""

    def __init__(self):
        super().__init__()
        self.layer = _Bounded(-1.0, 0.5)

    def forward(self, x):
        y = self.layer(x) * 2
        return y if x.sum() > 0 else y - 1


@case(inputs=SERIES, rounds=True)
class AnotherMethod(nn.Module):
    """Other methods of a layer read its weights as they are by then."""

    def __init__(self):
        super().__init__()
        self.softmax = nn.AdaptiveLogSoftmaxWithLoss(3, 4, [2], div_value=1.0)

    def forward(self, x):
        if x.sum() > 0:
            self.softmax.head.weight.mul_(2)
        return self.softmax.log_prob(x)


class _WithSlope(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LeakyReLU(0.1)
        self.norm = nn.LayerNorm(3)


@case(inputs=SERIES, refused="DYCL054")
class TextOfALayer(_WithSlope):
    """What a layer says of itself shows a setting that the call has changed."""

    def forward(self, x):
        self.layer.negative_slope = 0.3
        return self.layer(x) * len(repr(self.layer))  # <- refused


@case(inputs=SERIES, refused="DYCL054")
class TextFromLastTime(_WithSlope):
    """What a model says of itself shows a setting that the last call has changed."""

    def forward(self, x):
        text = self.extra_repr() + f"{self.layer.extra_repr()}"  # <- refused
        self.layer.negative_slope = 0.25
        return self.layer(x) * len(text)


@case(inputs=SERIES, rounds=True)
class TextOfWhatStays(_WithSlope):
    """A layer whose settings stay says of itself what it always says."""

    def forward(self, x):
        self.norm.eps = 0.5
        return self.norm(x) * len(str(self.layer)) if x.sum() > 0 else x


@case(inputs=SERIES, refused="DYCL067")
class GivenToAFunction(_WithSlope):
    """A function of torch would read a setting that the call has changed."""

    def forward(self, x):
        self.norm.eps = 5.0
        weights = {"weight": torch.ones(3) * 2}
        return torch.func.functional_call(self.norm, weights, (x,))  # <- refused
