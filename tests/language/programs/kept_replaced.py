"""Attributes whose value calls change, and replace; the inputs are calls on one instance."""

from dataclasses import dataclass

import torch
from torch import nn

from tests.language.harness import case


def _row(*numbers):
    return (torch.tensor(numbers, dtype=torch.float32),)  # at import


CALLS = [_row(1, 2), _row(3, 2), _row(1, 5), _row(-2, -2), _row(3, 1), _row(0, 1)]
HALF = torch.ones(2)


@dataclass
class Track:
    age: int
    box: torch.Tensor


@case(inputs=CALLS)
class TracksThatEnd(nn.Module):
    """A list gets an object, and is replaced by those that are young."""

    def __init__(self):
        super().__init__()
        self.tracks = []

    def forward(self, x):
        for track in self.tracks:
            track.age += 1
        self.tracks.append(Track(0, x * 1))
        self.tracks = [t for t in self.tracks if t.age < 3]
        return [t.age for t in self.tracks], sum(t.box for t in self.tracks)


@case(inputs=CALLS)
class BestFew(nn.Module):
    """A list gets an object, and is replaced by the first of its order."""

    def __init__(self):
        super().__init__()
        self.found = []

    def forward(self, x):
        self.found.append(Track(int(x[0]), x * 2))
        self.found = sorted(self.found, key=lambda t: -t.age)[:2]
        return [t.age for t in self.found]


@case(inputs=CALLS)
class KeysThatEnd(nn.Module):
    """A dict likewise."""

    def __init__(self):
        super().__init__()
        self.rows = {}

    def forward(self, x):
        self.rows[int(x[0])] = x * 1
        self.rows = {k: v for k, v in self.rows.items() if k < 3}
        return [v * k for k, v in self.rows.items()]


@case(inputs=CALLS)
class HeldTwice(nn.Module):
    """What was replaced is still held by another attribute."""

    def __init__(self):
        super().__init__()
        self.kept = []
        self.every = {"kept": self.kept}

    def forward(self, x):
        self.kept.append(float(x[0]))
        if x.sum() > 4:
            self.kept = self.kept[1:]
        return len(self.every["kept"]), len(self.kept)


@case(inputs=CALLS, factory=True)
def held_around_it():
    """What was replaced is still held by a variable of the function around it."""
    log = []

    class Logging(nn.Module):
        def __init__(self):
            super().__init__()
            self.log = log

        def forward(self, x):
            self.log.append(float(x[0]))
            if x.sum() > 4:
                self.log = self.log[1:]
            return len(log), len(self.log)

    return Logging()


@case(inputs=CALLS)
class Decaying(nn.Module):
    """A buffer is written in place, and replaced every third call."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(2))
        self.count = 0

    def forward(self, x):
        self.count += 1
        self.state.mul_(0.5).add_(x)
        y = self.state * 2
        if self.count % 3 == 0:
            self.state = torch.zeros(2)
        return y


@case(inputs=CALLS)
class FullCache(nn.Module):
    """A cache is written row by row, and moved when it is full."""

    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(4, 2)
        self.length = 0

    def forward(self, x):
        if self.length == self.cache.shape[0]:
            self.cache = torch.cat([self.cache[2:], torch.zeros(2, 2)])
            self.length = 2
        self.cache[self.length] = x
        self.length += 1
        return self.cache[: self.length].sum(0)


@case(inputs=CALLS, refused="DYCL034")
class GivenOnSomePaths(nn.Module):
    """What a path gives its caller is kept there: the next call would change the result."""

    def __init__(self):
        super().__init__()
        self.state = torch.zeros(2)

    def forward(self, x):
        self.state.add_(x)  # <- refused
        y = self.state
        if x.sum() > 4:
            self.state = torch.zeros(2)
        return y


@case(inputs=CALLS, refused="DYCL034")
class MadeInTheFirstCall(nn.Module):
    """Likewise where the first call makes the tensor."""

    def __init__(self):
        super().__init__()
        self.state = None

    def forward(self, x):
        if self.state is None:
            self.state = x * 1
        else:
            self.state.add_(x)  # <- refused
        y = self.state
        if x.sum() > 4:
            self.state = torch.zeros(2)
        return y


@case(inputs=CALLS, refused="DYCL034")
class KeptTwiceOnSomePaths(nn.Module):
    """Two attributes hold one tensor after some calls."""

    def __init__(self):
        super().__init__()
        self.state, self.last = torch.zeros(2), torch.zeros(2)

    def forward(self, x):
        self.state = self.state + x
        y = self.last * 1
        if x.sum() > 4:
            self.last = self.state
        self.state.add_(1)  # <- refused
        return y


@case(inputs=CALLS, refused="DYCL034")
class PartOfAnother(nn.Module):
    """Another attribute has a part of the memory that is written."""

    def __init__(self):
        super().__init__()
        self.state = torch.zeros(3)
        self.head = self.state[:2]

    def forward(self, x):
        self.state.add_(x.sum())  # <- refused
        if x.sum() > 4:
            self.state = torch.zeros(3)
        return self.head * 1


@case(inputs=CALLS, refused="DYCL034")
class PartOfItsFile(nn.Module):
    """A variable of the file has the memory of a tensor that is written."""

    def __init__(self):
        super().__init__()
        HALF.fill_(1)
        self.state = HALF[:1]

    def forward(self, x):
        self.state.add_(x.sum())  # <- refused
        return HALF * 1
