"""Random operations: those without effect in eval mode stay, real ones are refused."""

import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
class DropoutInEval(nn.Module):
    """Dropout layers in eval mode do nothing."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Sequential(nn.Dropout(0.9), nn.Dropout2d(0.9), nn.AlphaDropout(0.5))

    def forward(self, x):
        y = self.drop(x)
        return y if y.sum() > 0 else F.dropout(y, 0.9, training=False)


@case(inputs=BOTH, refused=True)
def random_noise(x):
    """torch.randn in the call is refused."""
    if x.sum() > 0:
        return x + torch.randn(2, 3)  # <- refused
    return x


@case(inputs=BOTH, refused=True)
def random_like(x):
    """torch.rand_like is refused, also as a gate."""
    keep = torch.rand_like(x) > 2  # <- refused
    return x * keep


@case(inputs=BOTH, refused=True)
def dropout_that_is_active(x):
    """F.dropout defaults to training=True: refused."""
    y = F.dropout(x, 0.0 + 1e-9)  # <- refused
    return y > 100


@case(inputs=[(POSITIVE,), (POSITIVE / 2,)], refused=True)
def multinomial(x):
    """Sampling from a distribution is refused."""
    token = torch.multinomial(torch.tensor([1.0]), 1)  # <- refused
    return x + token


@case(inputs=BOTH, refused=True)
def python_random(x):
    """random.random() is refused."""
    return x + (random.random() < 0.5)  # <- refused


@case(inputs=BOTH, refused=True)
def numpy_random(x):
    """np.random is refused."""
    return x + float(np.random.rand() > 0.5)  # <- refused


@case(inputs=BOTH)
class LayerDropInEval(nn.Module):
    """Numbers that are drawn for each layer, and only looked at in training."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            drawn = random.uniform(0, 1)
            skipped = bool(self.training and (drawn < 0.5))  # known
            if not self.training or np.random.uniform(0, 1) > 0.5:  # known
                x = layer(x)
            if x.sum() > 0 and not skipped:  # known
                x = x - 1
        return x


class _Dropping(nn.Sequential):
    """Leaves layers out while it is trained."""

    def forward(self, x):
        drawn = torch.empty(len(self)).uniform_()
        for i, layer in enumerate(self):
            if not self.training or drawn[i] > 0.5:  # known
                x = layer(x)
        return x


@case(inputs=BOTH)
class TensorsOfLayerDrop(nn.Module):
    """A tensor of random numbers that is only looked at in training."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = _Dropping(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))

    def forward(self, x):
        noise = torch.rand_like(x)
        y = self.layers(x)
        if self.training:  # known
            y = y + noise  # never
        return y if x.sum() > 0 else x


@case(inputs=BOTH, refused="DYCL033")
def noise_in_a_view(x):
    """Random numbers are written into memory that is read by another name."""
    made = torch.zeros(3)
    part = made[:2]
    made.uniform_()  # <- refused
    return x + part.sum() * 1e-30 if x.sum() > 0 else x


@case(inputs=BOTH, refused="DYCL033")
class NoiseInABuffer(nn.Module):
    """Random numbers that the next call finds."""

    def __init__(self):
        super().__init__()
        self.register_buffer("noise", torch.zeros(3))

    def forward(self, x):
        self.noise.uniform_()  # <- refused
        return x if x.sum() > 0 else x + 1


@case(inputs=BOTH, refused="DYCL033")
def drawn_and_returned(x):
    """A number that is drawn and given back."""
    number = random.random()  # <- refused
    return x, number


@case(inputs=BOTH, refused="DYCL033")
def drawn_by_numpy(x):
    """A number drawn by numpy as a factor."""
    for _ in range(3):
        number = np.random.uniform(0, 1)  # <- refused
        if x.sum() > 0:
            x = x * number
    return x


@case(inputs=BOTH, refused="DYCL059")
def array_drawn_by_numpy(x):
    """numpy's functions make arrays, too."""
    drawn = np.random.rand(2)  # <- refused
    return x * float(drawn[0] < 2)


@case(inputs=BOTH, refused=True)
def in_place_random(x):
    """normal_, uniform_ and bernoulli_ are refused."""
    return x * torch.empty(2, 3).bernoulli_(1.0)  # <- refused


@case(inputs=BOTH, refused=True)
def random_permutation(x):
    """torch.randperm is refused."""
    return x[torch.randperm(1)]  # <- refused


@case(inputs=[(POSITIVE, 0)], options={"static_arguments": ("ratio",)})
def teacher_forcing(x, ratio=0.5):
    """A ratio of 0 forces nothing, whatever is drawn: the number only moves the generator on."""
    rows = []
    row = x[0]
    for t in range(1, 2):
        rows.append(row * 2)
        forced = random.random() < ratio
        row = x[t] if forced else rows[-1]  # known
    return torch.stack([*rows, row])


