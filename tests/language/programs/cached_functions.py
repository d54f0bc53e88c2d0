"""Functions that run in the first call only: ``functools.lru_cache`` and ``cached_property``."""

import functools

import torch
from torch import nn

from tests.language.harness import case, noise

SERIES = [(noise(2, 3),), (-noise(2, 3),), (noise(2, 3) * 2,), (noise(2, 3, seed=1),)]


@case(inputs=SERIES, rounds=True)
class PureMethod(nn.Module):
    """A cached method that only computes from its arguments, with a list of its own."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        steps = []
        for i in range(n + 1):
            steps.append(i * 0.5)
        return sum(steps) + n

    def forward(self, x):
        return x * self.scale(int(x.abs().sum()) % 3) if x.sum() > 0 else x


class _Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls, self.factors = 0, [1.0]
        self.register_buffer("total", torch.zeros(3))


@case(inputs=SERIES, refused="DYCL034")
class CountsItsRuns(_Counting):
    """A cached method stores something: in its first call only."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        self.calls += 1
        return n * 2.0

    def forward(self, x):
        return x * self.scale(2) + self.calls  # <- refused


@case(inputs=SERIES, refused="DYCL034")
class ReadsWhatChanges(_Counting):
    """A cached method reads an attribute that later calls find changed."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        return n * 2.0 + self.calls

    def forward(self, x):
        y = x * self.scale(2)  # <- refused
        self.calls += 1
        return y


@case(inputs=SERIES, refused="DYCL034")
class ReadsAChangedBuffer(_Counting):
    """A cached method reads a buffer that is written in place."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        return self.total.sum() + n

    def forward(self, x):
        y = x * self.scale(2)  # <- refused
        self.total += 1
        return y


@case(inputs=SERIES, refused="DYCL034")
class ReadsAGrowingList(_Counting):
    """A cached method reads a list of the model's that grows."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        return sum(self.factors) + n

    def forward(self, x):
        y = x * self.scale(2)  # <- refused
        self.factors.append(2.0)
        return y


@functools.lru_cache(maxsize=None)
def _total(numbers):
    return sum(numbers)


@case(inputs=SERIES)
def unhashable(x):
    """The arguments of a cached function are keys: a list is none."""
    return x * _total((1, 2)) if x.sum() > 0 else x * _total([1, 2])


@case(inputs=SERIES, rounds=True)
class Properties(nn.Module):
    """Cached properties of lists, dicts, layers and tensors that are read."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    @functools.cached_property
    def backwards(self):
        return list(reversed(self.layers))

    @functools.cached_property
    def table(self):
        return {"names": ["a", "bc"], "ones": torch.ones(3)}

    def forward(self, x):
        for layer, name in zip(self.backwards, self.table["names"]):
            x = layer(x) if x.sum() > 0 else x * len(name)
        return x * self.table["ones"]


@case(inputs=SERIES, refused="DYCL034")
class PropertyThatCounts(_Counting):
    """A cached property stores something: when it is first read."""

    @functools.cached_property
    def scale(self):
        self.calls += 1
        return 3.0

    def forward(self, x):
        return x * self.scale + self.calls  # <- refused


@case(inputs=SERIES, refused="DYCL034")
class PropertyOfWhatChanges(_Counting):
    """A cached property reads an attribute that the call has changed."""

    @functools.cached_property
    def scale(self):
        return self.calls + 1

    def forward(self, x):
        self.calls += 1
        return x * self.scale  # <- refused


@case(inputs=SERIES, refused="DYCL034")
class PropertyThatGrows(nn.Module):
    """A list within what a cached property gives is changed, for later calls, too."""

    @functools.cached_property
    def table(self):
        return {"steps": [1]}

    def forward(self, x):
        if x.sum() > 0:
            self.table["steps"].append(1)  # <- refused
        return x * len(self.table["steps"])
