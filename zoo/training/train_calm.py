"""Train the confident decoder to repeat and to sort: `python -m zoo.training.train_calm`."""

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import calm
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

FIRST_SEED = 1_000_000
"""Of the seeds for training; those of samples and held-out prompts are far below."""


def draw(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return prompts with what follows, and what follows alone."""
    prompts, written = calm.labelled_sequences(count, FIRST_SEED + seed)
    return torch.cat([prompts, written], dim=1), written


def main() -> None:
    """Train all layers on what follows, the deeper the more; store the weights, print the match."""
    model = calm.build_seeded().train()

    def loss(tokens: Tensor, written: Tensor, _: float) -> Tensor:
        outputs = model.train_forward(tokens[:, :-1])
        total, weights = torch.zeros(()), 0
        for index, logits in enumerate(outputs, start=1):
            following = logits[:, -written.size(1) :].flatten(0, 1)
            total = total + index * F.cross_entropy(following, written.flatten())
            weights += index
        return total / weights

    schedule = Schedule(steps=2000, batch_size=32, learning_rate=3e-3)
    train("CALM", list(model.parameters()), loss, schedule, draw)
    print(save_weights(model.eval(), "calm"))
    labelled = calm.labelled_inputs(500, HELD_OUT_SEED)
    for confidence in (0.5, 0.8, 0.9, 0.95, 1.0):
        model.confidence = confidence
        layers = [depth for inputs, _ in labelled[:100] for depth in model(*inputs)[1]]
        print(
            f"confidence {confidence}: {sum(layers) / len(layers):.2f} layers a word,",
            measure(model, calm.decide, labelled),
        )


if __name__ == "__main__":
    main()