@case(inputs=BOTH, refused="DYCL033")
def equal_to_some(x):
    """A number that may be drawn."""
    return x, random.random() == 0.5  # <- refused


@case(inputs=BOTH)
def never_and_always(x, never=0.0, always=1.0):
    """Numbers are drawn from 0 to 1, without 1: some comparisons come out one way."""
    forced = [random.random() < never, random.random() < always, never > random.random()]
    ends = [random.random() >= 0, random.random() != 1, 1 <= random.random(), -1 == random.random()]
    chained = 1 > random.random(), np.random.rand() > 1, np.random.random() <= float("nan")
    if random.random() < never or x.sum() > 0:  # known
        return x, forced, ends, chained
    return -x, forced, ends, chained


@case(inputs=BOTH, refused=True)
def drawn_from_what_may_be_no_probability(x):
    """torch.bernoulli raises for what is no probability, though nobody reads what it draws."""
    torch.bernoulli(x)  # <- refused
    return x + 1  # never


@case(inputs=BOTH)
def noise_that_is_scaled_for_nobody(x, churn=0.0):
    """What is computed of drawn numbers alone, and read by nobody, is left out."""
    out = x
    for _ in range(2):
        noise = torch.randn_like(out) * 2.0
        shifted = noise + out
        if churn > 0:  # known
            out = out + shifted  # never
        out = out * 2 if out.sum() > 0 else out + 1
    return out


@case(inputs=BOTH, refused="DYCL033")
def noise_that_is_read_on_some_paths(x):
    """Of two things computed of drawn numbers, a path reads one."""
    noise = torch.randn_like(x)  # <- refused
    scaled, shifted = noise * 2.0, noise + x
    shifted = shifted + 1
    if x.sum() > 0:
        return scaled
    return x


@case(inputs=BOTH, refused="DYCL033")
def noise_that_is_written_into_what_is_read(x):
    """What is computed of drawn numbers changes a tensor in place."""
    out = x.clone()
    noise = torch.randn_like(x)  # <- refused
    out += noise * 2
    return out


class _Shapes:
    """What a tensor is asked by: made when it is first needed."""

    def count(self, x):
        return x.numel()


_SHAPES = {}


@case(inputs=BOTH)
class TableFilledBesideNoise(nn.Module):
    """A table of the file is filled by the first call, which draws numbers that nobody reads."""

    def forward(self, x):
        noise = torch.rand_like(x)
        if type(x) not in _SHAPES:
            _SHAPES[type(x)] = _Shapes()  # at import
        if self.training:  # known
            x = x + noise  # never
        return x * _SHAPES[type(x)].count(x) if x.sum() > 0 else x


_NOISY = {}


@case(inputs=BOTH, refused="DYCL033")
def table_filled_beside_noise_that_is_read(x):
    """A table of the file is filled by the first call, whose numbers are read: that is said."""
    if type(x) not in _NOISY:
        _NOISY[type(x)] = _Shapes()
    return x + torch.rand_like(x) * _NOISY[type(x)].count(x)  # <- refused


class _Noisy(nn.Module):
    """A layer that is straight code: a call of it stands for what it does."""

    def forward(self, x):
        return F.linear(x, torch.randn(3, 3)).relu() + 1  # <- refused


@case(inputs=BOTH, refused="DYCL033")
class NoiseInALayer(nn.Module):
    """A layer reads what it draws."""

    def __init__(self):
        super().__init__()
        self.layer = _Noisy()

    def forward(self, x):
        y = self.layer(x)
        return y if x.sum() > 0 else -y


class _Ignoring(nn.Module):
    """A layer that draws numbers that it does not look at."""

    def forward(self, x):
        noise = torch.randn_like(x) * 2
        y = x * 2 + 1
        if self.training:  # known
            y = y + noise  # never
        return y.relu()


@case(inputs=BOTH)
class NoiseThatALayerIgnores(nn.Module):
    """A layer draws numbers that nobody reads."""

    def __init__(self):
        super().__init__()
        self.layer = _Ignoring()

    def forward(self, x):
        y = self.layer(x)
        return y if x.sum() > 0 else -y


class _DroppingSome(nn.Module):
    """A layer that leaves some of its results out, as long as it is trained."""

    def __init__(self):
        super().__init__()
        self.linear, self.drop = nn.Linear(3, 3), nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.linear(x)) + 1  # <- refused


class _InTraining(nn.Module):
    """A model one part of which stays in training."""

    def __init__(self):
        super().__init__()
        self.layer = _DroppingSome()

    def train(self, mode=True):
        return super().train()


@case(inputs=BOTH, refused="DYCL033")
class DropoutInALayerInTraining(_InTraining):
    """A layer of the user's has a dropout that is active."""

    def forward(self, x):
        y = self.layer(x)
        return y if x.sum() > 0 else -y
