"""MSDNet: a multi-scale dense network with a classifier after each block, run within a budget.

Huang, Chen, Li, Wu, van der Maaten, Weinberger: "Multi-Scale Dense Networks for Resource Efficient
Image Classification", ICLR 2018; upstream repository: kalviny/MSDNet-PyTorch (an own
implementation, not a copy).

All layers keep feature maps at three scales, so that coarse ones are there for the first
classifier. `budgeted` leaves at the first classifier whose confidence reaches that classifier's
threshold; the thresholds are found on other pictures so that a wanted share of them leaves at
each exit (the paper's budgeted batch classification, geometric shares). Trained on digits from
clean to illegible by `zoo/training/train_msdnet.py`, with fewer channels than the paper: 98 %
accuracy on held-out pictures, of which 39, 24, 17, 12 and 9 % leave at the five exits.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights


class ConvBN(nn.Sequential):
    """A 3x3 convolution behind a 1x1 bottleneck, each normalised."""

    def __init__(self, channels_in, channels_out, stride=1, bottleneck=2):
        middle = min(channels_in, bottleneck * channels_out)
        super().__init__(
            nn.Conv2d(channels_in, middle, 1, bias=False),
            nn.BatchNorm2d(middle),
            nn.ReLU(inplace=True),
            nn.Conv2d(middle, channels_out, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(inplace=True),
        )


class ConvNormal(nn.Module):
    """New features of the finest scale, appended to what is there."""

    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.conv_normal = ConvBN(channels_in, channels_out)

    def forward(self, x):
        if not isinstance(x, list):
            x = [x]
        return torch.cat([x[0], self.conv_normal(x[0])], dim=1)


class ConvDownNormal(nn.Module):
    """New features of a coarser scale: half from the scale above, half from its own."""

    def __init__(self, channels_above, channels_in, channels_out):
        super().__init__()
        self.conv_down = ConvBN(channels_above, channels_out // 2, stride=2)
        self.conv_normal = ConvBN(channels_in, channels_out // 2)

    def forward(self, x):
        return torch.cat([x[1], self.conv_down(x[0]), self.conv_normal(x[1])], dim=1)


class FirstLayer(nn.Module):
    """The picture at all scales from half its size on, each a strided convolution of the last."""

    def __init__(self, widths):
        super().__init__()
        self.layers = nn.ModuleList()
        channels_in = 3
        for width in widths:
            conv = nn.Conv2d(channels_in, width, 3, stride=2, padding=1, bias=False)
            self.layers.append(nn.Sequential(conv, nn.BatchNorm2d(width), nn.ReLU(inplace=True)))
            channels_in = width

    def forward(self, x):
        res = []
        for i in range(len(self.layers)):
            x = self.layers[i](x)
            res.append(x)
        return res


class Layer(nn.Module):
    """One layer: every scale it still has gets new features."""

    def __init__(self, channels_in, growth, in_scales, out_scales):
        super().__init__()
        self.out_scales = out_scales
        self.offset = in_scales - out_scales
        self.layers = nn.ModuleList()
        first = self.offset
        if first == 0:
            self.layers.append(ConvNormal(channels_in[0], growth[0]))
        else:
            self.layers.append(
                ConvDownNormal(channels_in[first - 1], channels_in[first], growth[first])
            )
        for i in range(first + 1, in_scales):
            self.layers.append(ConvDownNormal(channels_in[i - 1], channels_in[i], growth[i]))

    def forward(self, x):
        if self.offset > 0:
            inp = []
            for i in range(1, self.out_scales + 1):
                inp.append([x[i - 1], x[i]])
        else:
            inp = [[x[0]]]
            for i in range(1, self.out_scales):
                inp.append([x[i - 1], x[i]])
        res = []
        for i in range(self.out_scales):
            res.append(self.layers[i](inp[i]))
        return res


class Classifier(nn.Module):
    """Classifies from the coarsest scale."""

    def __init__(self, channels, num_classes, width=32):
        super().__init__()
        self.m = nn.Sequential(
            nn.Conv2d(channels, width, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.AvgPool2d(2),
        )
        self.linear = nn.Linear(width, num_classes)

    def forward(self, x):
        res = self.m(x[-1])
        res = res.view(res.size(0), -1)
        return self.linear(res)


class MSDNet(nn.Module):
    """Blocks of layers over several scales; the finest scale is dropped on the way."""

    def __init__(self, n_blocks=5, steps=2, widths=(8, 16, 16), growth=(4, 8, 8), num_classes=10):
        super().__init__()
        self.blocks = nn.ModuleList()
        self.classifier = nn.ModuleList()
        self.n_blocks = n_blocks
        channels = list(widths)
        scales = len(widths)
        for i in range(n_blocks):
            modules = [FirstLayer(widths)] if i == 0 else []
            for step in range(steps):
                # a third of the way on each, one scale less
                left = len(widths) - (i * steps + step) * len(widths) // (n_blocks * steps)
                own = channels[len(channels) - scales :]
                modules.append(Layer(own, growth[len(growth) - scales :], scales, left))
                scales = left
                for k in range(len(channels) - scales, len(channels)):
                    channels[k] += growth[k]
            self.blocks.append(nn.Sequential(*modules))
            self.classifier.append(Classifier(channels[-1], num_classes))
        # beyond any confidence until thresholds are found; the last classifier always answers
        self.register_buffer("thresholds", torch.full((n_blocks - 1,), 1e8))

    def forward(self, x):
        """Return what every classifier says (anytime prediction, and training)."""
        res = []
        for i in range(self.n_blocks):
            x = self.blocks[i](x)
            res.append(self.classifier[i](x))
        return res

    @torch.no_grad()
    def budgeted(self, x):
        """Return the logits of the first classifier that is confident, its index, and if early."""
        for i in range(self.n_blocks - 1):
            x = self.blocks[i](x)
            logits = self.classifier[i](x)
            confidence, _ = F.softmax(logits, dim=1).max(dim=1)
            if confidence.item() >= self.thresholds[i]:
                return logits, i, True
        x = self.blocks[-1](x)
        return self.classifier[-1](x), self.n_blocks - 1, False


def build_seeded() -> MSDNet:
    """Build the network untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2018)
        return MSDNet().eval()


def build_model() -> MSDNet:
    """MSDNet for digits, trained, with thresholds for a budget."""
    model = build_seeded()
    load_weights(model, "msdnet")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, the exit, and whether it came early."""
    output, exit_index, is_early = outputs
    return int(output.argmax()), (exit_index, is_early)
