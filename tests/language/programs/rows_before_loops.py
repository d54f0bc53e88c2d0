"""Loops that multiply one row in each round by a large matrix: all rows may be multiplied before."""

import torch
from torch import nn

from tests.language.harness import case, noise

LENGTH = torch.export.Dim("length", min=0, max=9)
SHAPES = {"x": {0: LENGTH}}
WORDS = [(noise(count, 1, 512, seed=count),) for count in (3, 1, 2, 0)]


class Recurrent(nn.Module):
    """Cells whose matrices for the input have 1 MiB."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.lstm = nn.LSTMCell(512, 128)
        self.gru = nn.GRUCell(512, 176, bias=False)
        self.relu = nn.RNNCell(512, 512, nonlinearity="relu")
        self.linear = nn.Linear(512, 512)


@case(inputs=WORDS, dynamic_shapes=SHAPES)
class TwoCells(Recurrent):
    """Both read the same row."""

    def forward(self, x):
        h = c = x.new_zeros(1, 128)
        g = x.new_zeros(1, 176)
        for t in range(x.shape[0]):
            h, c = self.lstm(x[t], (h, c))
            g = self.gru(x[t], g)
        return h, c, g


@case(inputs=WORDS, dynamic_shapes=SHAPES)
class RowNeededElsewhere(Recurrent):
    """The row is added to what is made of it."""

    def forward(self, x):
        h = x.new_zeros(1, 512)
        for row in x:
            h = self.relu(row, h) + row
        return h


@case(inputs=WORDS, dynamic_shapes=SHAPES)
class FromTheEnd(Recurrent):
    """Rows come in the other order."""

    def forward(self, x):
        total = x.new_zeros(1, 512)
        for t in range(x.shape[0] - 1, -1, -1):
            total = torch.tanh(self.linear(x[t]) + total)
        return total


@case(inputs=WORDS, dynamic_shapes=SHAPES)
class EndsEarly(Recurrent):
    """A row may be the last that is looked at."""

    def forward(self, x):
        total = x.new_zeros(1, 512)
        for t in range(x.shape[0]):
            total = torch.tanh(self.linear(x[t]) + total)
            if total.sum().item() > 0:
                break
        return total


@case(inputs=WORDS, dynamic_shapes=SHAPES)
class RowsThatChange(Recurrent):
    """The next row depends on this one: nothing can be multiplied before."""

    def forward(self, x):
        x = x.clone()
        total = x.new_zeros(1, 512)
        for t in range(x.shape[0]):
            total = total + self.linear(x[t])
            x = x + total.mean()
        return total


@case(inputs=WORDS, dynamic_shapes=SHAPES)
class SomeRoundsOnly(Recurrent):
    """A row is multiplied where a number says so."""

    def forward(self, x):
        total = x.new_zeros(1, 512)
        for t in range(x.shape[0]):
            if x[t, 0, 0].item() > 0:
                total = total + self.linear(x[t])
        return total
