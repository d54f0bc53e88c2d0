"""Train the character RNN on dates in words: `python -m zoo.training.train_char_rnn`."""

import random

import torch
import torch.nn.functional as F

from zoo import char_rnn
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.storage import save_weights
from zoo.training.routine import Schedule, minimise

IGNORED = -100


def batch(size: int, seed: int) -> torch.Tensor:
    """Return dates as characters, [length, size]."""
    generator = random.Random(seed)
    texts = [char_rnn.char_tensor(char_rnn.written(generator)) for _ in range(size)]
    return torch.nn.utils.rnn.pad_sequence(texts, padding_value=IGNORED)


def main() -> None:
    """Train, store the weights, print how many beginnings become dates."""
    model = char_rnn.build_seeded().train()
    schedule = Schedule(steps=500, batch_size=64, learning_rate=5e-3, weight_decay=0.01)

    def loss_of_step(step: int) -> torch.Tensor:
        characters = batch(schedule.batch_size, step)
        encoded = model.encoder(characters[:-1].clamp(min=0))
        output, _ = model.rnn(encoded, model.init_hidden(schedule.batch_size))
        logits = model.decoder(output)
        targets = characters[1:].flatten()
        return F.cross_entropy(logits.flatten(0, 1), targets, ignore_index=IGNORED)

    minimise("character RNN", list(model.parameters()), loss_of_step, schedule)
    model.eval()
    print(save_weights(model, "char_rnn"))
    print(measure(model, char_rnn.decide, char_rnn.labelled_inputs(500, HELD_OUT_SEED)))


if __name__ == "__main__":
    main()
