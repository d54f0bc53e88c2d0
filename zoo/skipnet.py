"""SkipNet with feed-forward gates: a ResNet that skips blocks it does not need for this input.

Wang, Yu, Dou, Darrell, Gonzalez: "SkipNet: Learning Dynamic Routing in Convolutional
Networks", ECCV 2018; upstream repository: ucbdrive/skipnet (an own implementation, not a copy).

After each residual block a small gate network looks at the activation and decides whether the
next block runs or is passed by (through the block's shortcut at the border of a group).
38 layers are 18 blocks with 17 live gates, so up to 2**17 paths. In training the gates are
straight-through estimators that blend both outcomes; at inference each gate is a real `if`.

`build_model()` is SkipNet-38 at half the paper's width, trained on scikit-learn's digits: 98 %
accuracy on held-out pictures from clean to illegible, with 8 to 13 of 17 gated blocks run;
`build_skipnet74()` and `build_skipnet110()` have the paper's widths, seeded weights, and gate
biases calibrated so that most gates go both ways.
"""

import torch
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights

# depth -> [blocks per group, gate]; the paper uses the cheaper gate for the deep networks
CONFIGS = {
    38: [[6, 6, 6], "ffgate1"],
    74: [[12, 12, 12], "ffgate1"],
    110: [[18, 18, 18], "ffgate2"],
    152: [[25, 25, 25], "ffgate2"],
}


def conv3x3(in_planes, out_planes, stride=1):
    """A 3x3 convolution that keeps the size but for its stride."""
    return nn.Conv2d(in_planes, out_planes, 3, stride=stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    """The residual block of CIFAR ResNets."""

    expansion = 1

    def __init__(self, in_planes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = conv3x3(in_planes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class FeedForwardGate(nn.Module):
    """What both gates share: features of the activation -> two logits -> skip or run."""

    def __init__(self, channels):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.linear = nn.Conv2d(channels, 2, kernel_size=1)
        self.softmax = nn.Softmax(dim=1)

    def features(self, x):
        raise NotImplementedError

    def forward(self, x):
        """Return the decision, [batch, 1, 1, 1] of 0. and 1., and the probability to run."""
        x = self.avgpool(self.features(x))
        logits = self.linear(x).view(x.size(0), -1)
        if self.training:
            # a gate that wants its way despite the noise decides with a margin
            logits = logits + 0.5 * torch.randn_like(logits)
        prob = self.softmax(logits)[:, 1]
        mask = (prob > 0.5).float()
        if self.training:
            # discrete on the way forward, the gradient of the probability on the way back
            mask = mask - prob.detach() + prob
        return mask.view(-1, 1, 1, 1), prob


class FeedForwardGateI(FeedForwardGate):
    """Pooling and two convolutions: for shallow networks, where a gate may cost something."""

    def __init__(self, channels):
        super().__init__(channels)
        self.maxpool = nn.MaxPool2d(2)
        self.conv1 = conv3x3(channels, channels)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = conv3x3(channels, channels, stride=2)
        self.bn2 = nn.BatchNorm2d(channels)

    def features(self, x):
        x = self.maxpool(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)))


class FeedForwardGateII(FeedForwardGate):
    """One strided convolution: for deep networks."""

    def __init__(self, channels):
        super().__init__(channels)
        self.conv1 = conv3x3(channels, channels, stride=2)
        self.bn1 = nn.BatchNorm2d(channels)

    def features(self, x):
        return self.relu(self.bn1(self.conv1(x)))


GATES = {"ffgate1": FeedForwardGateI, "ffgate2": FeedForwardGateII}


class SkipNet(nn.Module):
    """A CIFAR ResNet in three groups, with one gate after each block."""

    def __init__(self, block, layers, widths=(16, 32, 64), num_classes=10, gate_type="ffgate1"):
        super().__init__()
        self.num_layers = layers
        self.in_planes = widths[0]
        self.conv1 = conv3x3(3, widths[0])
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.relu = nn.ReLU(inplace=True)
        for group, width in enumerate(widths):
            for i in range(layers[group]):
                stride = 2 if group > 0 and i == 0 else 1
                self._add_block(f"group{group + 1}", i, block, width, stride)
                gate = self._make_gate(gate_type, self.in_planes)
                setattr(self, f"group{group + 1}_gate{i}", gate)
        self.avgpool = nn.AvgPool2d(8)
        self.fc = nn.Linear(widths[-1] * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d) and m.bias is None:
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def _add_block(self, group, i, block, planes, stride):
        downsample = None
        if stride != 1 or self.in_planes != planes * block.expansion:
            downsample = nn.Sequential(
                nn.Conv2d(self.in_planes, planes * block.expansion, 1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * block.expansion),
            )
        # a skipped block leaves its shortcut: one module, known by two names
        setattr(self, f"{group}_ds{i}", downsample)
        setattr(self, f"{group}_layer{i}", block(self.in_planes, planes, stride, downsample))
        self.in_planes = planes * block.expansion

    def _make_gate(self, gate_type, channels):
        gate = GATES[gate_type](channels)
        nn.init.normal_(gate.linear.weight, std=0.1)
        gate.linear.bias.data = torch.tensor([0.0, 1.0])  # begins undecided, rather open
        return gate

    def forward(self, x):
        """Return the logits, and the decision and the probability of each gate."""
        x = self.relu(self.bn1(self.conv1(x)))

        # the first block always runs; each gate decides about the block after it
        x = self.group1_layer0(x)
        mask, prob = self.group1_gate0(x)
        masks = [mask.squeeze()]
        probs = [prob]

        for group in range(1, 4):
            for i in range(1 if group == 1 else 0, self.num_layers[group - 1]):
                layer = getattr(self, f"group{group}_layer{i}")
                shortcut = getattr(self, f"group{group}_ds{i}")
                if self.training:
                    skipped = x if shortcut is None else shortcut(x)
                    x = mask * layer(x) + (1 - mask) * skipped
                elif mask.item() > 0:
                    x = layer(x)
                elif shortcut is not None:
                    x = shortcut(x)
                mask, prob = getattr(self, f"group{group}_gate{i}")(x)
                masks.append(mask.squeeze())
                probs.append(prob)

        # no block follows the last gate
        del masks[-1], probs[-1]

        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        return self.fc(x), masks, probs


def build_seeded(depth=38, widths=(16, 32, 64)) -> SkipNet:
    """Build an untrained SkipNet; the same one each time."""
    layers, gate_type = CONFIGS[depth]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(depth)
        return SkipNet(BasicBlock, layers, widths, gate_type=gate_type).eval()


def build_model() -> SkipNet:
    """SkipNet-38 for digits, trained by `zoo/training/train_skipnet.py`."""
    model = build_seeded(38, widths=(8, 16, 32))
    load_weights(model, "skipnet38")
    return model


def build_skipnet74() -> SkipNet:
    """SkipNet-74 at the paper's widths: seeded weights, calibrated gates."""
    model = build_seeded(74)
    load_weights(model, "skipnet74_calibration", partial=True)
    return model


def build_skipnet110() -> SkipNet:
    """SkipNet-110 at the paper's widths: seeded weights, calibrated gates."""
    model = build_seeded(110)
    load_weights(model, "skipnet110_calibration", partial=True)
    return model


def build_skipnet152() -> SkipNet:
    """SkipNet-152 at the paper's widths: seeded weights, gates as they begin."""
    return build_seeded(152)


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, and what each gate decided; the probabilities decide nothing further."""
    logits, masks, _ = outputs
    return int(logits.argmax()), tuple(int(mask) for mask in masks)
