"""Code in numpy as models have it: suppression of boxes, decoding, anchors."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import case, noise

BOXES = [*((noise(7, 6, seed=seed),) for seed in range(4)), (torch.full((7, 6), -30.0),)]


def suppressed(dets, thresh):
    """Return the boxes that stay: the plain loop of many repositories."""
    x1, y1, x2, y2 = dets[:, 0], dets[:, 1], dets[:, 2], dets[:, 3]
    scores = dets[:, 4]
    areas = (x2 - x1 + 1) * (y2 - y1 + 1)
    order = scores.argsort()[::-1]
    keep = []
    while order.size > 0:
        i = order[0]
        keep.append(i)
        xx1 = np.maximum(x1[i], x1[order[1:]])
        yy1 = np.maximum(y1[i], y1[order[1:]])
        xx2 = np.minimum(x2[i], x2[order[1:]])
        yy2 = np.minimum(y2[i], y2[order[1:]])
        w = np.maximum(0.0, xx2 - xx1 + 1)
        h = np.maximum(0.0, yy2 - yy1 + 1)
        inter = w * h
        ovr = inter / (areas[i] + areas[order[1:]] - inter)
        inds = np.where(ovr <= thresh)[0]
        order = order[inds + 1]
    return keep


class Boxes(nn.Module):
    """Boxes with scores."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(6, 5)

    def boxes(self, x):
        """Return corners and a score for each row."""
        out = self.head(x)
        corner = out[:, :2] * 5
        return torch.cat([corner, corner + out[:, 2:4].abs() * 20, out[:, 4:].sigmoid()], 1)


@case(inputs=BOXES)
class Detector(Boxes):
    """Boxes above a threshold, without those that a better one covers."""

    def forward(self, x):
        dets = self.boxes(x).detach().cpu().numpy()
        inds = np.where(dets[:, 4] > 0.5)[0]
        dets = dets[inds, :]
        keep = suppressed(dets, 0.3)
        return torch.from_numpy(dets[keep, :]) * 2, len(keep)


@case(inputs=BOXES)
class SoftSuppression(Boxes):
    """Scores are lowered in place, and boxes change their places."""

    def forward(self, x):
        dets = self.boxes(x).numpy().copy()
        count = dets.shape[0]
        scores = dets[:, 4]
        for i in range(count):
            best = i + np.argmax(scores[i:])
            dets[[i, best]] = dets[[best, i]]
            xx = np.minimum(dets[i, 2], dets[i + 1 :, 2]) - np.maximum(dets[i, 0], dets[i + 1 :, 0])
            weight = np.ones(xx.shape)
            weight[xx > 3] = weight[xx > 3] - 0.25
            scores[i + 1 :] = weight * scores[i + 1 :]
        return torch.tensor(dets[scores > 0.4])


@case(inputs=[(noise(6, 4, seed=n), n) for n in (3, 1, 6)])
class Tagger(nn.Module):
    """The best path through scores: tables filled row by row, and followed back."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 3)
        self.transitions = nn.Parameter(torch.randn(3, 3))

    def forward(self, x, length):
        score = self.out(x)[:length].detach().numpy()
        trellis = np.zeros_like(score)
        backpointers = np.zeros_like(score, dtype=np.int32)
        trellis[0] = score[0]
        for t in range(1, score.shape[0]):
            v = np.expand_dims(trellis[t - 1], 1) + self.transitions.detach().numpy()
            trellis[t] = score[t] + np.max(v, 0)
            backpointers[t] = np.argmax(v, 0)
        viterbi = [np.argmax(trellis[-1])]
        for bp in reversed(backpointers[1:]):
            viterbi.append(bp[viterbi[-1]])
        viterbi.reverse()
        return [int(tag) for tag in viterbi], np.max(trellis[-1])


@case(inputs=[(noise(1, 3, 2, 2), 2, 3), (noise(1, 3, 2, 2), 1, 1), (noise(1, 3, 2, 2), 0, 2)])
class Anchors(nn.Module):
    """Anchors of a grid whose size is known at run time only, changed in place."""

    def forward(self, x, height, width):
        anchors = np.zeros((6, 4))
        scales, ratios = np.array([1.0, 2.0]), np.array([0.5, 1, 2])
        anchors[:, 2:] = 16 * np.tile(scales, (2, len(ratios))).T
        areas = anchors[:, 2] * anchors[:, 3]
        anchors[:, 2] = np.sqrt(areas / np.repeat(ratios, len(scales)))
        anchors[:, 3] = anchors[:, 2] * np.repeat(ratios, len(scales))
        anchors[:, 0::2] -= np.tile(anchors[:, 2] * 0.5, (2, 1)).T
        shift_x, shift_y = np.meshgrid(np.arange(0, width) * 8, np.arange(0, height) * 8)
        corners = (shift_x.ravel(), shift_y.ravel(), shift_x.ravel(), shift_y.ravel())
        shifts = np.vstack(corners).transpose()
        count = shifts.shape[0]
        moved = anchors.reshape((1, 6, 4)) + shifts.reshape((1, count, 4)).transpose((1, 0, 2))
        moved = moved.reshape((count * 6, 4))
        moved[:, 0] *= 0.5
        return torch.from_numpy(moved).float() + x.sum()


CAPTIONS = torch.tensor([[1, 4, 2, 0, 3], [2, 2, 1, 5, 0], [3, 0, 0, 1, 1]])


@case(inputs=[(CAPTIONS, np.array(lengths)) for lengths in ([3, 5, 2], [2, 2, 2], [5, 3, 4])])
class CaptionDecoder(nn.Module):
    """Captions are sorted by their lengths, an array, which say how far each is decoded."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(6, 4)
        self.cell = nn.LSTMCell(4, 5)
        self.out = nn.Linear(5, 6)

    def forward(self, captions, lengths):
        order = np.argsort(-lengths, kind="stable")
        lengths = lengths[order] - 1
        embedded = self.embed(captions[torch.from_numpy(order)])
        h = c = torch.zeros(3, 5)
        predictions = torch.zeros(3, int(lengths.max()), 6)
        for t in range(int(lengths.max())):
            count = int(np.sum(lengths > t))
            h, c = self.cell(embedded[:, t], (h, c))
            predictions[:count, t] = self.out(h)[:count]
        return predictions, lengths, order
