"""ConvNet-AIG: a ResNet whose blocks are weighted by gates of 0 or 1 that look at the input.

Veit, Belongie: "Convolutional Networks with Adaptive Inference Graphs", ECCV 2018; upstream
repository: andreasveit/convnet-aig (an own implementation, not a copy).

As upstream, a closed gate does not skip its block: the block's result is multiplied by 0. So there
is no branch to compile, and every input takes the same straight line; which gates are open is data
all the same. Training draws gates by the straight-through Gumbel trick, inference takes the more
likely outcome. ResNet-38 at half the width of CIFAR ResNets, trained on digits from clean to
illegible by `zoo/training/train_convnet_aig.py`: 98 % accuracy on held-out pictures, over many
combinations of open gates.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights


class GumbelSoftmax(nn.Module):
    """Makes one-hot decisions of logits, with a gradient."""

    def sample_gumbel(self, logits, eps=1e-10):
        noise = torch.rand_like(logits)
        return -torch.log(-torch.log(noise + eps) + eps)

    def forward(self, logits, temperature=1.0):
        if self.training:
            logits = logits + self.sample_gumbel(logits)
        soft = F.softmax(logits / temperature, dim=1)
        _, max_value_indexes = soft.detach().max(dim=1, keepdim=True)
        hard = torch.zeros_like(logits).scatter_(1, max_value_indexes, 1)
        if self.training:
            return hard - soft.detach() + soft
        return hard


class BasicBlock(nn.Module):
    """A residual block with a gate of its own."""

    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != self.expansion * planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, self.expansion * planes, 1, stride=stride, bias=False),
                nn.BatchNorm2d(self.expansion * planes),
            )
        # the gate; it begins open for most inputs
        self.fc1 = nn.Conv2d(in_planes, 16, kernel_size=1)
        self.fc1bn = nn.BatchNorm2d(16)
        self.fc2 = nn.Conv2d(16, 2, kernel_size=1)
        self.fc2.bias.data[0] = 0.1
        self.fc2.bias.data[1] = 2
        self.gs = GumbelSoftmax()

    def forward(self, x, temperature=1.0):
        # relevance of this block for this input
        w = F.avg_pool2d(x, x.size(2))
        w = F.relu(self.fc1bn(self.fc1(w)))
        w = self.fc2(w)
        w = self.gs(w, temperature)

        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        out = self.bn2(self.conv2(out))
        out = self.shortcut(x) + out * w[:, 1].unsqueeze(1)
        out = F.relu(out, inplace=True)
        return out, w[:, 1]


class SequentialExt(nn.Sequential):
    """A Sequential that passes the gates' decisions on."""

    def forward(self, input, temperature=1.0):
        gate_activations = []
        for module in self:
            input, gate_activation = module(input, temperature)
            gate_activations.append(gate_activation)
        return input, gate_activations


class ConvNetAIG(nn.Module):
    """A CIFAR ResNet of gated blocks."""

    def __init__(self, block, layers, widths=(8, 16, 32), num_classes=10):
        super().__init__()
        self.in_planes = widths[0]
        self.conv1 = nn.Conv2d(3, widths[0], 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.layer1 = self._make_layer(block, widths[0], layers[0], stride=1)
        self.layer2 = self._make_layer(block, widths[1], layers[1], stride=2)
        self.layer3 = self._make_layer(block, widths[2], layers[2], stride=2)
        self.linear = nn.Linear(widths[2] * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d) and m.bias is None:
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def _make_layer(self, block, planes, num_blocks, stride):
        strides = [stride] + [1] * (num_blocks - 1)
        layers = []
        for stride in strides:
            layers.append(block(self.in_planes, planes, stride))
            self.in_planes = planes * block.expansion
        return SequentialExt(*layers)

    def forward(self, x, temperature=1.0):
        """Return the logits, and the gate of each block."""
        gate_activations = []
        out = F.relu(self.bn1(self.conv1(x)))
        out, activations = self.layer1(out, temperature)
        gate_activations.extend(activations)
        out, activations = self.layer2(out, temperature)
        gate_activations.extend(activations)
        out, activations = self.layer3(out, temperature)
        gate_activations.extend(activations)
        out = F.avg_pool2d(out, out.size(3))
        out = out.view(out.size(0), -1)
        return self.linear(out), gate_activations


def build_seeded() -> ConvNetAIG:
    """Build the network untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(38)
        return ConvNetAIG(BasicBlock, [6, 6, 6]).eval()


def build_model() -> ConvNetAIG:
    """ConvNet-AIG for digits, trained."""
    model = build_seeded()
    load_weights(model, "convnet_aig38")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, and which blocks counted."""
    logits, gates = outputs
    return int(logits.argmax()), tuple(int(gate.item()) for gate in gates)
