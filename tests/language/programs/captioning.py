"""Decoders of captions: the batch shrinks as captions end, with cells over what is left of it."""

import torch
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

PICTURES = noise(4, 2, 3)
WORDS = torch.arange(16).reshape(4, 4) % 5
THREE = (PICTURES[:3], WORDS[:3])
EXAMPLES = [
    (*THREE, torch.tensor([3, 4, 2])),
    (*THREE, torch.tensor([2, 2, 2])),
    (*THREE, torch.tensor([4, 4, 3])),
    (*THREE, torch.tensor([1, 1, 1])),
    (*THREE, torch.tensor([0, 1, 2])),
]
OF_ANY_SIZE = [
    EXAMPLES[0],
    (PICTURES[:1], WORDS[:1], torch.tensor([2])),
    (PICTURES, WORDS, torch.tensor([4, 4, 3, 1])),
    (PICTURES[:2], WORDS[:2], torch.tensor([1, 1])),
    (PICTURES[:1], WORDS[:1], torch.tensor([0])),
    (PICTURES[:2], WORDS[:2], torch.tensor([2, 4])),
]
ROWS = Dim("rows", max=8)


class _Decoder(nn.Module):
    """Words, the cell that reads them, and what looks at the picture."""

    def __init__(self, cell=nn.LSTMCell, read=7):
        super().__init__()
        self.words = nn.Embedding(5, 4)
        self.cell = cell(read, 3)
        self.attend = nn.Linear(3, 3)
        self.scores = nn.Linear(3, 5)


@case(inputs=EXAMPLES, slow=True)
class Attending(_Decoder):
    """Sorted lengths, attention over the picture, and an LSTM cell over the rows still open."""

    def forward(self, picture, words, lengths):
        lengths, order = lengths.unsqueeze(1).squeeze(1).sort(dim=0, descending=True)
        picture, words = picture[order], self.words(words[order])
        h = c = picture.mean(dim=1)
        decode = lengths.tolist()
        predictions = torch.zeros(picture.size(0), max(decode), 5)
        weights = torch.zeros(picture.size(0), max(decode), picture.size(1))
        for t in range(max(decode)):
            open_rows = sum([length > t for length in decode])
            alpha = (picture[:open_rows] * self.attend(h[:open_rows]).unsqueeze(1)).sum(2)
            alpha = alpha.softmax(1)
            seen = (picture[:open_rows] * alpha.unsqueeze(2)).sum(dim=1)
            h, c = self.cell(
                torch.cat([words[:open_rows, t, :], seen], dim=1), (h[:open_rows], c[:open_rows])
            )
            predictions[:open_rows, t, :] = self.scores(h)
            weights[:open_rows, t, :] = alpha
        return predictions, decode, weights, order


class _Gated(_Decoder):
    """A GRU cell that reads words only."""

    def __init__(self):
        super().__init__(nn.GRUCell, 4)

    def forward(self, picture, words, lengths):
        lengths, order = torch.sort(lengths, descending=True)
        words, h = self.words(words[order]), picture[order].mean(dim=1)
        decode = lengths.tolist()
        outputs = picture.new_zeros(picture.shape[0], max(decode), 5)
        for t in range(max(decode)):
            open_rows = sum(1 if length > t else 0 for length in decode)
            h = self.cell(words[:open_rows, t], h[:open_rows])
            outputs[:open_rows, t] = self.scores(h)
        return outputs, decode


@case(inputs=EXAMPLES, slow=True)
class Gated(_Gated):
    """A GRU cell whose rows and state are cut at one number."""


@case(
    inputs=OF_ANY_SIZE,
    dynamic_shapes={"picture": {0: ROWS}, "words": {0: ROWS}, "lengths": {0: ROWS}},
    slow=True,
)
class GatedOfAnySize(_Gated):
    """The same for a batch of any size."""


@case(inputs=EXAMPLES)
class StepByStep(nn.Module):
    """A plain cell over as many rows of words and state as a number of run time says."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5, 4)
        self.tanh = nn.RNNCell(4, 3)
        self.relu = nn.RNNCell(4, 3, bias=False, nonlinearity="relu")

    def forward(self, picture, words, lengths):
        longest = lengths.max().item() - 1
        state = picture.sum(1)
        first = self.tanh(self.words(words[:longest, 0]), state[:longest])
        return first, self.relu(self.words(words[:longest, 1]), first)


@case(inputs=EXAMPLES, messages=False)
class RowsThatDiffer(_Decoder):
    """Where input and state have another number of rows, the cell raises."""

    def forward(self, picture, words, lengths):
        state = picture.sum(1)
        rows = lengths[lengths > 1]
        read = torch.cat([self.words(words[: rows.shape[0], 0]), state[: rows.shape[0]]], 1)
        return self.cell(read, (state[: lengths[0].item()], state[: lengths[0].item()]))
