"""Recurrent layers and pooling over a number of steps known only at run time"""

import torch
from torch import nn
from torch.export import Dim
import torch.nn.functional as F

from tests.language.harness import case


def steps(*lengths):
    generator = torch.Generator().manual_seed(11)  # at import
    return [(torch.randn(2, n, 4, generator=generator),) for n in lengths]  # at import


def with_nan(length, at):
    ((x,),) = steps(length)  # at import
    x[1, at] = float("nan")  # at import
    return (x,)  # at import


TIME = {"x": {1: Dim("time", min=1, max=128)}}


@case(inputs=[*steps(1, 3, 7, 100), with_nan(5, 2)], dynamic_shapes=TIME)
class StackedBothWays(nn.Module):
    """nn.LSTM of two layers in both directions, and a test of what it gives."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x):
        outputs, (hidden, cell) = self.lstm(x)
        if outputs[:, -1].sum() > outputs[:, 0].sum():
            return outputs, hidden
        return outputs * 2, cell


@case(inputs=[*steps(1, 4, 70), with_nan(5, 2)], dynamic_shapes=TIME)
class Gated(nn.Module):
    """nn.GRU without biases, from a state of its own."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 3, bias=False, batch_first=True)
        self.start = nn.Parameter(torch.ones(1, 2, 3) / 2)

    def forward(self, x):
        outputs, hidden = self.gru(x, self.start)
        return outputs[:, -1], hidden, outputs.shape[1]


@case(inputs=[*steps(2, 5, 66), with_nan(3, 0)], dynamic_shapes=TIME, slow=True)
class Plain(nn.Module):
    """nn.RNN with relu and with tanh, time first."""

    def __init__(self):
        super().__init__()
        self.first = nn.RNN(4, 3, nonlinearity="relu")
        self.second = nn.RNN(3, 2, num_layers=2)

    def forward(self, x):
        outputs, _ = self.first(x.transpose(0, 1))
        return self.second(outputs)


@case(inputs=steps(2, 3, 4, 9), dynamic_shapes={"x": {1: Dim("time", min=2, max=32)}})
def pooled(x):
    """F.max_pool1d and adaptive averages over a run-time length."""
    turned = x.transpose(1, 2)
    wide = F.max_pool1d(turned, 3, stride=2, padding=1)
    return wide, F.max_pool1d(turned, 2), F.adaptive_avg_pool1d(turned, 1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.lstm = nn.LSTM(4, 3, batch_first=True)
        self.out = nn.Linear(3, 5)

    def forward(self, tokens, limit):
        outputs, _ = self.lstm(self.embedding(tokens[:, :limit]))
        scores = self.out(outputs)
        best = scores.argmax(-1)
        return [int(n) for n in best[0].tolist()]


@case(
    inputs=[(torch.arange(8).view(1, 8), 3), (torch.arange(8).view(1, 8), 8)]
    + [(torch.ones(1, 8, dtype=torch.int64), 1)],
    slow=True,
)
class CutByNumber(Tagger):
    """An LSTM over as many tokens as a run-time number says."""


def with_states(length, sign):
    generator = torch.Generator().manual_seed(length)  # at import
    states = [sign * torch.ones(4, 2, 3) * 9 for _ in range(2)]  # at import
    return torch.randn(2, length, 4, generator=generator), states  # at import


@case(inputs=[with_states(2, 1), with_states(2, -1)], slow=True)
class StatesInAList(nn.Module):
    """nn.LSTM takes its two states in a list, over a few steps and over many."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x, states):
        few, (hidden, cell) = self.lstm(x, states)
        many, after = self.lstm(few[..., :4].repeat(1, 40, 1), [hidden, cell])
        if few.sum() > 0:
            return few, many[:, -1], after
        return few * 2, many[:, 0], after
