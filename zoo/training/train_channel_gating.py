"""Train channel gating on digits: `python -m zoo.training.train_channel_gating`."""

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import channel_gating
from zoo.digits import labelled_pictures
from zoo.measurement import measure_on_digits
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

TARGET = 1.0
"""Where thresholds are drawn to: the higher, the fewer gates are open."""
STRENGTH = 3e-3


def main() -> None:
    """Train with the paper's pull on the thresholds, store the weights, print the accuracy."""
    model = channel_gating.build_seeded().train()
    gated = [m for m in model.modules() if isinstance(m, channel_gating.CGConv2d)]

    def loss(pictures: Tensor, labels: Tensor, _: float) -> Tensor:
        logits, _opened = model(pictures)
        pull = torch.stack([(TARGET - m.threshold).square().sum() for m in gated]).sum()
        return F.cross_entropy(logits, labels) + STRENGTH * pull

    train("CGNet", list(model.parameters()), loss, Schedule(steps=500))
    print(save_weights(model.eval(), "channel_gating"))
    print(measure_on_digits(model, channel_gating.decide, 500))
    pictures, _ = labelled_pictures(200, 7, held_out=False)
    with torch.no_grad():
        opened = torch.stack([model(picture)[1] for picture in pictures.split(1)])
    print(f"open gates: {opened.min():.2f} to {opened.max():.2f}, {opened.mean():.2f} on average")


if __name__ == "__main__":
    main()
