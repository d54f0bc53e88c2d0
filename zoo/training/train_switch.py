"""Train the switch transformers on reviews: `python -m zoo.training.train_switch [NAME ...]`."""

import sys

import torch
import torch.nn.functional as F
from torch import Tensor

from zoo import switch_transformer
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.phrases import PAD, labelled_phrases, labelled_reviews
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

FIRST_SEED = 1_000_000
"""Of the seeds for training; those of samples and held-out reviews are far below."""


def draw(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return reviews to train on."""
    return labelled_phrases(count, FIRST_SEED + seed)


def balance(router_probs: Tensor) -> Tensor:
    """Return the paper's auxiliary loss: 1 where all experts get the same, from [..., experts]."""
    probs = router_probs.flatten(0, -2)
    experts = probs.size(1)
    shares = F.one_hot(probs.argmax(dim=1), experts).float().mean(dim=0)
    return experts * (shares * probs.mean(dim=0)).sum()


def main(names: list[str]) -> None:
    """Train the named models, store the weights, print accuracy and spread."""
    for name in names or list(switch_transformer.LAYERS):
        model = switch_transformer.build_seeded(name).train()

        def loss(
            tokens: Tensor,
            labels: Tensor,
            _: float,
            model: switch_transformer.SwitchClassifier = model,
        ) -> Tensor:
            logits, routes = model(tokens, (tokens != PAD).long())
            balances = [balance(torch.softmax(router, dim=-1)) for router, _, _ in routes]
            return F.cross_entropy(logits, labels) + 0.02 * torch.stack(balances).sum()

        schedule = Schedule(steps=1600, batch_size=48, learning_rate=3e-3)
        train(name, list(model.parameters()), loss, schedule, draw)
        print(save_weights(model.eval(), f"switch_{name}"))
        labelled = labelled_reviews(500, HELD_OUT_SEED)
        print(measure(model, switch_transformer.decide, labelled))


if __name__ == "__main__":
    main(sys.argv[1:])
