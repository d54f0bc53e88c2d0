"""Train the small GPT to add: `python -m zoo.training.train_gpt`."""

import torch
import torch.nn.functional as F

from zoo import gpt
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.storage import save_weights
from zoo.training.routine import Schedule, minimise

IGNORED = -100


def batch(size: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sums as tokens, and after each token of the result what follows it."""
    rows, targets = [], []
    for a, b in gpt.drawn(size, seed, held_out=False):
        asked, answer = gpt.written(a, b)
        tokens = gpt.encode(asked + answer)[0]
        target = tokens[1:].clone()
        target[: len(asked) - 1] = IGNORED
        rows.append(tokens[:-1])
        targets.append(target)
    pad = torch.nn.utils.rnn.pad_sequence
    return pad(rows, True), pad(targets, True, IGNORED)


def main() -> None:
    """Train, store the weights, print how many sums are right."""
    model = gpt.build_seeded().train()
    schedule = Schedule(steps=1600, batch_size=128, learning_rate=3e-3, weight_decay=0.3)

    def loss_of_step(step: int) -> torch.Tensor:
        tokens, targets = batch(schedule.batch_size, step)
        logits, _ = model(tokens)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)

    minimise("GPT that adds", list(model.parameters()), loss_of_step, schedule)
    model.eval()
    print(save_weights(model, "gpt_adder"))
    print(measure(model.generate, gpt.decide, gpt.labelled_inputs(500, HELD_OUT_SEED)))


if __name__ == "__main__":
    main()
