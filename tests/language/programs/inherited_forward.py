"""User's subclasses of torch's modules that call the inherited ``forward``."""

import types

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]
IMAGES = [(noise(1, 2, 5, 5),), (noise(1, 2, 5, 5, seed=1) - 3,)]


class _Norm(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.double().float()).type(x.dtype)


@case(inputs=BOTH)
class NormInAnotherType(nn.Module):
    """A LayerNorm of the user's converts and calls super().forward."""

    def __init__(self):
        super().__init__()
        self.norm = _Norm(3)

    def forward(self, x):
        y = self.norm(x)
        return y if x.sum() > 0 else -y


class _SamePadding(nn.Conv2d):
    def forward(self, x):
        if x.mean() > -1:
            x = F.pad(x, (1, 1, 1, 1))
        return super(_SamePadding, self).forward(x)


@case(inputs=IMAGES)
class DynamicPadding(nn.Module):
    """A Conv2d of the user's pads on some inputs, then calls super(Class, self).forward."""

    def __init__(self):
        super().__init__()
        self.conv = _SamePadding(2, 3, 3)

    def forward(self, x):
        return self.conv(x).mean((2, 3))


class _Gated(nn.Linear):
    def forward(self, x):
        y = nn.Linear.forward(self, x)
        return y * torch.sigmoid(y)


@case(inputs=BOTH)
class ForwardThroughTheClass(nn.Module):
    """The inherited forward is called through the class that has it."""

    def __init__(self):
        super().__init__()
        self.gated = _Gated(3, 3)

    def forward(self, x):
        y = self.gated(x)
        return y if x.sum() > 0 else y * 2


class _Residual(nn.Sequential):
    def forward(self, x):
        y = super().forward(x)
        return x + y if y.sum() > 0 else y


@case(inputs=BOTH)
class ResidualSequential(nn.Module):
    """A Sequential of the user's adds its input to what super().forward gives."""

    def __init__(self):
        super().__init__()
        self.layers = _Residual(nn.Linear(3, 3), nn.Tanh())

    def forward(self, x):
        return self.layers(x)


class _Recurrent(nn.GRU):
    def forward(self, x, state=None):
        outputs, state = super().forward(x, state)
        return outputs if state.sum() > 0 else outputs * 2


@case(inputs=BOTH)
class RecurrentSubclass(nn.Module):
    """A GRU of the user's calls the inherited forward with an optional state."""

    def __init__(self):
        super().__init__()
        self.cells = _Recurrent(3, 4, batch_first=True)

    def forward(self, x):
        return self.cells(x.unsqueeze(0))


class _Shifted(nn.Linear):
    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        for _ in range(int(x.sum() > 3) + 1):
            x = super().forward(x)
        return x


@case(inputs=BOTH)
class SelfUnnamedAfterTests(nn.Module):
    """super() reads the first parameter, which no statement after a test names"""

    def __init__(self):
        super().__init__()
        self.layer = _Shifted(3, 3)

    def forward(self, x):
        return self.layer(x)


class _Doubled(nn.Linear):
    def forward(this, x):  # noqa: N805
        if x.sum() > 0:
            this = 1
        else:
            x = -x
        try:
            return super().forward(x)
        except TypeError:
            return x


@case(inputs=BOTH)
class FirstParameterReplaced(nn.Module):
    """super() reads the first parameter as it is by then"""

    def __init__(self):
        super().__init__()
        self.layer = _Doubled(3, 3)

    def forward(self, x):
        return self.layer(x)


class _Scaling(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([1.5]))

    def forward(self, x):
        return x * self.scale if x.mean() > 0 else x - self.scale


class _NormedConvolution(nn.Conv2d):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.norm = _Scaling()

    def forward(self, x):
        return self.norm(super().forward(x))


