"""Weights and buffers whose content decides what is done: spans, counts, switches."""

import math

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class _Asking(nn.Module):
    def __init__(self):
        super().__init__()
        self.span = nn.Parameter(torch.tensor([0.3, 0.7]))
        self.register_buffer("count", torch.tensor(2))

    def width(self):
        return self.span.max().item()


class _Float(_Asking):
    def forward(self, x):
        return x * float(self.span[1]) + self.width()


class _Compare(_Asking):
    def forward(self, x):
        return x + 1 if self.count > 1 and self.span.sum() < 2 else x - 1  # known


class _Count(_Asking):
    def forward(self, x):
        for number in range(self.count):
            x = x * 2 + number
        return x[:, : min(self.count, 3)]


class _Bound(_Asking):
    def forward(self, x):
        return x[:, : self.count] + x[0, : math.ceil(self.span.max())]


class _Place(_Asking):
    def forward(self, x, start=torch.tensor(1)):
        x = x.clone()
        x[start, self.count] += 1
        x[0][self.count] = x[self.count - 1, start]
        x[start] = x[0, start]
        return x


class _Trimmed(_Asking):
    def forward(self, x):
        kept = max(0, min(3, math.ceil(self.width() * 3) + 1))
        left = 3 - kept
        if left > 0:  # known
            return x[:, left:]  # never
        return x * self.span.tolist()[0]


@case(inputs=ROWS)
class AskingLayers(nn.Module):
    """Layers that read numbers from their weights are evaluated, not called, in the program."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 3)
        layers = [_Place(), _Float(), _Compare(), _Trimmed(), _Count(), _Bound()]
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        x = self.project(x)
        for layer in self.layers:
            x = layer(x)
        return x * 2 if x.sum() > 25 else x - 1


@case(inputs=ROWS)
class EndOfARange(nn.Module):
    """The end of a range is a weight that is no integer, which raises."""

    def __init__(self):
        super().__init__()
        self.count = nn.Parameter(torch.tensor(2.5))

    def forward(self, x):
        if x.sum() > 0:
            for number in range(self.count):
                x = x + number  # never: raises
        return x
