"""Images made larger and smaller, to sizes and by factors that only the run knows"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

IMAGE = noise(1, 2, 5, 6)
SIZES = {"x": {2: Dim("h", max=40), 3: Dim("w", max=40)}}
IMAGES = [(noise(1, 2, h, w),) for h, w in ((5, 6), (1, 1), (8, 3), (4, 4), (13, 7), (2, 1), (0, 3))]
WANTED = [(IMAGE, *to) for to in ((4, 9), (1, 1), (5, 6), (10, 12), (1, 3), (0, 3), (-1, 3))]
FACTORS = [(IMAGE, factor) for factor in (2.0, 0.5, 1.0, 1.3, 0.1, 3.7, 0.95, 0.0, -1.0)]


@case(inputs=WANTED, messages=False, rounds=True)
def to_a_size(x, h, w):
    """To the nearest, and in straight lines between corners or not"""
    straight = F.interpolate(x, size=(h, w), mode="bilinear", align_corners=True)
    between = F.interpolate(x, (h, w), mode="bilinear", align_corners=False)
    return straight, between, F.interpolate(x, size=(h, w))


@case(inputs=FACTORS, messages=False, rounds=True, slow=True)
def by_a_factor(x, factor):
    """A float of run time; the result may be as large as the image, and must have elements"""
    nearest = F.interpolate(x, scale_factor=factor)
    between = F.interpolate(x, scale_factor=factor, mode="bilinear", align_corners=False)
    anew = F.interpolate(x, scale_factor=factor, mode="bilinear", recompute_scale_factor=True)
    return nearest, between, anew, F.interpolate(x[0], scale_factor=factor, mode="linear")


@case(inputs=[(IMAGE, n) for n in (2, 1, 3, 0)], messages=False, rounds=True)
def by_a_number(x, n):
    """An integer of run time"""
    found = F.interpolate(x, scale_factor=n)
    return found, F.interpolate(x, scale_factor=(1, n), mode="bilinear", align_corners=True)


@case(inputs=IMAGES, dynamic_shapes=SIZES, messages=False, rounds=True, slow=True)
def of_any_size(x):
    """Known factors of images of any size: half of one pixel is none"""
    smaller = F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False)
    return smaller, F.interpolate(x, scale_factor=1.3)


TO = [((5, 6), 3, (7, 8)), ((2, 2), -3, (1, 1)), ((3, 9), 3, (9, 3)), ((1, 2), 1, (4, 4))]
PYRAMIDS = [(noise(1, 2, *size) + plus, noise(1, 2, *to)) for size, plus, to in TO]


@case(
    inputs=PYRAMIDS,
    dynamic_shapes={**SIZES, "y": {2: Dim("h2", max=40), 3: Dim("w2", max=40)}},
    messages=False,
    rounds=True,
    slow=True,
)
class Neck(nn.Module):
    """A layer that makes images larger; as large as another"""

    def __init__(self):
        super().__init__()
        self.larger = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.padded = nn.ReflectionPad2d(1)

    def forward(self, x, y):
        larger = self.larger(self.padded(x))
        alike = F.interpolate(larger, size=y.shape[-2:], mode="bilinear", align_corners=True)
        return alike + y if alike.mean() > 0 else alike - y


@case(
    inputs=[(noise(1, 2, 3, 4),), (noise(1, 2, 3, 3),), (noise(1, 2, 3, 1),)],
    dynamic_shapes={"x": {3: Dim("width", min=1, max=32)}},
)
class LargerByHalf(nn.Module):
    """A layer that makes images larger by half, whose width the program asks for"""

    def __init__(self):
        super().__init__()
        self.larger = nn.Upsample(scale_factor=1.5)

    def forward(self, x):
        larger = self.larger(x)
        return larger + 1 if larger.shape[-1] > 5 else larger


@case(inputs=[(noise(1, 16, 4, 6), n) for n in (2, 1, 4, 3, 0)], messages=False, slow=True)
def squares_and_channels(x, n):
    """pixel_shuffle and pixel_unshuffle by a number of run time"""
    return F.pixel_shuffle(x, n), F.pixel_unshuffle(x, n)


@case(
    inputs=[(noise(n, 2, 4, 4),) for n in (2, 0, 1)], dynamic_shapes={"x": {0: Dim("rows", max=8)}}
)
class ChannelsOfNothing(nn.Module):
    """pixel_unshuffle leaves an empty batch as it is, as a function and as a layer"""

    def __init__(self):
        super().__init__()
        self.parts = nn.PixelUnshuffle(2)

    def forward(self, x):
        return self.parts(x) if x.sum() > 0 else F.pixel_unshuffle(x * 2, 2)


@case(inputs=[(noise(0, 2, 4, 4), torch.tensor(1)), (noise(0, 2, 4, 4), torch.tensor(-1))])
def channels_of_known_nothing(x, sign):
    """pixel_unshuffle of what has no elements at all"""
    return F.pixel_unshuffle(x, 2) if sign > 0 else x.flatten(1)


@case(inputs=[(noise(2, 3, 4), n) for n in (1, 0, 2, 3, 4, -1, 7)])
def turned(x, n):
    """rot90 by a number of run time"""
    return torch.rot90(x, n, (1, 2)), torch.rot90(x[0], n)


PADS = [(IMAGE, n) for n in (2, 0, 1, 4, 5, 6, -1)]


@case(inputs=PADS, messages=False)
def reflected(x, n):
    """Less than there is is reflected"""
    return F.pad(x, (n, n, n, 0), mode="reflect"), F.pad(x[0, 0], (n, 1), "reflect")


@case(inputs=PADS, messages=False)
def replicated(x, n):
    """The last elements, as often as wanted"""
    return F.pad(x, (n, n, n, 0), mode="replicate"), F.pad(x[0], (0, n), "replicate")


@case(inputs=PADS, messages=False)
def wrapped(x, n):
    """Round and round, but once"""
    return F.pad(x, (n, 0, n, n), mode="circular"), F.pad(x[0], (0, n), "circular")


@case(inputs=[(noise(1, 1, 7, 9),), (-noise(1, 1, 7, 9).abs(),)])
def by_scales_of_one_size(x):
    """Images that other scales make as large as each other, in straight lines of one form."""
    if x.sum() > 0:
        return F.interpolate(x, scale_factor=0.7, mode="bilinear")
    return F.interpolate(x, scale_factor=2 / 3, mode="bilinear")
