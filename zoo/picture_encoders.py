"""The CNN of the captioner: a ResNeXt up to its last grid of features.

Xie et al.: "Aggregated Residual Transformations for Deep Neural Networks" (ResNeXt), CVPR 2017, as
in pytorch/vision (an own implementation, not a copy).

It returns [batch, places, channels], row by row, as attention over a picture wants it.
"""

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


def small_resnext():
    """Three blocks in groups of 8: 64 channels, an eighth of the picture's size."""
    stem = nn.Sequential(ConvNorm(3, 16, 3, 2), nn.MaxPool2d(2))
    return ResNeXt(stem, 16, [1, 2], [8, 16], groups=8, base_width=16)
