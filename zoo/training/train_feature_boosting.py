"""Train the boosted network on digits: `python -m zoo.training.train_feature_boosting`."""

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import feature_boosting
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

LASSO = 1e-2
"""How much a saliency costs: those that are not worth it become zero."""


def main() -> None:
    """Train with all channels computed; measure with the winners only."""
    model = feature_boosting.build_seeded().train()

    def loss(pictures: Tensor, labels: Tensor, _: float) -> Tensor:
        logits, saliencies = model(pictures)
        cost = torch.stack([saliency.mean() for saliency in saliencies]).sum()
        return F.cross_entropy(logits, labels) + LASSO * cost

    train("FBS", list(model.parameters()), loss, Schedule(steps=500))
    print(save_weights(model.eval(), "feature_boosting"))
    print(measure_on_digits(model.pruned, feature_boosting.decide, 500))
    for (picture,) in feature_boosting.sample_inputs(6, 0):
        print([len(live) for live in model.pruned(picture)[1]])


if __name__ == "__main__":
    main()
