"""The CNNs of the captioners: ResNeXt and GoogLeNet up to their last grid of features.

Xie et al.: "Aggregated Residual Transformations for Deep Neural Networks" (ResNeXt), CVPR 2017;
Szegedy et al.: "Going Deeper with Convolutions" (GoogLeNet), CVPR 2015; both as in pytorch/vision,
GoogLeNet with batch norms and without its classifiers (own implementations, not copies).

Both return [batch, places, channels], row by row, as attention over a picture wants it.
"""

import torch
from torch import nn


class ConvNorm(nn.Sequential):
    """A convolution and a batch norm, and a ReLU unless told otherwise."""

    def __init__(self, inputs, outputs, size, stride=1, groups=1, relu=True):
        layers = [
            nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
        ]
        super().__init__(*layers, *([nn.ReLU(inplace=True)] if relu else []))
        nn.init.kaiming_normal_(self[0].weight, nonlinearity="relu")


class Bottleneck(nn.Module):
    """Three convolutions, the middle one in groups, around which a shortcut leads."""

    expansion = 4

    def __init__(self, inplanes, planes, stride, groups, base_width):
        super().__init__()
        width = planes * base_width // 64 * groups
        outputs = planes * self.expansion
        self.conv1 = ConvNorm(inplanes, width, 1)
        self.conv2 = ConvNorm(width, width, 3, stride, groups)
        self.conv3 = ConvNorm(width, outputs, 1, relu=False)
        self.downsample = None
        if stride != 1 or inplanes != outputs:
            self.downsample = ConvNorm(inplanes, outputs, 1, stride, relu=False)
        self.relu = nn.ReLU(inplace=True)
        # blocks begin as small corrections, so that sums do not grow with the depth
        nn.init.constant_(self.conv3[1].weight, 0.25)

    def forward(self, x):
        identity = x
        out = self.conv3(self.conv2(self.conv1(x)))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


def as_places(features):
    """Return a grid of features as a row of places."""
    return features.flatten(2).permute(0, 2, 1)


class ResNeXt(nn.Module):
    """A stem and groups of bottlenecks; the first group keeps the size, others halve it."""

    def __init__(self, stem, inplanes, layers, planes, groups, base_width):
        super().__init__()
        self.stem = stem
        blocks = []
        for index, (count, width) in enumerate(zip(layers, planes, strict=True)):
            for block in range(count):
                stride = 2 if block == 0 and index > 0 else 1
                blocks.append(Bottleneck(inplanes, width, stride, groups, base_width))
                inplanes = width * Bottleneck.expansion
        self.layers = nn.ModuleList(blocks)
        self.channels = inplanes

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return as_places(x)


def resnext50():
    """ResNeXt-50 (32x4d): 2048 channels, a thirty-second of the picture's size."""
    stem = nn.Sequential(ConvNorm(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1))
    return ResNeXt(stem, 64, [3, 4, 6, 3], [64, 128, 256, 512], groups=32, base_width=4)


def small_resnext():
    """Three blocks in groups of 8: 64 channels, an eighth of the picture's size."""
    stem = nn.Sequential(ConvNorm(3, 16, 3, 2), nn.MaxPool2d(2))
    return ResNeXt(stem, 16, [1, 2], [8, 16], groups=8, base_width=16)


class Inception(nn.Module):
    """Four ways through a layer, side by side."""

    def __init__(self, inputs, one, three_in, three, five_in, five, pool):
        super().__init__()
        self.branch1 = ConvNorm(inputs, one, 1)
        self.branch2 = nn.Sequential(ConvNorm(inputs, three_in, 1), ConvNorm(three_in, three, 3))
        # pytorch/vision has 3x3 here, too, and says that it is a known deviation
        self.branch3 = nn.Sequential(ConvNorm(inputs, five_in, 1), ConvNorm(five_in, five, 3))
        self.branch4 = nn.Sequential(
            nn.MaxPool2d(3, 1, 1, ceil_mode=True), ConvNorm(inputs, pool, 1)
        )

    def forward(self, x):
        branches = (self.branch1, self.branch2, self.branch3, self.branch4)
        return torch.cat([branch(x) for branch in branches], 1)


class GoogLeNet(nn.Module):
    """Nine inceptions: 1024 channels, a thirty-second of the picture's size."""

    channels = 1024

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            ConvNorm(3, 64, 7, 2),
            nn.MaxPool2d(3, 2, ceil_mode=True),
            ConvNorm(64, 64, 1),
            ConvNorm(64, 192, 3),
            nn.MaxPool2d(3, 2, ceil_mode=True),
        )
        self.inception3a = Inception(192, 64, 96, 128, 16, 32, 32)
        self.inception3b = Inception(256, 128, 128, 192, 32, 96, 64)
        self.maxpool3 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.inception4a = Inception(480, 192, 96, 208, 16, 48, 64)
        self.inception4b = Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c = Inception(512, 128, 128, 256, 24, 64, 64)
        self.inception4d = Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e = Inception(528, 256, 160, 320, 32, 128, 128)
        self.maxpool4 = nn.MaxPool2d(2, 2, ceil_mode=True)
        self.inception5a = Inception(832, 256, 160, 320, 32, 128, 128)
        self.inception5b = Inception(832, 384, 192, 384, 48, 128, 128)

    def forward(self, x):
        x = self.stem(x)
        x = self.inception3b(self.inception3a(x))
        x = self.maxpool3(x)
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = self.inception4e(x)
        x = self.maxpool4(x)
        return as_places(self.inception5b(self.inception5a(x)))
