"""BlockDrop: a policy network looks at the picture once and names the blocks worth running.

Wu, Nagarajan, Kumar, Rennie, Davis, Grauman, Feris: "BlockDrop: Dynamic Inference Paths in
Residual Networks", CVPR 2018; upstream repository: Tushar-N/blockdrop (an own implementation,
not a copy).

A small ResNet outputs 15 keep probabilities, one for each block of a ResNet-32; blocks whose
probability is not above one half are dropped, each by its own `if`. All decisions are made
before the first block runs, so there are up to 2**15 paths, chosen by one tensor. In training
the policy is a sample and the blocks are blended with its 0/1 mask.

`build_model()` has half the paper's width and is trained on scikit-learn's digits in the paper's
three steps: the ResNet alone, the policy by self-critical policy gradient with a curriculum,
both together: 98 % accuracy on held-out pictures from clean to illegible, 9 to 15 blocks kept.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights

STRIDES = [1, 2, 2]


class BasicBlock(nn.Module):
    """The residual part of a block; who calls it adds the shortcut."""

    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)

    def forward(self, x):
        out = self.bn1(self.conv1(x))
        out = self.relu(out)
        return self.bn2(self.conv2(out))


class PadDownsample(nn.Module):
    """A shortcut without weights: pool, and fill the new channels with nothing."""

    def __init__(self, in_planes, planes, stride):
        super().__init__()
        self.pool = nn.AvgPool2d(stride)
        self.expand_ratio = planes // in_planes

    def forward(self, x):
        x = self.pool(x)
        return torch.cat([x] + [x.mul(0)] * (self.expand_ratio - 1), 1)


class FlatResNet(nn.Module):
    """A CIFAR ResNet whose blocks are addressed one by one."""

    def __init__(self, block, layer_config, widths, num_classes=10):
        super().__init__()
        self.layer_config = layer_config
        self.conv1 = nn.Conv2d(3, widths[0], 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        self.relu = nn.ReLU(inplace=True)
        self.blocks = nn.ModuleList()
        self.ds = nn.ModuleList()
        in_planes = widths[0]
        for planes, num_blocks, stride in zip(widths, layer_config, STRIDES, strict=True):
            ds = nn.Sequential()
            if stride != 1 or in_planes != planes * block.expansion:
                ds = PadDownsample(in_planes, planes * block.expansion, stride)
            self.ds.append(ds)
            segment = [block(in_planes, planes, stride)]
            in_planes = planes * block.expansion
            segment += [block(in_planes, planes) for _ in range(1, num_blocks)]
            self.blocks.append(nn.ModuleList(segment))
        self.avgpool = nn.AvgPool2d(8)
        self.fc_dim = in_planes
        self.fc = nn.Linear(self.fc_dim, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def stem(self, x):
        return self.relu(self.bn1(self.conv1(x)))

    def classify(self, x):
        x = self.avgpool(x)
        x = x.view(x.size(0), -1)
        return self.fc(x)

    def forward_full(self, x):
        """Run every block."""
        x = self.stem(x)
        for segment, num_blocks in enumerate(self.layer_config):
            for b in range(num_blocks):
                residual = self.ds[segment](x) if b == 0 else x
                x = F.relu(residual + self.blocks[segment][b](x))
        return self.classify(x)

    def forward_masked(self, x, policy):
        """Run every block and blend: each picture of the batch has its own policy row."""
        x = self.stem(x)
        t = 0
        for segment, num_blocks in enumerate(self.layer_config):
            for b in range(num_blocks):
                action = policy[:, t].view(-1, 1, 1, 1)
                residual = self.ds[segment](x) if b == 0 else x
                fx = F.relu(residual + self.blocks[segment][b](x))
                x = fx * action + residual * (1 - action)
                t += 1
        return self.classify(x)

    def forward_single(self, x, policy):
        """Run the blocks that the policy [blocks] keeps: one picture, or one policy for all."""
        x = self.stem(x)
        t = 0
        for segment, num_blocks in enumerate(self.layer_config):
            for b in range(num_blocks):
                residual = self.ds[segment](x) if b == 0 else x
                if policy[t] == 1:
                    x = residual + self.blocks[segment][b](x)
                    x = F.relu(x)
                else:
                    x = residual
                t += 1
        return self.classify(x)


class PolicyNet(nn.Module):
    """A ResNet-8 that outputs the probability to keep each block."""

    def __init__(self, num_blocks, widths):
        super().__init__()
        self.features = FlatResNet(BasicBlock, [1, 1, 1], widths)
        self.features.fc = nn.Sequential()
        self.logit = nn.Linear(self.features.fc_dim, num_blocks)
        nn.init.normal_(self.logit.weight, std=0.2)
        nn.init.constant_(self.logit.bias, 1.0)

    def forward(self, x):
        x = self.features.forward_full(x)
        return torch.sigmoid(self.logit(x))


class BlockDrop(nn.Module):
    """The policy network and the network it drops blocks of."""

    def __init__(self, layer_config, widths=(16, 32, 64), num_classes=10):
        super().__init__()
        self.resnet = FlatResNet(BasicBlock, layer_config, widths, num_classes)
        self.agent = PolicyNet(sum(layer_config), widths)

    def forward(self, x):
        """Return the logits and the policy, [batch, blocks] of 0. and 1."""
        probs = self.agent(x)
        if self.training:
            policy = torch.bernoulli(probs.detach())
            return self.resnet.forward_masked(x, policy), policy
        policy = (probs > 0.5).float()
        logits = self.resnet.forward_single(x, policy.squeeze(0))
        return logits, policy


def build_seeded(widths=(8, 16, 32)) -> BlockDrop:
    """Build an untrained BlockDrop of ResNet-32; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(32)
        return BlockDrop([5, 5, 5], widths).eval()


def build_model() -> BlockDrop:
    """BlockDrop of ResNet-32 for digits, trained by `zoo/training/train_blockdrop.py`."""
    model = build_seeded()
    load_weights(model, "blockdrop32")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, and the blocks that were kept."""
    logits, policy = outputs
    return int(logits.argmax()), tuple(int(action) for action in policy[0])
