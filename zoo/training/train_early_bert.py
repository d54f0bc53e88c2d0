"""Train the early-exit BERTs on reviews: `python -m zoo.training.train_early_bert [NAME ...]`.

Training draws from seeds that no sample or held-out input uses; reviews are drawn from so many
that hardly any comes twice.
"""

import sys

import torch.nn.functional as F
from torch import Tensor

from zoo import deebert, patience
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.phrases import PAD, labelled_phrases, labelled_reviews
from zoo.storage import save_weights
from zoo.training.routine import Schedule, train

FIRST_SEED = 1_000_000
"""Of the seeds for training; those of samples and held-out reviews are far below."""


def draw(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return reviews to train on."""
    return labelled_phrases(count, FIRST_SEED + seed)


def train_pabee() -> None:
    """Train all layers' classifiers together, weighted by their depth, as the paper does."""
    model = patience.build_seeded().train()

    def loss(tokens: Tensor, labels: Tensor, _: float) -> Tensor:
        outputs, _layers = model(tokens, (tokens != PAD).long())
        total, weights = tokens.new_zeros(()).float(), 0
        for index, logits in enumerate(outputs, start=1):
            total = total + index * F.cross_entropy(logits, labels)
            weights += index
        return total / weights

    schedule = Schedule(steps=1600, batch_size=48, learning_rate=3e-3)
    train("PABEE", list(model.parameters()), loss, schedule, draw)
    print(save_weights(model.eval(), "pabee"))
    labelled = labelled_reviews(500, HELD_OUT_SEED)
    for count in range(1, 6):
        model.bert.set_patience(count)
        print(f"patience {count}:", measure(model, patience.decide, labelled))


def train_deebert() -> None:
    """Train the model and its last classifier first, then the highways with the rest frozen."""
    model = deebert.build_seeded().train()

    def last(tokens: Tensor, labels: Tensor, _: float) -> Tensor:
        logits, _highways, _layer = model(tokens, (tokens != PAD).long())
        return F.cross_entropy(logits, labels)

    def highways(tokens: Tensor, labels: Tensor, _: float) -> Tensor:
        _logits, outputs, _layer = model(tokens, (tokens != PAD).long())
        losses = [F.cross_entropy(logits, labels) for logits in outputs]
        return sum(losses[1:], losses[0])

    added = list(model.bert.encoder.highway.parameters())
    base = [p for p in model.parameters() if all(p is not each for each in added)]
    schedule = Schedule(steps=1600, batch_size=48, learning_rate=3e-3)
    train("DeeBERT", base, last, schedule, draw)
    schedule = Schedule(steps=600, batch_size=48, learning_rate=3e-3, seed=1)
    train("DeeBERT's highways", added, highways, schedule, draw)
    print(save_weights(model.eval(), "deebert"))
    labelled = labelled_reviews(500, HELD_OUT_SEED)
    for threshold in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        model.bert.encoder.set_early_exit_entropy(threshold)
        print(f"entropy {threshold}:", measure(model, deebert.decide, labelled))


TRAININGS = {"pabee": train_pabee, "deebert": train_deebert}


def main(names: list[str]) -> None:
    """Train the named models, store the weights, print accuracy and path spread."""
    for name in names or list(TRAININGS):
        TRAININGS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
