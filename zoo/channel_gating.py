"""Channel gating: convolutions that finish only those places of which a first part looks promising.

Hua, Zhou, De Sa, Zhang, Suh: "Channel Gating Neural Networks", NeurIPS 2019; upstream repository:
cornell-zhang/dnn-gating (an own implementation, not a copy).

A convolution first sums over one part of its input channels, the base path. Where that, normalised,
is above a learned threshold, the sum over all channels counts; elsewhere the base path stays. As
upstream, gates are masks over places and channels, so there is no branch; how many gates are open
is data. Trained on digits from clean to illegible by `zoo/training/train_channel_gating.py`:
98 % accuracy on held-out pictures, with 14 to 25 % of the gates open.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights


class CGConv2d(nn.Conv2d):
    """A convolution whose second part is gated."""

    def __init__(self, in_channels, out_channels, stride=1, partition=4, alpha=2.0):
        super().__init__(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.alpha = alpha
        self.threshold = nn.Parameter(torch.zeros(1, out_channels, 1, 1))
        self.bn = nn.BatchNorm2d(out_channels, affine=False)
        # each group of filters has another part of the channels as base path
        mask = torch.zeros_like(self.weight)
        inputs, outputs = in_channels // partition, out_channels // partition
        for i in range(partition):
            mask[i * outputs : (i + 1) * outputs, i * inputs : (i + 1) * inputs] = 1
        self.register_buffer("mask", mask, persistent=False)
        self.num_out = 0
        self.num_full = 0

    def forward(self, x):
        base = F.conv2d(x, self.weight * self.mask, None, self.stride, self.padding)
        relevance = torch.sigmoid(self.alpha * (self.bn(base) - self.threshold))
        d = (relevance > 0.5).float()
        if self.training:
            d = d - relevance.detach() + relevance
        full = F.conv2d(x, self.weight, None, self.stride, self.padding)
        self.num_out = d.numel()
        self.num_full = d.detach().sum()
        return full * d + base * (torch.ones_like(d) - d)


class CGBlock(nn.Module):
    """A residual block of gated convolutions."""

    def __init__(self, in_channels, channels, stride=1):
        super().__init__()
        self.conv1 = CGConv2d(in_channels, channels, stride)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = CGConv2d(channels, channels)
        self.bn2 = nn.BatchNorm2d(channels)
        self.downsample = nn.Sequential()
        if stride != 1 or in_channels != channels:
            self.downsample = nn.Sequential(
                nn.Conv2d(in_channels, channels, 1, stride=stride, bias=False),
                nn.BatchNorm2d(channels),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.downsample(x))


class CGNet(nn.Module):
    """A small residual network of gated blocks."""

    def __init__(self, widths=(16, 16, 32, 32), strides=(2, 1, 2, 1), num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, widths[0], 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        blocks, channels = [], widths[0]
        for width, stride in zip(widths, strides, strict=True):
            blocks.append(CGBlock(channels, width, stride))
            channels = width
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(channels, num_classes)

    def forward(self, x):
        """Return the logits, and the share of gates that are open."""
        x = self.blocks(F.relu(self.bn1(self.conv1(x))))
        logits = self.fc(x.mean(dim=(2, 3)))
        gated = [m for m in self.modules() if isinstance(m, CGConv2d)]
        num_full = torch.stack([m.num_full for m in gated])
        return logits, num_full.sum() / sum(m.num_out for m in gated)


def build_seeded() -> CGNet:
    """Build the network untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2019)
        return CGNet().eval()


def build_model() -> CGNet:
    """The network for digits, trained."""
    model = build_seeded()
    load_weights(model, "channel_gating")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, and how many percent of the gates are open."""
    logits, opened = outputs
    return int(logits.argmax()), round(100 * float(opened))
