"""Feature boosting and suppression: a CNN that computes only the channels that this input needs.

Gao, Zhao, Dudziak, Mullins, Xu: "Dynamic Channel Pruning: Feature Boosting and Suppression", ICLR
2019; upstream repository: deep-fry/mayo (an own implementation, not a copy).

Before each convolution a small predictor gives every output channel a saliency. The `density`
largest win, and those of them that are above zero scale their channels; all other channels are
zero. `forward` computes all channels and multiplies, as training does. `pruned` computes the
winners alone, from those of the layer before: how many channels a layer has, and which filters are
taken, differs from input to input. Trained on digits from clean to illegible by
`zoo/training/train_feature_boosting.py`: 96 % accuracy on held-out pictures, at two thirds of the
channels.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights


class GatedConv(nn.Module):
    """A convolution whose output channels are boosted or suppressed."""

    def __init__(self, in_channels, out_channels, stride=1, density=0.75):
        super().__init__()
        self.stride = stride
        self.winners = int(density * out_channels)
        self.conv = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(out_channels, affine=False)  # the saliency is its scale
        self.beta = nn.Parameter(torch.zeros(out_channels))
        self.predictor = nn.Linear(in_channels, out_channels)
        nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")
        nn.init.kaiming_normal_(self.predictor.weight)
        nn.init.constant_(self.predictor.bias, 0.5)

    def winner_take_all(self, saliency):
        """Set all but the largest to zero."""
        threshold = torch.topk(saliency, self.winners, dim=1).values[:, -1:]
        return torch.where(saliency >= threshold, saliency, torch.zeros_like(saliency))

    def forward(self, x):
        saliency = F.relu(self.predictor(x.abs().mean(dim=(2, 3))))
        gain = self.winner_take_all(saliency)
        out = self.norm(self.conv(x)) + self.beta.view(1, -1, 1, 1)
        return F.relu(gain.unsqueeze(2).unsqueeze(3) * out), saliency

    def pruned(self, x, live):
        """Compute the winners of one picture from its live channels; return both."""
        subsampled = x.abs().mean(dim=(2, 3))
        saliency = F.relu(F.linear(subsampled, self.predictor.weight[:, live], self.predictor.bias))
        gain = self.winner_take_all(saliency)[0]
        kept = torch.nonzero(gain > 0, as_tuple=True)[0]
        out = F.conv2d(x, self.conv.weight[kept][:, live], stride=self.stride, padding=1)
        mean, var = self.norm.running_mean[kept], self.norm.running_var[kept]
        scale = gain[kept] / torch.sqrt(var + self.norm.eps)
        shift = gain[kept] * self.beta[kept] - mean * scale
        return F.relu(out * scale.view(1, -1, 1, 1) + shift.view(1, -1, 1, 1)), kept


class BoostedNet(nn.Module):
    """A plain CNN of gated convolutions."""

    def __init__(self, channels=(16, 16, 32, 32, 48), strides=(1, 2, 1, 2, 2), num_classes=10):
        super().__init__()
        self.layers = nn.ModuleList()
        in_channels = 3
        for out_channels, stride in zip(channels, strides, strict=True):
            self.layers.append(GatedConv(in_channels, out_channels, stride))
            in_channels = out_channels
        self.fc = nn.Linear(in_channels, num_classes)

    def forward(self, x):
        """Return the logits, and the saliencies of each layer."""
        saliencies = []
        for layer in self.layers:
            x, saliency = layer(x)
            saliencies.append(saliency)
        return self.fc(x.mean(dim=(2, 3))), saliencies

    @torch.no_grad()
    def pruned(self, x):
        """Return the logits of one picture, and the channels that each layer computed."""
        live = torch.arange(x.size(1))
        computed = []
        for layer in self.layers:
            x, live = layer.pruned(x, live)
            computed.append(live)
        return F.linear(x.mean(dim=(2, 3)), self.fc.weight[:, live], self.fc.bias), computed


def build_seeded() -> BoostedNet:
    """Build the network untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2019)
        return BoostedNet().eval()


def build_model() -> BoostedNet:
    """The network for digits, trained."""
    model = build_seeded()
    load_weights(model, "feature_boosting")
    return model


def example_inputs() -> tuple[Tensor, ...]:
    """One 32x32 RGB picture."""
    return (torch.zeros(1, 3, 32, 32),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Held-out digits from clean to illegible, and a few pictures of noise."""
    return sample_pictures(count, seed)


def decide(outputs):
    """The class, and the channels that were computed."""
    logits, computed = outputs
    return int(logits.argmax()), tuple(tuple(live.tolist()) for live in computed)
