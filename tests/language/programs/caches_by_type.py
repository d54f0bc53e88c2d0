"""Caches whose keys hold an element type, a device or a member of an enumeration: no literals."""

from collections import OrderedDict, defaultdict
from enum import Enum

import torch
from torch import nn

from tests.language.harness import LARGE, NEGATIVE, POSITIVE, case

THREE = [(POSITIVE,), (NEGATIVE,), (LARGE,)]
_TABLES = {}
_PLACES = {}
_ROWS = {}


class _Sign(Enum):
    UP = 1
    DOWN = 2


@case(inputs=THREE)
def by_type_and_device(x):
    """A table of the file, by element type and device; it is filled in inference_mode(False)."""
    key = (x.dtype, x.device)
    if key not in _TABLES:
        with torch.inference_mode(False):
            tables = (torch.eye(3), torch.ones(3))
        _TABLES[key] = tables
    return x @ _TABLES[key][0] + _TABLES[key][1]


@case(inputs=THREE)
def by_size_and_device(x):
    """A size and a device"""
    key = (x.shape[-1], str(x.device), x.device)
    if key not in _PLACES:
        _PLACES[key] = torch.arange(x.shape[-1])
    return x * _PLACES[key]


@case(inputs=THREE)
def by_type_alone(x):
    """What the first call has put there stays."""
    if x.dtype not in _ROWS:
        _ROWS[x.dtype] = x.sum(0)
    return x * _ROWS[x.dtype]


@case(inputs=THREE)
def in_a_default(x, seen={}):  # noqa: B006
    """A dict that is a default, by device"""
    if x.device not in seen:
        seen[x.device] = x.sum()
    return x * seen[x.device]


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE,), (LARGE,)])
class TwoTypes(nn.Module):
    """Two keys, the second on some paths; the first one is taken out."""

    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        y = x if x.sum() > 0 else x.double()
        if x[0, 0] < 0:
            self.cache.pop((torch.float32, 2), None)
        key = (y.dtype, y.shape[0])
        if key not in self.cache:
            self.cache[key] = y.mean() + len(self.cache)
        return self.cache[key] * y, len(self.cache)


@case(inputs=THREE)
class Walked(nn.Module):
    """Counts by element type and text, which are walked."""

    def __init__(self):
        super().__init__()
        self.counts = {}

    def forward(self, x):
        key = (x.dtype, "up" if x.sum() > 0 else "down")
        self.counts[key] = self.counts.get(key, 0) + 1
        total = 0
        for (kind, text), count in self.counts.items():  # known
            if text == "up" and kind is torch.float32:  # known
                total += count
        return x * total


@case(inputs=THREE)
class LastUsed(nn.Module):
    """The one that was used last comes last."""

    def __init__(self):
        super().__init__()
        self.cache = OrderedDict()

    def forward(self, x):
        key = (x.device, _Sign.UP if x.sum() > 0 else _Sign.DOWN)
        if key in self.cache:
            self.cache.move_to_end(key)
        else:
            self.cache[key] = x.sum()
        return x * self.cache[key], list(self.cache.values())


@case(inputs=THREE)
class Nested(nn.Module):
    """A defaultdict by device of dicts by size"""

    def __init__(self):
        super().__init__()
        self.cache = defaultdict(dict)

    def forward(self, x):
        sizes = self.cache[x.device]
        if x.shape[0] not in sizes:
            sizes[x.shape[0]] = x.sum()
        return x * sizes[x.shape[0]]


@case(inputs=THREE, refused="DYCL067")
class NeverFound(nn.Module):
    """A key with NaN in it is another one each time."""

    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        self.cache[float("nan"), x.device] = x.sum()
        return x * len(self.cache)  # <- refused


@case(inputs=THREE, refused="DYCL073")
class NumberAndDevice(nn.Module):
    """A number of run time and a device: such a key exists on the host only, without the device."""

    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        key = (int(x[0, 0] > 0), x.device)
        if key not in self.cache:  # never
            self.cache[key] = x.sum()  # <- refused
        return x * self.cache[key]  # never
