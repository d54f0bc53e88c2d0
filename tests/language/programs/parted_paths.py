"""Loops of known turns that leave more paths with every turn, and are rolled for that."""

import dataclasses

import torch
from torch import nn

from tests.language.harness import case


def _rows(*rows):
    return torch.tensor([list(map(float, row)) for row in rows])  # at import


_ROWS = (
    (_rows((3, -1, 0), (2, 2, 1), (-1, 0, 3), (0, 1, -2)),),
    (_rows((-3, -1, 0), (-2, -2, -1), (-1, 0, -3), (0, -1, -2)),),
    (_rows((0, 1, 0), (9, 0, 1), (-9, 9, 0), (1, 2, 3)),),
    (_rows((-1, 4, 2), (1, 1, 1), (0, 0, 0), (5, -5, 5)),),
)


class _Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 3)
        self.cell = nn.GRUCell(3, 3)
        self.out = nn.Linear(3, 4)


@case(inputs=list(_ROWS))
class Transducer(_Tokens):
    """Each of the steps adds as many tokens as the input says: two loops of known turns."""

    def forward(self, x):
        found = [[] for _ in range(1)]
        hidden = self.cell(self.embedding(torch.tensor([0])))
        score = torch.zeros(())
        for step in range(4):
            turns = 0
            while turns <= 4:
                log_probabilities = torch.log_softmax(self.out(x[step].unsqueeze(0) + hidden), -1)
                best, token = log_probabilities.max(1)
                if token[0].item() == 0:
                    break
                found[0].append(token[0].item())
                score = score + best[0]
                hidden = self.cell(self.embedding(token), hidden)
                turns += 1
        return found, score


@case(inputs=list(_ROWS))
class OtherCells(nn.Module):
    """Each step has a cell of its own, which the counter of a rolled loop chooses."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 3)
        self.cells = nn.ModuleList([nn.GRUCell(3, 3) for _ in range(4)])
        self.out = nn.Linear(3, 4)

    def forward(self, x):
        found = []
        hidden = torch.zeros(1, 3)
        for step in range(4):
            turns = 0
            while turns <= 4:
                logits = self.out(x[step].unsqueeze(0) + hidden)
                token = logits.argmax(1)
                if token[0].item() == 0:
                    break
                if token[0].item() == 1:
                    hidden = hidden * 0.5
                found.append(token[0].item())
                hidden = self.cells[step](self.embedding(token), hidden)
                turns += 1
        return found, hidden


@case(inputs=list(_ROWS))
class RankAsLong(_Tokens):
    """As many as were found is the rank of a result: refused where rolled, so it is unrolled."""

    def forward(self, x):
        found = []
        hidden = torch.zeros(1, 3)
        for step in range(3):
            turns = 0
            while turns <= 3:
                token = self.out(x[step].unsqueeze(0) + hidden).argmax(1)
                if token[0].item() == 0:
                    break
                if token[0].item() == 1:
                    hidden = hidden * 0.5
                found.append(token[0].item())
                hidden = self.cell(self.embedding(token), hidden)
                turns += 1
        return x.reshape((1,) * len(found) + (4, 3))


@case(inputs=list(_ROWS))
class OtherRanks(_Tokens):
    """Each step has a tensor of another rank: rolled, that would be refused, so it is unrolled."""

    def forward(self, x):
        found = []
        hidden = torch.zeros(1, 3)
        for step in range(3):
            hidden = torch.tanh(hidden.reshape((1,) * step + (3,)) * step).reshape(1, 3)
            turns = 0
            while turns <= 3:
                logits = self.out(x[step].unsqueeze(0) + hidden)
                token = logits.argmax(1)
                if token[0].item() == 0:
                    break
                if token[0].item() == 1:
                    hidden = hidden * 0.5
                found.append(token[0].item())
                hidden = self.cell(self.embedding(token), hidden)
                turns += 1
        return found, hidden


@dataclasses.dataclass
class Hypothesis:
    score: float
    tokens: list


@case(inputs=[*_ROWS[:2], *_ROWS[3:]])  # the third makes the search look at thousands of them
class Expansions(nn.Module):
    """The best is expanded until enough are better than what is left, for each of the frames."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 3)
        self.out = nn.Linear(3, 4)

    def forward(self, x):
        kept = [Hypothesis(0.0, [0])]
        for frame in range(3):
            left, kept = kept, []
            while True:
                best = max(left, key=lambda one: one.score)
                left.remove(best)
                logits = self.out(x[frame] + self.embedding(torch.tensor(best.tokens[-1])))
                scores = torch.log_softmax(logits, -1)
                kept.append(Hypothesis(best.score + float(scores[0]), best.tokens[:]))
                for score, token in zip(*scores[1:].topk(2)):
                    tokens = best.tokens + [int(token + 1)]
                    left.append(Hypothesis(best.score + float(score), tokens))
                most = max(left, key=lambda one: one.score).score
                good = sorted([one for one in kept if one.score > most], key=lambda one: one.score)
                if len(good) >= 2:
                    kept = good
                    break
        return [(one.score, one.tokens) for one in kept]
