"""Tensors of the model written at positions of run time; the inputs are calls on one instance."""

import torch
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

X = noise(2, 3)
CALLS = [(X, 0), (-X, 1), (X * 2, 4), (X * 3, 2), (-X, 4), (X, 0), (X, 3)]


class _Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(6, 3)


@case(inputs=CALLS)
class Slice(_Cached):
    """A slice is written, and the whole tensor is read, before and after."""

    def forward(self, x, start):
        before = self.cache.sum(0)
        self.cache[start : start + 2] = x
        return before if x.sum() > 0 else before * 2, self.cache * 2


@case(inputs=CALLS)
class UnderATest(_Cached):
    """Only some calls write."""

    def forward(self, x, start):
        if x.sum() > 0:
            self.cache[start : start + 2] += x
        return self.cache.sum(0)


@case(inputs=CALLS)
class BothWays(_Cached):
    """Written at a place that is known, and at one that is not."""

    def forward(self, x, start):
        self.cache[0] = x[1]
        if x.sum() > 0:
            self.cache[start : start + 2] = x
        self.cache[1:3].mul_(2)
        return self.cache[: start + 1].sum(0)


@case(inputs=CALLS)
class Ring(_Cached):
    """The place is counted by the model itself."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x, start):
        self.cache[self.count % 6] = x[0]
        self.count += 1
        return self.cache.mean(0) if x.sum() > 0 else self.cache.sum(0)


@case(inputs=CALLS)
class Buffers(nn.Module):
    """Buffers of layers in a list, in a loop."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        for layer in self.layers:
            layer.register_buffer("seen", torch.zeros(1, 6, 3), persistent=False)

    def forward(self, x, start):
        for layer in self.layers:
            layer.seen[:1, start : start + 2] = layer(x)
            x = layer.seen[:1, : start + 2].mean(1) + x
            x = x * 0.5 if x.sum() > 0 else x
        return x


@case(inputs=CALLS, slow=True)
class InContainers(nn.Module):
    """Tensors in a list and in a dict."""

    def __init__(self):
        super().__init__()
        self.caches = [torch.zeros(6, 3), torch.ones(6, 3)]
        self.named = {"last": torch.zeros(6)}

    def forward(self, x, start):
        self.caches[1][start : start + 2] = x
        self.named["last"][start] = x.sum()
        if x.sum() > 0:
            self.caches[0][start] += self.caches[1].sum(0)
        return self.caches[0] + self.caches[1], self.named["last"] + 0


@case(inputs=CALLS)
class ThroughMethods(_Cached):
    """Written by a method of the part."""

    def forward(self, x, start):
        self.cache.narrow(0, start, 2).copy_(x)
        self.cache[start:].add_(1)
        return self.cache + 0 if x.sum() > 0 else self.cache * 2


@case(inputs=CALLS)
class RowWritten(_Cached):
    """A row at a place of run time is written by a method."""

    def forward(self, x, start):
        self.cache[start : start + 2] = x
        self.cache[start].mul_(2)
        return self.cache + 0 if x.sum() > 0 else self.cache * 2


@case(inputs=CALLS)
class ViewBefore(_Cached):
    """A view that was taken before the write sees it."""

    def forward(self, x, start):
        first = self.cache[1]
        part = self.cache[start : start + 2]
        self.cache[start] = x[0]
        if x.sum() > 0:
            part.mul_(3)
        return first + 1, self.cache * 1


@case(inputs=CALLS)
class TwoNames(_Cached):
    """One tensor under two names."""

    def __init__(self):
        super().__init__()
        self.other = self.cache

    def forward(self, x, start):
        self.cache[start : start + 2] = x
        if x.sum() > 0:
            self.other[start] = 7
        return self.other * 2, self.cache + 1


@case(inputs=CALLS, may_refuse=True)
class PartHeld(_Cached):
    """The model has a part of the tensor, too."""

    def __init__(self):
        super().__init__()
        self.part = self.cache[1:3]

    def forward(self, x, start):
        self.cache[start : start + 2] = x
        return self.part * 2 if x.sum() > 0 else self.part + 1


@case(inputs=CALLS, may_refuse=True)
class PartWritten(_Cached):
    """The model has a part of the tensor, which is written."""

    def __init__(self):
        super().__init__()
        self.part = self.cache[1:5]

    def forward(self, x, start):
        if start < 3:
            self.part[start : start + 1] = x[0]
        return self.cache * 2 if x.sum() > 0 else self.cache + 1


