"""BranchyNet: an AlexNet and a LeNet with side branches that answer when their entropy is low.

Teerapittayanon, McDanel, Kung: "BranchyNet: Fast Inference via Early Exiting from Deep Neural
Networks", ICPR 2016; upstream repository: kunglab/branchynet, in PyTorch known from
biggsbenjamin/earlyexitnet (an own implementation, not a copy).

`early_exit` runs stage after stage; after each but the last a branch classifies what there is, and
answers if the entropy of its distribution is below the branch's threshold. B-AlexNet
(`build_model()`, at half the paper's width) has two branches and three ways out, B-LeNet
(`build_lenet()`) has one branch and two. Both are trained on digits from clean to illegible by
`zoo/training/train_branchynet.py`, which also fits the thresholds: 98 % accuracy on held-out
pictures, about half of which leave B-AlexNet at its first branch, and two thirds B-LeNet.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.digits import sample_pictures
from zoo.storage import load_weights

# fitted by `python -m zoo.training.train_branchynet`
THRESHOLDS = {"alexnet": [0.002, 0.009], "lenet": [0.016]}


def entropy(logits):
    """Return the entropy of the distribution that the logits of one picture mean, in nats."""
    pk = F.softmax(logits, dim=-1)
    return -torch.sum(pk * torch.log(pk + 1e-20))


class BranchyNet(nn.Module):
    """A backbone in stages, with an exit after each."""

    def __init__(self, stages, exits, exit_thresholds):
        super().__init__()
        self.stages = nn.ModuleList(stages)
        self.exits = nn.ModuleList(exits)
        self.exit_thresholds = exit_thresholds
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")

    def forward(self, x):
        """Return what every exit says: for training."""
        outputs = []
        for stage, exit in zip(self.stages, self.exits, strict=True):
            x = stage(x)
            outputs.append(exit(x))
        return outputs

    def exit_criterion(self, logits, i):
        """Say whether the i-th exit may answer. For one picture at a time."""
        if i == len(self.exits) - 1:
            return True
        with torch.no_grad():
            return entropy(logits) < self.exit_thresholds[i]

    def early_exit(self, x):
        """Return the logits of the first exit that is sure, its index, and whether it is early."""
        for i, (stage, exit) in enumerate(zip(self.stages, self.exits, strict=True)):
            x = stage(x)
            res = exit(x)
            if self.exit_criterion(res, i):
                return res, i, i < len(self.exits) - 1


def b_alexnet(width=16, num_classes=10):
    """Build AlexNet for 32x32 pictures: five convolutions, two branches."""
    norm = {"size": 3, "alpha": 5e-05, "beta": 0.75}
    stages = [
        nn.Sequential(
            nn.Conv2d(3, width, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.LocalResponseNorm(**norm),
        ),
        nn.Sequential(
            nn.Conv2d(width, 2 * width, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.LocalResponseNorm(**norm),
        ),
        nn.Sequential(
            nn.Conv2d(2 * width, 3 * width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(3 * width, 3 * width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(3 * width, 2 * width, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
        ),
    ]
    exits = [
        nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(width, width // 2, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Flatten(),
            nn.Linear(width // 2 * 9, num_classes),
        ),
        nn.Sequential(
            nn.Conv2d(2 * width, width, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Flatten(),
            nn.Linear(width * 9, num_classes),
        ),
        nn.Sequential(
            nn.Flatten(),
            nn.Linear(2 * width * 9, 128),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(128, 64),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Linear(64, num_classes),
        ),
    ]
    return BranchyNet(stages, exits, THRESHOLDS["alexnet"])


def b_lenet(num_classes=10):
    """Build LeNet-5 for 32x32 pictures: three convolutions, one branch after the first."""
    stages = [
        nn.Sequential(nn.Conv2d(3, 5, 5, padding=2), nn.MaxPool2d(2), nn.ReLU()),
        nn.Sequential(
            nn.Conv2d(5, 10, 5, padding=2),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(10, 20, 5, padding=2),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(320, 84),
            nn.ReLU(),
        ),
    ]
    branch = nn.Sequential(
        nn.Conv2d(5, 10, 3, padding=1),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(640, num_classes),
    )
    return BranchyNet(stages, [branch, nn.Linear(84, num_classes)], THRESHOLDS["lenet"])


NETWORKS = {"alexnet": b_alexnet, "lenet": b_lenet}


def build_seeded(name) -> BranchyNet:
    """Build one of `NETWORKS` untrained; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2016)
        return NETWORKS[name]().eval()


def build_model() -> BranchyNet:
    """B-AlexNet for digits, trained."""
    model = build_seeded("alexnet")
    load_weights(model, "branchynet_alexnet")
    return model


def build_lenet() -> BranchyNet:
    """B-LeNet for digits, trained."""
    model = build_seeded("lenet")
    load_weights(model, "branchynet_lenet")
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
