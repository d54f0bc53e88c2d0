"""Train both attention models on Roman numerals: `python -m zoo.training.train_seq2seq`."""

import torch
import torch.nn.functional as F

from zoo import seq2seq_attention
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.seq2seq_attention import DIGITS, ROMAN, EOS_token, SOS_token, roman
from zoo.storage import save_weights
from zoo.training.routine import Schedule, minimise

IGNORED = -100


def batches(size: int, seed: int) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Return numbers of equal length, and what the decoder reads and writes for them."""
    numbers = seq2seq_attention.drawn(size, seed, held_out=False)
    by_length: dict[int, list[int]] = {}
    for number in numbers:
        by_length.setdefault(len(str(number)), []).append(number)
    pad = torch.nn.utils.rnn.pad_sequence
    found = []
    for same in by_length.values():
        written = [ROMAN.tensor(roman(number))[0] for number in same]
        read = [torch.cat([torch.tensor([SOS_token]), each[:-1]]) for each in written]
        digits = torch.cat([DIGITS.tensor(str(number)) for number in same])
        found.append((digits, pad(read, True, EOS_token), pad(written, True, IGNORED)))
    return found


def train(attention: str, name: str) -> None:
    """Train one of the two, store the weights, print how many held-out numbers are right."""
    model = seq2seq_attention.build_seeded(attention).train()
    schedule = Schedule(steps=900, batch_size=96, learning_rate=5e-3, weight_decay=0.01)

    def loss_of_step(step: int) -> torch.Tensor:
        losses, count = torch.zeros(()), 0
        for digits, read, written in batches(schedule.batch_size, step):
            encoder_outputs, hidden = model.encoder(digits)
            for position in range(read.size(1)):
                logits, hidden, _ = model.decoder(
                    read[:, position : position + 1], hidden, encoder_outputs
                )
                losses = losses + F.cross_entropy(
                    logits[:, 0], written[:, position], ignore_index=IGNORED, reduction="sum"
                )
            count += int((written != IGNORED).sum())
        return losses / count

    minimise(name, list(model.parameters()), loss_of_step, schedule)
    model.eval()
    print(save_weights(model, name))
    labelled = seq2seq_attention.labelled_inputs(500, HELD_OUT_SEED)
    print(measure(model, seq2seq_attention.decide, labelled))


def main() -> None:
    """Train the one with Bahdanau's attention, then the one with Luong's."""
    train("bahdanau", "seq2seq_bahdanau")
    train("general", "seq2seq_luong")


if __name__ == "__main__":
    main()
