"""Train the captioner: `python -m zoo.training.train_picture_captioner`."""

import torch
import torch.nn.functional as F

from zoo import picture_captioner
from zoo.captioner import END, START
from zoo.measurement import HELD_OUT_SEED, measure
from zoo.picture_captioner import VOCABULARY, captioned_pictures
from zoo.storage import save_weights
from zoo.training.routine import Schedule, minimise

IGNORED = -100


def words_of(captions: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what the decoder reads and what it should write, [captions, words]."""
    rows = [[VOCABULARY.index(word) for word in caption.split()] for caption in captions]
    pad = torch.nn.utils.rnn.pad_sequence
    read = pad([torch.tensor([START, *row]) for row in rows], True, END)
    return read, pad([torch.tensor([*row, END]) for row in rows], True, IGNORED)


def main() -> None:
    """Train, store the weights, print how many held-out captions are right."""
    model = picture_captioner.build_seeded().train()
    schedule = Schedule(steps=1300, batch_size=32, learning_rate=4e-3)

    def loss_of_step(step: int) -> torch.Tensor:
        pictures, captions = captioned_pictures(schedule.batch_size, step, held_out=False)
        read, written = words_of(captions)
        features = model.encoder(pictures)
        h, c = model.decoder.init_hidden(features)
        scores = []
        for position in range(read.size(1)):
            score, h, c, _ = model.decoder.step(read[:, position], features, h, c)
            scores.append(score)
        return F.nll_loss(torch.stack(scores, dim=2), written, ignore_index=IGNORED)

    minimise("captioner", list(model.parameters()), loss_of_step, schedule)
    model.eval()
    print(save_weights(model, "picture_captioner"))
    labelled = picture_captioner.labelled_inputs(400, HELD_OUT_SEED)
    for entry in (model.forward, model.beam_search):
        print(entry.__name__, measure(entry, picture_captioner.decide, labelled))


if __name__ == "__main__":
    main()
