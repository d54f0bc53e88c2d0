"""Train MSDNet on digits and fit its exits to a budget: `python -m zoo.training.train_msdnet`."""

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import msdnet
from zoo.digits import labelled_pictures
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.exits import geometric_shares, thresholds_for
from zoo.training.routine import Schedule, train

RATIO = 0.7
"""Each exit gets this many times the pictures of the one before."""
FITTING = 1500


def main() -> None:
    """Train all classifiers together, find thresholds, store both, print accuracy and spread."""
    model = msdnet.build_seeded().train()

    def loss(pictures: Tensor, labels: Tensor, _: float) -> Tensor:
        return torch.stack([F.cross_entropy(output, labels) for output in model(pictures)]).sum()

    train("MSDNet", list(model.parameters()), loss, Schedule(steps=700))
    model.eval()
    pictures, labels = labelled_pictures(FITTING, 7, held_out=False)
    with torch.no_grad():
        outputs = torch.cat([torch.stack(model(part)) for part in pictures.split(50)], dim=1)
    print("accuracy of each exit", (outputs.argmax(dim=2) == labels).float().mean(dim=1).tolist())
    confidences = F.softmax(outputs, dim=2).amax(dim=2)
    shares = geometric_shares(model.n_blocks, RATIO)
    model.thresholds.copy_(thresholds_for(confidences, shares))
    print("thresholds", model.thresholds.tolist())
    print(save_weights(model, "msdnet"))
    print(measure_on_digits(model.budgeted, msdnet.decide, 500))


if __name__ == "__main__":
    main()
