"""Shallow-Deep Networks: CNNs with internal classifiers that stop as soon as one is confident.

Kaya, Hong, Dumitras: "Shallow-Deep Networks: Understanding and Mitigating Network Overthinking",
ICML 2019; upstream repository: yigitcankaya/Shallow-Deep-Networks (an own implementation, not a
copy).

Six internal classifiers (five in MobileNet) sit where about 15, 30, 45, 60, 75 and 90 % of the
work is done. The entry point is `early_exit`: `dycl compile zoo/shallow_deep.py --method
early_exit`. It returns at the first classifier whose confidence reaches the threshold; if none
does, the most confident of all seven outputs wins: 13 ways out, 6 early ones and 7 late ones.

`build_resnet()`, also `build_model()`, is ResNet-56 at half the paper's width, trained on
scikit-learn's digits: 98 % accuracy on held-out pictures from clean to illegible, more than half
of which leave at the first exit. MobileNet, VGG-19 and WideResNet-32-4 have the paper's sizes and
seeded convolutions; only their classifiers are trained (the paper's "IC-only" training).
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.shallow_deep_blocks import BasicBlock, ConvBlock, FcBlock, MobileBlock, WideBlock
from zoo.storage import load_weights

# thresholds: `python -m zoo.training.thresholds`
CONFIGS = {
    "mobilenet": {
        # (128, 2) is 128 channels with stride 2
        "cfg": [64, (128, 2), 128, (256, 2), 256, (512, 2)] + [512] * 5 + [(1024, 2), 1024],
        "add_ic": [0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0],
        "threshold": 0.5,
    },
    "vgg19": {
        "conv_channels": [64, 64, 128, 128] + [256] * 4 + [512] * 8,
        "max_pool_sizes": [1, 2, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2],
        "fc_layers": [512, 512],
        "add_ic": [0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0],
        "threshold": 0.6,
    },
    "resnet56": {
        "num_blocks": [9, 9, 9],
        "widths": [8, 16, 32],
        "add_ic": [
            [0, 0, 0, 1, 0, 0, 0, 1, 0],
            [0, 0, 1, 0, 0, 0, 1, 0, 0],
            [0, 1, 0, 0, 0, 1, 0, 0, 0],
        ],
        "threshold": 0.97,
    },
    "wideresnet32_4": {
        "num_blocks": [5, 5, 5],
        "widen_factor": 4,
        "dropout_rate": 0.3,
        "add_ic": [[0, 0, 1, 0, 1], [0, 1, 0, 1, 0], [1, 0, 1, 0, 0]],
        "threshold": 0.7,
    },
}


class ShallowDeepNetwork(nn.Module):
    """What the four networks share: run the layers, leave where an output is confident."""

    def __init__(self, config, num_classes=10, input_size=32):
        super().__init__()
        self.num_classes = num_classes
        self.cur_size = input_size
        self.confidence_threshold = config["threshold"]
        self.init_conv = nn.Sequential()
        self.layers = nn.ModuleList()
        self.end_layers = nn.Sequential()

    def output_params(self, add_ic):
        return {"add_ic": add_ic, "input_size": self.cur_size, "num_classes": self.num_classes}

    def init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        """Return all outputs: what training needs."""
        outputs = []
        fwd = self.init_conv(x)
        for layer in self.layers:
            fwd, is_output, output = layer(fwd)
            if is_output:
                outputs.append(output)
        outputs.append(self.end_layers(fwd))
        return outputs

    @torch.no_grad()
    def early_exit(self, x):
        """Return the output (logits), the index of the exit, and whether it came early."""
        confidences = []
        outputs = []
        fwd = self.init_conv(x)
        output_id = 0
        for layer in self.layers:
            fwd, is_output, output = layer(fwd)
            if is_output:
                outputs.append(output)
                softmax = F.softmax(output[0], dim=0)
                confidence = torch.max(softmax)
                confidences.append(confidence)
                if confidence >= self.confidence_threshold:
                    is_early = True
                    return output, output_id, is_early
                output_id += is_output

        output = self.end_layers(fwd)
        outputs.append(output)
        softmax = F.softmax(output[0], dim=0)
        confidences.append(torch.max(softmax))
        max_confidence = np.argmax(confidences)
        is_early = False
        return outputs[max_confidence], max_confidence, is_early


class MobileNet(ShallowDeepNetwork):
    """MobileNet for 32x32 pictures."""

    def __init__(self, config):
        super().__init__(config)
        self.init_conv = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True)
        )
        in_channels = 32
        for block_id, x in enumerate(config["cfg"]):
            channels = x if isinstance(x, int) else x[0]
            stride = 1 if isinstance(x, int) else x[1]
            self.cur_size = self.cur_size // stride
            params = self.output_params(config["add_ic"][block_id])
            self.layers.append(MobileBlock(in_channels, channels, stride, **params))
            in_channels = channels
        self.end_layers = nn.Sequential(
            nn.AvgPool2d(2), nn.Flatten(), nn.Linear(in_channels, self.num_classes)
        )
        self.init_weights()


class VGG(ShallowDeepNetwork):
    """VGG with batch normalisation."""

    def __init__(self, config):
        super().__init__(config)
        add_ic = config["add_ic"]
        in_channels = 3
        for i, channels in enumerate(config["conv_channels"]):
            pool = config["max_pool_sizes"][i]
            self.cur_size = self.cur_size // pool
            params = self.output_params(add_ic[i])
            self.layers.append(ConvBlock(in_channels, channels, pool, **params))
            in_channels = channels
        features = in_channels * self.cur_size * self.cur_size
        for i, width in enumerate(config["fc_layers"][:-1]):
            has_ic = add_ic[len(config["conv_channels"]) + i]
            block = FcBlock(features, width, add_ic=has_ic, num_classes=self.num_classes)
            self.layers.append(block)
            features = width
        last = config["fc_layers"][-1]
        self.end_layers = nn.Sequential(
            nn.Linear(features, last), nn.Dropout(0.5), nn.Linear(last, self.num_classes)
        )
        self.init_weights()


class ResNet(ShallowDeepNetwork):
    """A CIFAR ResNet of basic blocks."""

    def __init__(self, config, block=BasicBlock):
        super().__init__(config)
        widths = config["widths"]
        self.init_conv = nn.Sequential(
            nn.Conv2d(3, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(inplace=True),
        )
        in_channels = widths[0]
        for group, num_blocks in enumerate(config["num_blocks"]):
            strides = [1 if group == 0 else 2] + [1] * (num_blocks - 1)
            for i, stride in enumerate(strides):
                self.cur_size = self.cur_size // stride
                params = self.output_params(config["add_ic"][group][i])
                self.layers.append(block(in_channels, widths[group], stride, **params))
                in_channels = widths[group] * block.expansion
        self.end_layers = nn.Sequential(
            nn.AvgPool2d(8), nn.Flatten(), nn.Linear(in_channels, self.num_classes)
        )
        self.init_weights()


class WideResNet(ShallowDeepNetwork):
    """A ResNet with few, wide, pre-activated blocks."""

    def __init__(self, config):
        super().__init__(config)
        self.init_conv = nn.Conv2d(3, 16, 3, padding=1)
        in_channels = 16
        for group, num_blocks in enumerate(config["num_blocks"]):
            channels = 16 * 2**group * config["widen_factor"]
            for i in range(num_blocks):
                stride = 2 if group > 0 and i == 0 else 1
                self.cur_size = self.cur_size // stride
                params = self.output_params(config["add_ic"][group][i])
                dropout = config["dropout_rate"]
                self.layers.append(WideBlock(in_channels, channels, stride, dropout, **params))
                in_channels = channels
        self.end_layers = nn.Sequential(
            nn.BatchNorm2d(in_channels),
            nn.ReLU(inplace=True),
            nn.AvgPool2d(8),
            nn.Flatten(),
            nn.Linear(in_channels, self.num_classes),
        )
        self.init_weights()


NETWORKS = {"mobilenet": MobileNet, "vgg19": VGG, "resnet56": ResNet, "wideresnet32_4": WideResNet}


def build_seeded(name) -> ShallowDeepNetwork:
    """Build one of `NETWORKS` untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2019)
        return NETWORKS[name](CONFIGS[name]).eval()


def _build(name, partial) -> ShallowDeepNetwork:
    model = build_seeded(name)
    load_weights(model, f"shallow_deep_{name}", partial=partial)
    return model


def build_mobilenet() -> ShallowDeepNetwork:
    """MobileNet with seeded convolutions and trained classifiers."""
    return _build("mobilenet", partial=True)


def build_vgg() -> ShallowDeepNetwork:
    """VGG-19 with seeded convolutions and trained classifiers."""
    return _build("vgg19", partial=True)


def build_resnet() -> ShallowDeepNetwork:
    """ResNet-56 for digits, trained by `zoo/training/train_shallow_deep.py`."""
    return _build("resnet56", partial=False)


def build_wideresnet() -> ShallowDeepNetwork:
    """WideResNet-32-4 with seeded convolutions and trained classifiers."""
    return _build("wideresnet32_4", partial=True)


def build_model() -> ShallowDeepNetwork:
    """Build the default: the trained ResNet-56."""
    return build_resnet()


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, the exit, and whether it came early."""
    output, exit_index, is_early = outputs
    return int(output.argmax()), (int(exit_index), bool(is_early))
