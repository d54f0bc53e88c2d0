"""The blocks of the shallow-deep networks: each may end in an internal classifier.

A block returns its activation, whether it has a classifier (0 or 1), and the classifier's output.
"""

import torch
import torch.nn.functional as F
from torch import nn


class InternalClassifier(nn.Module):
    """A classifier on an intermediate activation; large ones are pooled to 4x4 first."""

    def __init__(self, input_size, channels, num_classes):
        super().__init__()
        kernel = input_size // 4
        if kernel > 1:
            self.max_pool = nn.MaxPool2d(kernel)
            self.avg_pool = nn.AvgPool2d(kernel)
            self.alpha = nn.Parameter(torch.rand(1))
            self.linear = nn.Linear(channels * 4 * 4, num_classes)
            self.forward = self.forward_with_pooling
        else:
            self.linear = nn.Linear(channels * input_size * input_size, num_classes)
            self.forward = self.forward_without_pooling

    def mix(self, x):
        return self.alpha * self.max_pool(x) + (1 - self.alpha) * self.avg_pool(x)

    def forward_with_pooling(self, x):
        mixed = self.mix(x)
        return self.linear(mixed.view(mixed.size(0), -1))

    def forward_without_pooling(self, x):
        return self.linear(x.view(x.size(0), -1))


class BlockWithOutput(nn.Module):
    """A block that may have an internal classifier; says whether it has one, and its output."""

    def __init__(self, add_ic, input_size, channels, num_classes):
        super().__init__()
        self.output = None
        if add_ic:
            self.output = InternalClassifier(input_size, channels, num_classes)
        else:
            self.forward = self.only_forward

    def block(self, x):
        raise NotImplementedError

    def forward(self, x):
        fwd = self.block(x)
        return fwd, 1, self.output(fwd)

    def only_forward(self, x):
        return self.block(x), 0, None


class MobileBlock(BlockWithOutput):
    """A depthwise, then a pointwise convolution."""

    def __init__(self, in_channels, channels, stride, **output):
        super().__init__(channels=channels, **output)
        self.layers = nn.Sequential(
            nn.Conv2d(in_channels, in_channels, 3, stride, 1, groups=in_channels, bias=False),
            nn.BatchNorm2d(in_channels),
            nn.ReLU(),
            nn.Conv2d(in_channels, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
        )

    def block(self, x):
        return self.layers(x)


class ConvBlock(BlockWithOutput):
    """One convolution of a VGG."""

    def __init__(self, in_channels, channels, max_pool_size, **output):
        super().__init__(channels=channels, **output)
        layers = [nn.Conv2d(in_channels, channels, 3, padding=1)]
        layers += [nn.BatchNorm2d(channels), nn.ReLU(inplace=True)]
        if max_pool_size > 1:
            layers.append(nn.MaxPool2d(max_pool_size))
        self.layers = nn.Sequential(*layers)

    def block(self, x):
        return self.layers(x)


class FcBlock(BlockWithOutput):
    """One hidden fully connected layer of a VGG."""

    def __init__(self, in_features, features, **output):
        super().__init__(channels=features, input_size=1, **output)
        self.fc = nn.Linear(in_features, features)
        self.dropout = nn.Dropout(0.5)

    def block(self, x):
        x = x.view(x.size(0), -1)
        return self.dropout(F.relu(self.fc(x)))


class BasicBlock(BlockWithOutput):
    """The residual block of CIFAR ResNets."""

    expansion = 1

    def __init__(self, in_channels, channels, stride, **output):
        super().__init__(channels=channels * self.expansion, **output)
        self.conv1 = nn.Conv2d(in_channels, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.downsample = None
        if stride != 1 or in_channels != channels * self.expansion:
            self.downsample = nn.Sequential(
                nn.Conv2d(in_channels, channels * self.expansion, 1, stride, bias=False),
                nn.BatchNorm2d(channels * self.expansion),
            )

    def block(self, x):
        residual = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += residual
        return self.relu(out)


class WideBlock(BlockWithOutput):
    """A residual block that normalises first and drops out in between."""

    def __init__(self, in_channels, channels, stride, dropout_rate, **output):
        super().__init__(channels=channels, **output)
        self.layers = nn.Sequential(
            nn.BatchNorm2d(in_channels),
            nn.ReLU(),
            nn.Conv2d(in_channels, channels, 3, padding=1),
            nn.Dropout(dropout_rate),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, stride, padding=1),
        )
        self.shortcut = nn.Sequential()
        if stride != 1 or in_channels != channels:
            self.shortcut = nn.Sequential(nn.Conv2d(in_channels, channels, 1, stride))

    def block(self, x):
        return self.layers(x) + self.shortcut(x)
