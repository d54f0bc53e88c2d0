"""Train ACT on reviews: `python -m zoo.training.train_adaptive_computation`."""

import torch.nn.functional as F
from torch import Tensor

from zoo import adaptive_computation
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.phrases import PAD, labelled_phrases, labelled_reviews
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

FIRST_SEED = 1_000_000
"""Of the seeds for training; those of samples and held-out reviews are far below."""
PONDER_COST = 0.01
"""What a step of a position costs, in nats of the loss."""


def draw(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return reviews to train on."""
    return labelled_phrases(count, FIRST_SEED + seed)


def main() -> None:
    """Train with a cost for pondering, store the weights, print accuracy and spread."""
    model = adaptive_computation.build_seeded().train()

    def loss(tokens: Tensor, labels: Tensor, _: float) -> Tensor:
        logits, remainders, n_updates = model(tokens, (tokens != PAD).long())
        ponder = (remainders + n_updates).mean()
        return F.cross_entropy(logits, labels) + PONDER_COST * ponder

    schedule = Schedule(steps=1500, batch_size=48, learning_rate=3e-3)
    train("ACT", list(model.parameters()), loss, schedule, draw)
    print(save_weights(model.eval(), "adaptive_computation"))
    print(measure(model, adaptive_computation.decide, labelled_reviews(500, HELD_OUT_SEED)))


if __name__ == "__main__":
    main()
