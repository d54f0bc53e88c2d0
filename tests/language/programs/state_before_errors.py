"""What a model keeps, where a call may raise on the way: it is kept as it was then."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

CALLS = [(POSITIVE, 1), (NEGATIVE, 2), (MIXED, 0), (POSITIVE, 4), (MIXED, 0), (NEGATIVE, 1)]


class Scaling(nn.Module):
    """A model with a factor."""

    def __init__(self):
        super().__init__()
        self.scale = 1.0


@case(inputs=CALLS)
class ChangedBack(Scaling):
    """An attribute is changed, something may raise, and it is changed back"""

    def forward(self, x, n):
        before = self.scale
        self.scale = before + 1
        y = 1 / n
        self.scale = before
        return x * y * before


@case(inputs=CALLS)
class ChangedBackBeforeARisk(Scaling):
    """It is changed back before the second statement that may raise"""

    def forward(self, x, n):
        before = self.scale
        self.scale = before + 1
        y = 1 / (n + 1)
        self.scale = before
        return x * y * before / (1 // n)


@case(inputs=CALLS)
class ChangedBackInAList(nn.Module):
    """The same with a list that the model keeps"""

    def __init__(self):
        super().__init__()
        self.seen = [0, 1]

    def forward(self, x, n):
        first = self.seen[0]
        self.seen[0] = n
        y = 1 / n
        self.seen[0] = first
        self.seen[1] += 1
        return x * y * self.seen[0], self.seen[1]


ROWS = torch.tensor([0, 3]), torch.tensor([1, 2]), torch.tensor([4, 1]), torch.tensor([0, 0])
LOOKUPS = [(POSITIVE, rows) for rows in (*ROWS, *ROWS)]


@case(inputs=LOOKUPS, messages=False)
class CountedBeforeALookup(nn.Module):
    """A counter is what it was when a look-up failed"""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.calls = 0
        self.done = 0

    def forward(self, x, rows):
        self.calls += 1
        y = self.table(rows)
        self.done += 1
        return x + y, self.calls, self.done


@case(inputs=LOOKUPS, messages=False)
class TensorKeptBeforeALookup(nn.Module):
    """So is a tensor, computed before the look-up"""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.register_buffer("hidden", torch.zeros(2, 3))

    def forward(self, x, rows):
        self.hidden = self.hidden * 0.5 + x
        y = self.hidden + self.table(rows)
        self.hidden = self.hidden + 1
        return y


@case(inputs=LOOKUPS, messages=False)
class StructureAfterALookup(nn.Module):
    """What is None until a look-up has succeeded stays None"""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.last = None

    def forward(self, x, rows):
        y = self.table(rows) + (x if self.last is None else self.last)
        self.last = y
        return y


class Counting(nn.Module):
    """A model with a counter, and a state of its generator of calls."""

    def __init__(self):
        super().__init__()
        self.open = 0
        self.mode = "ready"


PLACES = [
    (POSITIVE, torch.tensor(0)),
    (NEGATIVE, torch.tensor(1)),
    (MIXED, torch.tensor(70)),
    (POSITIVE, torch.tensor(-70)),
    (MIXED, torch.tensor(1)),
]


@case(inputs=PLACES, messages=False)
class CountedOfATensor(Counting):
    """A number that no call ends with is kept where a look-up raises, too"""

    def forward(self, x, place):
        self.open += 1
        row = x[place]
        self.open -= 1
        return row * 2 + self.open


@case(inputs=PLACES, messages=False)
class BusyAfterAnError(Counting):
    """What an error leaves set is seen by the next call: a text"""

    def forward(self, x, place):
        if self.mode == "busy":
            self.mode = "ready"
            return x * 0
        self.mode = "busy"
        row = x[place]
        self.mode = "ready"
        return row * 2


@case(inputs=PLACES[:2], messages=False)
class AKnownNumberIsNeeded(Counting):
    """Where it must be known, it is not kept then: a note says so"""

    def forward(self, x, place):
        shape = (2, 1 + self.open)
        self.open = 1
        row = x[place]
        self.open = 0
        return x.new_zeros(shape) + row.sum()
