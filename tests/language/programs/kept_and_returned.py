"""Tensors that the model keeps, writes in place and gives back: earlier results see the writes."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SERIES = [(POSITIVE,), (NEGATIVE,), (POSITIVE,), (MIXED,), (NEGATIVE,)]


class _Buffered(nn.Module):
    """Has a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("hidden", torch.zeros(2, 3))


@case(inputs=SERIES, at_end=True)
class OnOnePath(_Buffered):
    """A buffer that is written in place on one path is given back on both."""

    def forward(self, x):
        if x.sum() > 0:
            self.hidden.add_(x)
        return self.hidden


@case(inputs=SERIES, at_end=True)
class ByAssignment(_Buffered):
    """By an augmented assignment, with copies beside."""

    def forward(self, x):
        self.hidden *= 0.5
        self.hidden += x
        before = self.hidden.clone()
        self.hidden -= 1
        return (self.hidden, before) if x.sum() > 0 else (self.hidden * 2, before + 0)


@case(inputs=SERIES, at_end=True)
class ResultOfMethod(_Buffered):
    """What the method in place gives is the buffer."""

    def forward(self, x):
        y = self.hidden.mul_(0.9).add_(x, alpha=0.1)
        return y if x.sum() > 0 else self.hidden


@case(inputs=SERIES, at_end=True)
class MadeByFirstCall(nn.Module):
    """What the first call makes is written by later ones."""

    def __init__(self):
        super().__init__()
        self.total = None

    def forward(self, x):
        if self.total is None:
            self.total = x.clone()
        else:
            self.total.add_(x)
        return self.total if self.total.sum() > 0 else -x


@case(inputs=SERIES, at_end=True)
class InContainers(_Buffered):
    """In a dict, a list and a tuple of the result; twice in one of them."""

    def forward(self, x):
        self.hidden[0] = x[0]
        y = x * 2 if x.sum() > 0 else x
        return {"y": y, "all": [self.hidden, [self.hidden, y]], "pair": (self.hidden, 1)}


@case(inputs=SERIES, at_end=True)
class Ring(nn.Module):
    """A queue with a place, as in contrastive learning: both are buffers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("queue", torch.zeros(4, 3))
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))

    def forward(self, x):
        place = int(self.place)
        self.queue[place : place + 2] = x
        self.place[0] = (place + 2) % 4
        return self.queue, self.place


@case(inputs=SERIES, at_end=True)
class InLoops(_Buffered):
    """In loops of run time, and after them."""

    def forward(self, x):
        for _ in range(int(x.abs().sum()) // 4):
            self.hidden.add_(x)
        halves = 0
        while self.hidden.abs().sum() > 20:
            self.hidden.mul_(0.5)
            halves += 1
        return self.hidden, halves


@case(inputs=SERIES, at_end=True)
class ReplacedAndWritten(_Buffered):
    """Another tensor is put there, and written: earlier results are not."""

    def forward(self, x):
        self.hidden = self.hidden * 1
        y = self.hidden
        self.hidden.add_(x)
        return y if x.sum() > 0 else -y


@case(inputs=SERIES, at_end=True)
class WrittenThenReplaced(_Buffered):
    """What is given back is written, and no longer what the model keeps."""

    def forward(self, x):
        self.hidden.add_(x)
        given = self.hidden
        self.hidden = given[:1].expand(2, 3).clone()
        return given if x.sum() > 0 else self.hidden


@case(inputs=SERIES, at_end=True)
class BesideCaughtErrors(_Buffered):
    """Given back after an error that is caught."""

    def forward(self, x):
        self.hidden.add_(x)
        try:
            return [1, 2][int(self.hidden.sum())], self.hidden
        except IndexError:
            return 0, self.hidden


@case(inputs=SERIES, at_end=True)
class WithNumbers(_Buffered):
    """Beside a number that is kept, in results of other structures."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.hidden.add_(x)
        self.calls += 1
        print("call", self.calls)
        return {"h": self.hidden, "n": self.calls} if self.calls > 1 else [self.hidden]


@case(inputs=SERIES, at_end=True)
class LeftByErrors(_Buffered):
    """An error leaves the buffer written."""

    def forward(self, x):
        self.hidden.add_(x)
        if self.hidden.sum() > 10:
            raise ValueError("full")
        return self.hidden


@case(inputs=SERIES, refused="DYCL034")
class OfTheCaller(nn.Module):
    """What is kept is an argument of an earlier call, which would be written: refused."""

    def __init__(self):
        super().__init__()
        self.total = None

    def forward(self, x):
        if self.total is None:
            self.total = x
        else:
            self.total += x  # <- refused
        return self.total if x.sum() > 0 else x


class _Held:
    """Holds a tensor."""

    def __init__(self, content):
        self.content = content


@case(inputs=SERIES, refused="DYCL034")
class InObject(_Buffered):
    """In an object that is given back: refused."""

    def forward(self, x):
        self.hidden.add_(x)  # <- refused
        return _Held(self.hidden) if x.sum() > 0 else _Held(x)


@case(inputs=SERIES, refused="DYCL034")
class PartOfIt(_Buffered):
    """A part of it is given back: refused."""

    def forward(self, x):
        self.hidden.add_(x)  # <- refused
        return self.hidden[0] if x.sum() > 0 else self.hidden


@case(inputs=SERIES, refused="DYCL034")
class ReplacedOnSomePaths(_Buffered):
    """What is given back is the buffer on one path, and a copy on the other: refused."""

    def forward(self, x):
        self.hidden.add_(x)  # <- refused
        if x.sum() < 0:
            self.hidden = self.hidden.clone()
        return self.hidden


@case(inputs=SERIES, refused="DYCL034")
class OneOfSeveral(nn.Module):
    """One of the tensors in a list that is kept: refused."""

    def __init__(self):
        super().__init__()
        self.sums = [torch.zeros(2, 3), torch.zeros(2, 3)]

    def forward(self, x):
        which = self.sums[0 if x.sum() > 0 else 1]
        which.add_(x)  # <- refused
        return which


@case(inputs=SERIES, refused="DYCL034")
class HandedOn(nn.Module):
    """Two attributes change places: refused."""

    def __init__(self):
        super().__init__()
        self.fast, self.slow = torch.zeros(2, 3), torch.ones(2, 3)

    def forward(self, x):
        self.fast.add_(x)  # <- refused
        self.fast, self.slow = self.slow, self.fast
        return self.fast if x.sum() > 0 else self.slow


@case(inputs=[(x, []) for (x,) in SERIES], refused="DYCL034")
class InListOfTheCaller(_Buffered):
    """Put into a list of the caller's, which would see the next write: refused."""

    def forward(self, x, seen):
        self.hidden.add_(x)  # <- refused
        seen.append(self.hidden)
        return len(seen) if x.sum() > 0 else 0


@case(inputs=[(x, []) for (x,) in SERIES])
class ReplacedInListOfTheCaller(_Buffered):
    """Likewise where each call makes another tensor: nothing is written."""

    def forward(self, x, seen):
        self.hidden = self.hidden + x
        seen.append(self.hidden)
        return len(seen) if x.sum() > 0 else 0