SHARED = torch.zeros(6, 3)


@case(inputs=[(*given, number == 0) for number, given in enumerate(CALLS)])
def of_the_file(x, start, first):
    """A tensor of the file is kept as one of the model."""
    if first:
        SHARED.zero_()
    SHARED[start : start + 2] = x
    return SHARED * 2 if x.sum() > 0 else SHARED + 1


@case(inputs=CALLS)
def made_here(x, start):
    """Tensors that the call makes are no state."""
    made = torch.zeros(6, 3)
    numbers = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    made[start : start + 2] = x
    numbers[start] = 9
    return made * 2 if x.sum() > 0 else made + 1, numbers


@case(inputs=CALLS, slow=True)
class CopyWritten(_Cached):
    """What is written is a copy of the model's tensor."""

    def forward(self, x, start):
        copy = self.cache.clone()
        copy[start : start + 2] = x
        return copy if x.sum() > 0 else copy + self.cache


@case(inputs=CALLS, at_end=True)
class Returned(_Cached):
    """The tensor itself is returned, before a later call writes into it."""

    def forward(self, x, start):
        self.cache[start : start + 2] = x
        return self.cache if x.sum() > 0 else self.cache + 1


@case(inputs=[(X, 0, 3), (-X, 2, 4), (X, 1, 1), (X, 0, 6), (X, 5, 5)])
class InALoop(_Cached):
    """A loop of unknown length writes place after place."""

    def forward(self, x, start, stop):
        while start < stop:
            self.cache[start] = x[0] + self.cache.sum(0)
            start += 1
        return self.cache * 2


@case(inputs=[(X, 0), (X, 5), (X * 2, 1), (-X, 7), (-X, 2)], messages=False)
class TooFar(_Cached):
    """A place that is not there raises; what was written before stays."""

    def forward(self, x, start):
        self.cache[0] += 1
        self.cache[start] = x[0]
        self.cache[start + 1] = x[1]
        return self.cache * 2 if x.sum() > 0 else self.cache + 1


@case(inputs=CALLS)
class Rebound(_Cached):
    """The attribute is bound anew after it was written."""

    def forward(self, x, start):
        self.cache[start : start + 2] = x
        if x.sum() > 0:
            self.cache = self.cache * 2
        return self.cache + 1


@case(inputs=CALLS)
class Fetched(_Cached):
    """Written in a method that gets the tensor as an argument."""

    def put(self, cache, x, start):
        cache[start : start + 2] = x
        return cache[: start + 1]

    def forward(self, x, start):
        found = self.put(self.cache, x, start)
        return found.sum(0) if x.sum() > 0 else self.cache.sum(0)


ROWS = Dim("rows", max=6)
ANY_ROWS = {"rows": {0: ROWS}, "x": {0: ROWS}}


def _some(*places):
    return torch.tensor(places, dtype=torch.int64), noise(len(places), 3, seed=len(places))  # at import


OF_ANY_LENGTH = [_some(0, 1, 2), _some(3), _some(5, 4), _some(*range(6)), _some()]


@case(inputs=OF_ANY_LENGTH, dynamic_shapes=ANY_ROWS)
class RowsOfAnyNumber(_Cached):
    """As many rows as a call brings are written at places that it names, in three ways."""

    def forward(self, rows, x):
        before = self.cache.sum(0)
        self.cache.index_copy_(0, rows, x)
        if before.sum() > 0:
            self.cache[rows] = x * 2
        else:
            self.cache.index_add_(0, rows, x)
        return self.cache * 1


@case(inputs=OF_ANY_LENGTH, dynamic_shapes=ANY_ROWS)
class ScatteredRows(_Cached):
    """Elements are scattered into what is kept, by an index as long as the call's."""

    def forward(self, rows, x):
        self.cache.scatter_(0, rows.view(-1, 1).expand(-1, 3), x)
        return self.cache.sum(0) if x.sum() > 0 else self.cache.mean(0)


@case(inputs=[(X, 0), (X[:1], 4), (-X, -2), (X, 6), (X, 2), (X[:1], 5)], dynamic_shapes={"x": {0: ROWS}})
class Narrowed(_Cached):
    """As many rows as a call brings, from a number on: counted from the end where it is negative."""

    def forward(self, x, start):
        if start + x.shape[0] > 6:
            return x.sum(0)
        self.cache.narrow(0, start, x.shape[0]).copy_(x)
        return self.cache.sum(0)
