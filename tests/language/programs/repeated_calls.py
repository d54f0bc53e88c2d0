"""Calls that look the same: inlined while that is cheap, one host function where it is not."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

INPUTS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,), (LARGE,)]


def _level_0(x):
    return x * 2 if x.sum() > 0 else x + 1


def _twice(function):
    def level(x):  # at import
        y = function(x)
        return function(y - 1) if y.mean() > 0.5 else function(y * 3)

    return level  # at import


_LEVELS = [_level_0]
for _ in range(12):
    _LEVELS.append(_twice(_LEVELS[-1]))
_level_12 = _LEVELS[-1]


@case(inputs=INPUTS, host=False)
def twelve_levels_of_calls(x):
    """Each level calls the one below from three places: the work is not three to the power."""
    return _level_12(x)


class _Sorter(nn.Module):
    """Bubble sort with a test for each pair."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.tensor(1.5))

    def forward(self, numbers):
        items = list(numbers)
        for end in range(self.size - 1, 0, -1):
            for i in range(end):
                if items[i] > items[i + 1]:
                    items[i], items[i + 1] = items[i + 1], items[i]
        return torch.stack(items) * self.weight


NUMBERS = [([3.0, 1.0, 2.0, 5.0, 4.0],), ([1.0, 2.0, 3.0, 4.0, 5.0],), ([5.0, 4.0, 3.0, 2.0, 1.0],)]


@case(inputs=[(torch.tensor(numbers[0]),) for numbers in NUMBERS])
class SortedThreeTimes(nn.Module):
    """A submodule with many tests is called again: the first call is inlined, others are not."""

    def __init__(self):
        super().__init__()
        self.sorter = _Sorter(5)

    def forward(self, x):
        first = self.sorter(x)
        second = self.sorter(-x)
        return first, second, self.sorter(first - second)


@case(inputs=[(torch.tensor(numbers[0]),) for numbers in NUMBERS])
class OtherModuleOtherFunction(nn.Module):
    """The same code with other weights is another function."""

    def __init__(self):
        super().__init__()
        self.sorters = nn.ModuleList([_Sorter(5), _Sorter(5)])
        self.sorters[1].weight.data *= 2

    def forward(self, x):
        for _ in range(2):
            for sorter in self.sorters:
                x = sorter(-x)
        return x


def _rank(x, limits):
    rank = 0
    for limit in limits:
        if x.sum() > limit:
            rank = rank + 1
    if x.mean() > 0:
        limits.append(rank)
    return rank


@case(inputs=INPUTS)
def list_changed_by_repeated_calls(x):
    """A call that appends to the caller's list does so every time."""
    limits = [-9, -7, -5, -3, 0, 3, 5, 7, 9]
    first = _rank(x, list(limits))
    second = _rank(x + 1, list(limits))
    mine = list(limits)
    third = _rank(x - 1, mine)
    return first, second, third, len(mine)


class _Counter:
    def __init__(self):
        self.hits = 0


def _count_into(counter, x):
    for limit in range(-8, 9, 2):
        if x.sum() > limit:
            counter.hits += 1
    return x * counter.hits


@case(inputs=INPUTS, slow=True)
def object_changed_by_repeated_calls(x):
    """A call that changes the caller's object does so every time, with its number at run time."""
    counter = _Counter()
    y = _count_into(counter, x)
    z = _count_into(counter, y)
    w = _count_into(counter, z)
    return w, counter.hits


def _stepped(x):
    for limit in range(-8, 9, 2):
        if x.sum() > limit:
            x = x - 0.25
    x = x * 1
    x += 1
    return x


@case(inputs=INPUTS)
def result_of_a_repeated_call_written(x):
    """What repeated calls return are different tensors."""
    first = _stepped(x)
    second = _stepped(x)
    third = _stepped(x)
    second += 1
    third *= 2
    return first, second, third


def _bump(x):
    for limit in range(-8, 9, 2):
        if x.sum() > limit:
            x += 0.5
    return x


@case(inputs=INPUTS)
def arguments_written_by_repeated_calls(x):
    """A function that writes into its argument is inlined every time."""
    y = x * 1
    _bump(y)
    _bump(y)
    _bump(y)
    return y


def _found(x, flag):
    for limit in range(-8, 9, 2):
        if x.sum() > limit and flag:
            x = x * 0.9
    if x.sum() > 6:
        raise ValueError("too large")
    if x.sum() < -6:
        return None
    return x


@case(inputs=INPUTS)
def outcomes_of_repeated_calls(x):
    """Repeated calls that return a tensor, or nothing, or raise; some of them caught."""
    count = 0
    for shift in (0, 1, -1, 2):
        try:
            y = _found(x + shift, True)
        except ValueError:
            count += 100
            continue
        count += 1 if y is None else 10
    return count
