"""SkipNet with recurrent gates: one small LSTM decides about all blocks and remembers its choices.

Wang, Yu, Dou, Darrell, Gonzalez: "SkipNet: Learning Dynamic Routing in Convolutional
Networks", ECCV 2018; upstream repository: ucbdrive/skipnet (an own implementation, not a copy).

Each block's activation is pooled and embedded to ten numbers; the LSTM, shared by all blocks and
carrying its state from block to block, turns them into the decision about the next block. So a
path does not only depend on what a gate sees, but on the path so far. 38 layers are 18 blocks
with 17 live decisions. At inference each decision is a real `if`.

`build_model()` is SkipNet-38 at half the paper's width, trained on scikit-learn's digits: 98 %
accuracy on held-out pictures from clean to illegible, with 8 to 13 of 17 gated blocks run.
"""

import torch
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.skipnet import BasicBlock, conv3x3
from zoo.storage import load_weights


class RNNGate(nn.Module):
    """The controller: an LSTM over the blocks, whose state lives on the module during a call."""

    def __init__(self, input_dim, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.rnn = nn.LSTM(input_dim, hidden_dim)
        self.proj = nn.Linear(hidden_dim, 1)
        self.prob = nn.Sigmoid()
        self.hidden = None

    def init_hidden(self, batch_size):
        """Return an empty memory, (h, c) of one layer."""
        shape = (1, batch_size, self.hidden_dim)
        return torch.zeros(shape), torch.zeros(shape)

    def forward(self, x):
        """Return the decision, [batch, 1, 1, 1] of 0. and 1., and the probability to run."""
        batch_size = x.size(0)
        out, self.hidden = self.rnn(x.view(1, batch_size, -1), self.hidden)
        logit = self.proj(out.squeeze(0))
        if self.training:
            # a gate that wants its way despite the noise decides with a margin
            logit = logit + 0.5 * torch.randn_like(logit)
        prob = self.prob(logit)
        mask = (prob > 0.5).float()
        if self.training:
            # discrete on the way forward, the gradient of the probability on the way back
            mask = mask - prob.detach() + prob
        return mask.view(batch_size, 1, 1, 1), prob


class RecurrentSkipNet(nn.Module):
    """A CIFAR ResNet in three groups; each block has an embedding for the shared gate."""

    def __init__(self, block, layers, widths=(16, 32, 64), num_classes=10, embed_dim=10, hidden=10):
        super().__init__()
        self.layers = layers
        self.conv1 = conv3x3(3, widths[0])
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.relu = nn.ReLU(inplace=True)
        self.groups = nn.ModuleList()
        self.shortcuts = nn.ModuleDict()
        self.in_planes = widths[0]
        pool_size = 32
        for group, (planes, depth) in enumerate(zip(widths, layers, strict=True)):
            blocks = []
            for i in range(depth):
                stride = 2 if group > 0 and i == 0 else 1
                downsample = self._make_shortcut(f"group{group}_ds{i}", planes, stride)
                blocks.append(block(self.in_planes, planes, stride, downsample))
                self.in_planes = planes * block.expansion
                embed = nn.Sequential(nn.AvgPool2d(pool_size), nn.Conv2d(planes, embed_dim, 1))
                setattr(self, f"group{group}_embed{i}", embed)
            self.groups.append(nn.ModuleList(blocks))
            pool_size = pool_size // 2
        self.control = RNNGate(embed_dim, hidden)
        # a memory of ten numbers below one needs large weights to be sure of anything
        nn.init.normal_(self.control.proj.weight, std=1.0)
        nn.init.constant_(self.control.proj.bias, 0.5)  # begins rather open
        self.avgpool = nn.AvgPool2d(8)
        self.fc = nn.Linear(widths[-1] * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d) and m.bias is None:
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def _make_shortcut(self, name, planes, stride):
        if stride == 1 and self.in_planes == planes:
            return None
        self.shortcuts[name] = nn.Sequential(
            nn.Conv2d(self.in_planes, planes, 1, stride=stride, bias=False),
            nn.BatchNorm2d(planes),
        )
        return self.shortcuts[name]

    def _gate(self, group, i, x):
        embedded = getattr(self, f"group{group}_embed{i}")(x)
        return self.control(embedded)

    def _skip(self, group, i, x):
        name = f"group{group}_ds{i}"
        return self.shortcuts[name](x) if name in self.shortcuts else x

    def forward(self, x):
        """Return the logits, and the decision and the probability of each gate."""
        self.control.hidden = self.control.init_hidden(x.size(0))
        x = self.relu(self.bn1(self.conv1(x)))

        masks, probs = [], []
        mask = None
        for group, blocks in enumerate(self.groups):
            for i, block in enumerate(blocks):
                if mask is None:  # the first block has no gate before it
                    x = block(x)
                elif self.training:
                    x = mask * block(x) + (1 - mask) * self._skip(group, i, x)
                elif mask.squeeze() > 0.5:
                    x = block(x)
                else:
                    x = self._skip(group, i, x)
                mask, prob = self._gate(group, i, x)
                masks.append(mask.squeeze())
                probs.append(prob)

        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        # no block follows the last gate
        return self.fc(x), masks[:-1], probs[:-1]


def build_seeded(widths=(8, 16, 32)) -> RecurrentSkipNet:
    """Build an untrained recurrent SkipNet-38; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(38)
        return RecurrentSkipNet(BasicBlock, [6, 6, 6], widths).eval()


def build_model() -> RecurrentSkipNet:
    """SkipNet-38 for digits, trained by `zoo/training/train_skipnet_rnn.py`."""
    model = build_seeded()
    load_weights(model, "skipnet38_rnn")
    return model


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
