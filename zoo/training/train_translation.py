"""Train the Transformer to put numbers into words: `python -m zoo.training.train_translation`."""

import torch
import torch.nn.functional as F

from zoo import translation
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.number_words import spelled
from zoo.storage import save_weights
from zoo.training.routine import Schedule, minimise

NO_DIGIT = 10


def batch(size: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return numbers [size, 6], padded, and their sentences from <start> to <end>."""
    numbers = translation.drawn(size, seed, held_out=False)
    sentences = []
    for number in numbers:
        words = ["<start>", *spelled(number).split(), "<end>"]
        sentences.append(torch.tensor([translation.VOCABULARY.index(word) for word in words]))
    digits = [translation.digits_of(number)[0] for number in numbers]
    pad = torch.nn.utils.rnn.pad_sequence
    return pad(digits, True, NO_DIGIT), pad(sentences, True, translation.PAD)


def main() -> None:
    """Train, store the weights, print how many held-out numbers are right."""
    model = translation.build_seeded().train()
    schedule = Schedule(steps=1600, batch_size=96, learning_rate=3e-3, weight_decay=0.01)

    def loss_of_step(step: int) -> torch.Tensor:
        digits, sentences = batch(schedule.batch_size, step)
        mask = (digits != NO_DIGIT)[:, None, None]
        logits = model.decode(sentences[:, :-1], model.encode(digits, mask), mask)
        targets = sentences[:, 1:].flatten()
        return F.cross_entropy(logits.flatten(0, 1), targets, ignore_index=translation.PAD)

    minimise("Transformer", list(model.parameters()), loss_of_step, schedule)
    model.eval()
    print(save_weights(model, "translation"))
    labelled = translation.labelled_inputs(400, HELD_OUT_SEED)
    for entry in (model.forward, model.beam_search):
        print(entry.__name__, measure(entry, translation.decide, labelled))


if __name__ == "__main__":
    main()
