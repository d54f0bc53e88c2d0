"""Train BranchyNets on digits: `python -m zoo.training.train_branchynet [NAME ...]`.

At the end it compares entropy thresholds; those chosen are written into `branchynet.THRESHOLDS`.
"""

import sys

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import branchynet
from zoo.branchynet import BranchyNet
from zoo.digits import labelled_pictures
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.exits import geometric_shares, thresholds_for
from zoo.training.routine import LossFunction, Schedule, train

RATIO = 0.6
FITTING = 1500


def weighted_loss(model: BranchyNet) -> LossFunction:
    """Return the paper's loss: the sum of all exits', early ones weighted down."""

    def loss(pictures: Tensor, labels: Tensor, _: float) -> Tensor:
        *early, last = model(pictures)
        total = F.cross_entropy(last, labels)
        for output in early:
            total = total + 0.7 * F.cross_entropy(output, labels)
        return total

    return loss


def certainties(model: BranchyNet, pictures: Tensor) -> Tensor:
    """Return minus the entropy of each exit for each picture, [exits, pictures]."""
    with torch.no_grad():
        outputs = torch.cat([torch.stack(model(part)) for part in pictures.split(50)], dim=1)
    probabilities = F.softmax(outputs, dim=2)
    return (probabilities * torch.log(probabilities + 1e-20)).sum(dim=2)


def main(names: list[str]) -> None:
    """Train the named networks, store the weights, print thresholds, accuracy and path spread."""
    for name in names or list(branchynet.NETWORKS):
        model = branchynet.build_seeded(name).train()
        train(name, list(model.parameters()), weighted_loss(model), Schedule(steps=900))
        print(save_weights(model.eval(), f"branchynet_{name}"))
        pictures, _ = labelled_pictures(FITTING, 7, held_out=False)
        shares = geometric_shares(len(model.exits), RATIO)
        fitted = -thresholds_for(certainties(model, pictures), shares)
        print(f"{name}: thresholds {[round(value, 3) for value in fitted.tolist()]}")
        model.exit_thresholds = fitted.tolist()
        print(measure_on_digits(model.early_exit, branchynet.decide, 500))


if __name__ == "__main__":
    main(sys.argv[1:])