@case(inputs=IMAGES)
class HoldsModulesOfTheUsers(nn.Module):
    """A convolution of the user's, with a layer of the user's that the inherited forward never calls."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(_NormedConvolution(2, 3, 3), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


class _WithNorm(nn.Linear):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.norm = _Scaling()


@case(inputs=BOTH)
class InheritsTheForward(nn.Module):
    """The inherited forward is the only one; who holds the layer calls it otherwise."""

    def __init__(self):
        super().__init__()
        self.linear = _WithNorm(3, 3)
        self.cell = _WithNormInCell(3, 4)

    def forward(self, x):
        y = self.linear(x)
        y = self.cell(y if y.sum() > 0 else self.linear.norm(y))
        return self.cell.norm(y)


class _WithNormInCell(nn.GRUCell):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.norm = _Scaling()


class _Upsampling(nn.Upsample):
    def __init__(self):
        super().__init__(scale_factor=2)
        self.norm = _Scaling()


class _Normalising(nn.BatchNorm2d):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.norm = _Scaling()


class _Gathering(nn.ModuleList):
    def forward(self, x):
        for layer in self:
            x = layer(x)
        return x


@case(inputs=IMAGES, rounds=True)
class SeveralOfThem(nn.Module):
    """Layers of several kinds, all with layers of the user's in them."""

    def __init__(self):
        super().__init__()
        self.layers = _Gathering([_Upsampling(), _Normalising(2), _NormedConvolution(2, 2, 3)])

    def forward(self, x):
        y = self.layers(x)
        return self.layers[0].norm(y) if y.sum() > 0 else self.layers[1].norm(y)


class _Counting(nn.Conv2d):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.calls = 0

    def _conv_forward(self, x, weight, bias):
        self.calls += 1
        return super()._conv_forward(x, weight, bias) * self.calls


@case(inputs=IMAGES, rounds=True)
class OverridesWhatForwardCalls(nn.Module):
    """A method that torch's forward calls is the user's, and changes what the layer holds."""

    def __init__(self):
        super().__init__()
        self.conv = _Counting(2, 3, 3)

    def forward(self, x):
        y = self.conv(x)
        return y if x.sum() > 0 else self.conv(-x)


class _NormedInside(nn.Conv2d):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.norm = _Scaling()

    def _conv_forward(self, x, weight, bias):
        y = super()._conv_forward(x, weight, bias)
        return self.norm(y) if y.sum() > 0 else y


class _ConvolutionThenNorm(_NormedInside):
    def forward(self, x):
        return self.norm(super().forward(x))


@case(inputs=IMAGES, rounds=True)
class OverridesWithLayers(nn.Module):
    """An overriding method tests what is computed and calls layers of the user's."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(_NormedInside(2, 3, 3), _ConvolutionThenNorm(3, 2, 3))

    def forward(self, x):
        return self.layers(x)


def _twice(conv, x, weight, bias):
    y = nn.Conv2d._conv_forward(conv, x, weight, bias)
    return y * 2 if x.sum() > 0 else y


@case(inputs=IMAGES, rounds=True)
class PatchedOnTheInstance(nn.Module):
    """A method that torch's forward calls is replaced on one layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3)
        self.conv._conv_forward = types.MethodType(_twice, self.conv)

    def forward(self, x):
        return self.conv(x)


class _Halved(nn.Linear):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.full = nn.Parameter(self.weight.detach().clone())

    @property
    def weight(self):
        return self.full * 0.5


@case(inputs=BOTH)
class WeightIsAProperty(nn.Module):
    """What torch's forward reads is a property of the user's."""

    def __init__(self):
        super().__init__()
        self.linear = _Halved(3, 3)

    def forward(self, x):
        y = self.linear(x)
        return y if y.sum() > 0 else -y


def _clipped(x):
    return x.clamp(-1, 1) if x.sum() > 0 else x


@case(inputs=[(noise(2, 3, 4),), (-noise(2, 3, 4),)])
class ActivationOfTheUsers(nn.Module):
    """torch's layer calls a function of the user's that it was given."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, activation=_clipped, batch_first=True)

    def forward(self, x):
        return self.layer(x)


@case(inputs=BOTH, refused="DYCL045")
class GivenToAFunction(nn.Module):
    """torch's functional_call is given layers of the user's in a Sequential."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), _Scaling())

    def forward(self, x):
        weights = {"0.weight": torch.ones(3, 3)}
        return torch.func.functional_call(self.layers, weights, (x,))  # <- refused


class _MergingMasks(nn.MultiheadAttention):
    def merge_masks(self, attn_mask, key_padding_mask, query):
        return super().merge_masks(attn_mask, key_padding_mask, query)


@case(inputs=[(noise(2, 3, 4),), (-noise(2, 3, 4),)], refused="DYCL049")
class MergesMasks(nn.Module):
    """torch calls merge_masks() on its fast path only, which it takes or not."""

    def __init__(self):
        super().__init__()
        self.attention = _MergingMasks(4, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]  # <- refused
