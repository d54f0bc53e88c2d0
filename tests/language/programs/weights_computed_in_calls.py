"""Layers whose weights are computed in the call: what torch's code reads is what was stored."""

import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune, spectral_norm

from tests.language.harness import case, noise

SIGNALS = [(noise(1, 4, 9) * 4,), (-4 * noise(1, 4, 9),), (noise(1, 4, 9, seed=1) * 3 + 1,)]


class _Convolution(nn.Conv1d):
    """Nothing of its own: the forward is torch's."""


class _Padding(nn.Conv1d):
    def forward(self, x):
        return super().forward(F.pad(x, (2, 0)))


def _weight_norm(layer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # there are parametrizations
        return torch.nn.utils.weight_norm(layer)


def _without_weight(layer):
    """Take the parameter away: a plain attribute stands in its place."""
    del layer._parameters["weight"]
    layer.weight = torch.zeros(4, 4, 3)
    return layer


class _Scaled(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layer = kind(4, 4, 3)
        self.raw = nn.Parameter(self.layer.weight.detach().clone())
        _without_weight(self.layer)


@case(inputs=SIGNALS, rounds=True)
class InheritedWhole(_Scaled):
    """A layer of the user's with torch's forward reads the weight that the call has stored."""

    def __init__(self):
        super().__init__(_Convolution)

    def forward(self, x):
        self.layer.weight = self.raw / (1 + x.abs().max())
        return self.layer(x)


@case(inputs=SIGNALS, rounds=True)
class ThroughSuper(_Scaled):
    """So does the inherited forward where the user's own calls it."""

    def __init__(self):
        super().__init__(_Padding)

    def forward(self, x):
        if x.sum() > 0:
            self.layer.weight = self.raw * x.mean()
        else:
            self.layer.weight = self.raw * 1
        return self.layer(x)


@case(inputs=SIGNALS, refused="DYCL034")
class Registered(_Scaled):
    """A parameter is registered where it is stored: a tensor in its place is an error."""

    def __init__(self):
        super().__init__(_Padding)

    def forward(self, x):
        if x.sum() > 0:
            self.layer.weight = self.raw * x.mean()
        else:
            self.layer.weight = self.raw  # <- refused
        return self.layer(x)


@case(inputs=SIGNALS, rounds=True)
class UnderAnotherName(_Scaled):
    """A parameter that is stored again and again under another name."""

    def __init__(self):
        super().__init__(_Padding)

    def forward(self, x):
        self.layer.weight = self.raw
        return self.layer(x) if x.sum() > 0 else self.layer(-x)


@case(inputs=SIGNALS, rounds=True)
class OfTorchItself(_Scaled):
    """A layer of torch's may have its weight stored, too."""

    def __init__(self):
        super().__init__(nn.Conv1d)

    def forward(self, x):
        self.layer.weight = self.raw.abs()
        y = self.layer(x)
        self.layer.weight = self.raw * 2
        return y + self.layer(x) if y.sum() > 0 else y


@case(inputs=[*SIGNALS, *SIGNALS], rounds=True)
class ReadBeforeItIsStored(_Scaled):
    """A layer runs with what the call before has left: that is kept."""

    def __init__(self):
        super().__init__(nn.Conv1d)

    def forward(self, x):
        y = self.layer(x)
        self.layer.weight = self.raw + y.mean()
        return y


@case(inputs=SIGNALS)
class Normalised(nn.Module):
    """Hooks of torch's that compute weights, on layers of the user's."""

    def __init__(self):
        super().__init__()
        self.first = _weight_norm(_Padding(4, 4, 3))
        self.second = spectral_norm(_Padding(4, 4, 3))
        self.third = prune.l1_unstructured(_Padding(4, 4, 3), "weight", 0.5)

    def forward(self, x):
        y = self.second(self.first(x))
        return self.third(y) if y.sum() > 0 else y


@case(inputs=SIGNALS)
class NormalisedUnchanged(nn.Module):
    """The same over layers whose class adds nothing, in a loop with a test."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([_weight_norm(_Convolution(4, 4, 3, padding=1)) for _ in "ab"])

    def forward(self, x):
        for layer in self.layers:
            if x.mean() > 0:
                x = layer(F.leaky_relu(x, 0.1)) + x
        return x


class _OwnHook:
    def __call__(self, module, inputs):
        module.weight = module.raw / module.raw.norm()


@case(inputs=SIGNALS)
class WithAHookOfItsOwn(nn.Module):
    """A hook of the user's that stores the weight."""

    def __init__(self):
        super().__init__()
        self.layer = _Convolution(4, 4, 3)
        self.layer.raw = nn.Parameter(self.layer.weight.detach().clone())
        _without_weight(self.layer)
        self.layer.register_forward_pre_hook(_OwnHook())

    def forward(self, x):
        y = self.layer(x)
        return y if y.sum() > 0 else -y


class _Drawn(nn.BatchNorm1d):
    def forward(self, x):
        self.running_mean = x.mean((0, 2))
        return super().forward(x)


@case(inputs=SIGNALS, rounds=True)
class ABufferStored(nn.Module):
    """A buffer that is bound anew is what torch's code reads."""

    def __init__(self):
        super().__init__()
        self.norm = _Drawn(4)

    def forward(self, x):
        return self.norm(x)


@case(inputs=[(noise(5, 1, 4),), (noise(5, 1, 4, seed=1),)], refused="DYCL034")
class OfARecurrentLayer(nn.Module):
    """Recurrent layers hold their weights twice."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(4, 4)
        self.raw = nn.Parameter(self.cells.weight_hh_l0.detach().clone())
        del self.cells._parameters["weight_hh_l0"]

    def forward(self, x):
        self.cells.weight_hh_l0 = self.raw * 2  # <- refused
        return self.cells(x)[0]


class _Watched(nn.Conv1d):
    def train(self, mode=True):
        return super().train(mode)

    def forward(self, x):
        self.largest = x.max()
        return super().forward(x)


@case(inputs=SIGNALS, rounds=True)
class SeenFromOutside(nn.Module):
    """What torch's code might read, and the program never does, is there for the caller."""

    def __init__(self):
        super().__init__()
        self.layer = _Watched(4, 4, 3)

    def forward(self, x):
        return self.layer(x) if x.sum() > 0 else x
