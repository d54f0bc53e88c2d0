"""What a model keeps from one call to the next; the inputs are calls on one instance, in order."""

import collections

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

CALLS = [(POSITIVE,), (NEGATIVE,), (ZERO,), (POSITIVE,), (MIXED,), (ZERO,), (POSITIVE,)]


@case(inputs=CALLS)
class Smoothed(nn.Module):
    """A state that is None at first and a tensor from then on, under a dynamic test."""

    def __init__(self):
        super().__init__()
        self.state = None
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        if self.state is None:
            self.state = torch.zeros_like(x)
        if x.sum() > 0:
            self.state = 0.5 * self.state + self.linear(x)
        return self.state * 2


@case(inputs=CALLS)
class OnlyWritten(nn.Module):
    """Attributes that the model itself never reads need no value from the call before."""

    def __init__(self):
        super().__init__()
        self.last = None
        self.exits = []

    def forward(self, x):
        self.last = x * 2
        for index in range(3):
            self.seen = index
            if x.sum() > index:
                self.exit_layer = index
                return x + index
        self.exit_layer = -1
        return x


@case(inputs=CALLS)
class ExponentialAverage(nn.Module):
    """Buffers bound anew and written in place, a number of calls as a tensor."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.register_buffer("peak", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        if x.max() > self.peak.max():
            self.peak.copy_(x[0])
        if self.count > 3:
            return x - self.mean, self.peak.sum()
        return x, self.peak.sum()


@case(inputs=CALLS)
class GrowingCache(nn.Module):
    """A list that grows with each call, read by index, length and loop."""

    def __init__(self):
        super().__init__()
        self.cache = []

    def forward(self, x):
        self.cache.append(x * 2)
        total = x
        for item in self.cache:
            total = total + item
        return total, len(self.cache), self.cache[-1]


@case(inputs=CALLS)
class LastTwo(nn.Module):
    """A deque with a length limit."""

    def __init__(self):
        super().__init__()
        self.frames = collections.deque(maxlen=2)

    def forward(self, x):
        self.frames.append(x)
        return torch.stack(list(self.frames)).mean(0)


class Cell(nn.Module):
    """Keeps its own state."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.hidden = None
        self.steps = 0

    def reset(self):
        self.hidden, self.steps = None, 0

    def forward(self, x):
        self.steps += 1
        h = self.linear(x)
        self.hidden = h if self.hidden is None else torch.tanh(h + self.hidden)
        return self.hidden


@case(inputs=CALLS, slow=True)
class ResetByContent(nn.Module):
    """Submodules with states of their own, set back where the input says so."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Cell(), Cell()])

    def forward(self, x):
        if x.sum() < 0:
            for cell in self.cells:
                cell.reset()
        for cell in self.cells:
            x = cell(x)
        return x, self.cells[0].steps


@case(inputs=CALLS)
class RaisesAfterCounting(nn.Module):
    """A call that raises has changed the state up to there."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if x.sum() < 0:
            raise ValueError("negative")
        n = int(x.sum().item() * 2)
        self.calls += 10
        ratio = 1 / n
        self.calls += 100
        return self.calls, ratio


@case(inputs=CALLS)
class Modes(nn.Module):
    """Strings, flags and tuples that change from call to call."""

    def __init__(self):
        super().__init__()
        self.mode, self.warm, self.span = "start", False, (0, 0.0)

    def forward(self, x):
        before = self.mode, self.warm, self.span
        if self.mode == "start":
            self.mode = "run"
        elif x.sum() < 0:
            self.mode = "stop"
        self.warm = not self.warm
        self.span = (self.span[0] + 1, x.max().item())
        return before, x


@case(inputs=CALLS)
class TwoNames(nn.Module):
    """Two attributes hold one tensor; one of them is bound anew."""

    def __init__(self):
        super().__init__()
        self.fast = self.slow = torch.zeros(2, 3)

    def forward(self, x):
        self.fast = self.fast + x
        if self.fast.sum() > 3:
            self.slow = self.fast
        return self.slow - self.fast


@case(inputs=CALLS, at_end=True)
class WrittenAfterReturn(nn.Module):
    """The caller holds the tensor that the next call writes into."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x):
        self.total += x
        return self.total


@case(inputs=CALLS, refused="DYCL034")
class WrittenArgumentKept(nn.Module):
    """The state is the argument of the call before: writing into it changes the caller's."""

    def __init__(self):
        super().__init__()
        self.previous = torch.zeros(2, 3)

    def forward(self, x):
        self.previous += 1  # <- refused
        result = self.previous * 2
        self.previous = x
        return result


@case(inputs=CALLS)
class GrowingTensor(nn.Module):
    """A tensor that is longer after each call."""

    def __init__(self):
        super().__init__()
        self.keys = torch.zeros(1, 3)

    def forward(self, x):
        self.keys = torch.cat([self.keys, x])
        return (x @ self.keys.t()).sum()


@case(inputs=CALLS)
class InTheLayersOfTheModel(nn.Module):
    """A weight of a library layer is written: the layer uses the new one."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        with torch.no_grad():
            self.norm.bias.add_(x.mean())
        return self.norm(x)


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 0), (POSITIVE, 1)], refused="DYCL067")
class ListsInAListThatGrows(nn.Module):
    """Lists of a number and a text, in a list that is kept and grows"""

    def __init__(self):
        super().__init__()
        self.rows = []

    def forward(self, x, n: int):
        row = [n, "a", x.sum().item()]
        self.rows.append(row)
        return [each[0] for each in self.rows], x + len(self.rows)
