"""Programs that come to much: lists whose lengths the input decides exist at run time only."""

import torch
from torch import nn

from tests.language.harness import case, noise

FRAMES = [(noise(2, 4, 6, seed=seed) * 3,) for seed in range(4)]


@case(inputs=FRAMES)
class Transducer(nn.Module):
    """Up to three labels for each frame of each line"""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 6)
        self.predictor = nn.LSTMCell(6, 6)
        self.joint = nn.Sequential(nn.Tanh(), nn.Linear(6, 5))

    def forward(self, frames):
        lines = []
        for line in frames:
            labels, state, last = [], None, torch.zeros(1, 6)
            for frame in line:
                tried = 0
                while tried < 3:
                    ahead = self.predictor(last, state)
                    label = int(self.joint(frame + ahead[0]).argmax())
                    if label == 0:
                        break
                    labels.append(label)
                    state, last = ahead, self.embedding.weight[label][None]
                    tried += 1
            lines.append(labels)
        return lines


@case(inputs=FRAMES)
class Segments(nn.Module):
    """Lists of lists of each row, of which the last one goes on; a record of each"""

    def __init__(self):
        super().__init__()
        self.boundary = nn.Linear(6, 1)
        self.score = nn.Linear(6, 2)

    def forward(self, rows):
        found = {}
        for name, row in zip("ab", rows, strict=True):
            segments = [[]]
            for place, frame in enumerate(row):
                if self.boundary(frame) > 0 and segments[-1]:
                    segments.append([])
                if (scores := self.score(frame)).argmax() == 1:
                    segments[-1].append((place, scores.max().item()))
            found[name] = [(len(s), sum(score for _, score in s)) for s in segments if s]
        return found, max(len(each) for each in found.values())
