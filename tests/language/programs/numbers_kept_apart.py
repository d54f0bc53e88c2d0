"""Numbers that differ between paths, where something must know them: the paths stay apart."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import case


def _image(level):
    return (torch.arange(2 * 64.0).reshape(1, 2, 8, 8) % 7 / 7 + level,)  # at import


IMAGES = [_image(level) for level in (-1.0, 0.0, 1.0, 0.2)]


@case(inputs=IMAGES)
class Resolution(nn.Module):
    """The size of an image is chosen; how far a layer steps is worked out from it"""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(2, 3, 2, 2)
        self.head = nn.Linear(12, 4)

    def forward(self, x):
        size = 4 if x.mean() > 0.5 else 8
        patches = self.patches(F.interpolate(x, size=(size, size)))
        pooled = F.conv2d(patches, torch.ones(3, 1, 1, 1), stride=size // 4, groups=3)
        return self.head(pooled.flatten(1)), size


@case(inputs=IMAGES)
class ElasticKernel(nn.Module):
    """Which part of a kernel is used, and in how many groups, is an attribute that is chosen"""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(2 * 25.0).reshape(2, 1, 5, 5).sin())
        self.size = 5

    def filters(self):
        start = 2 - self.size // 2
        return self.weight[:, :, start : start + self.size, start : start + self.size]

    def forward(self, x):
        level = x.mean().item()
        if level > 1:
            self.size = 1
        elif level > 0.4:
            self.size = 3
        else:
            self.size = 5
        return F.conv2d(x, self.filters().contiguous(), None, 1, self.size // 2, 1, x.size(1))


@case(inputs=IMAGES, refused="DYCL042")
def too_many(x):
    """Where there are many numbers, or none is the matter, the first refusal says why"""
    count = 0
    for row in range(12):
        if x[0, 0, row % 8, row % 5] > row / 12:
            count += 1
    values = x.flatten()[:4] * count
    values.apply_(lambda value: value + 1)  # <- refused
    return values  # never


@case(inputs=IMAGES)
def made_of_numbers(x):
    """Layers made in the call of sizes that differ between paths: a list is written there"""
    size = 8 if x.mean() > 0.4 else 12
    step = 1 if x.mean() > 1 else 2
    return nn.Upsample(size=[size, 8])(nn.AvgPool2d(step)(x)), nn.MaxPool2d((1, step))(x)


@case(inputs=IMAGES, refused="DYCL050")
def lists_of_numbers_in_layers(x):
    """A list that differs between paths by a number, and that a layer keeps"""
    sizes = [1, 1] if x.mean() > 0.4 else [1, 2]
    return nn.AvgPool2d(sizes)(x)  # <- refused
