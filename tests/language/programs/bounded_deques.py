"""Deques with a bound: windows of frames that are known, made in the call or kept between calls."""

import copy
from collections import deque

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,), (ZERO,), (MIXED,)]
CALLS = [(POSITIVE,), (NEGATIVE,), (ZERO,), (POSITIVE,), (MIXED,), (ZERO,), (POSITIVE,)]


class Window(nn.Module):
    """Convolves the last frames, as many as there are."""

    def __init__(self, most=3):
        super().__init__()
        self.frames = deque(maxlen=most)
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        self.frames.append(self.linear(x))
        stacked = torch.stack(list(self.frames))
        if len(self.frames) == self.frames.maxlen and stacked.sum() > 0:
            return stacked.mean(0), True
        return stacked[-1], False


@case(inputs=CALLS)
class KeptWindow(Window):
    """The deque fills up in the first calls; from then on the oldest frame goes."""


@case(inputs=CALLS, slow=True)
class LongerThanOtherStates(Window):
    """As many phases as the bound says, more than other states may have."""

    def __init__(self):
        super().__init__(6)


@case(inputs=[(torch.full((2,), each),) for each in (1.0, 2.0, 30.0, 4.0, 5.0, -6.0, -7.0)])
class BesideWhatMayBeMissing(nn.Module):
    """The last tensor is there or not, with each length of a window"""

    def __init__(self):
        super().__init__()
        self.window = deque(maxlen=3)
        self.last = None

    def forward(self, x):
        if self.last is not None and (x - self.last).abs().max() > 8:
            self.last = None
            return x, len(self.window)
        self.last = x if self.last is None else self.last * 0.5 + x
        self.window.append(x.sum().item())
        return self.last, sum(self.window) / len(self.window)


@case(inputs=[*CALLS, (POSITIVE,), (POSITIVE,), (ZERO,)])
class NumbersOfTheLastCalls(nn.Module):
    """A stop by how little the last numbers differ; emptied on some paths."""

    def __init__(self):
        super().__init__()
        self.history = deque([9.0], maxlen=2)

    def forward(self, x):
        self.history.append(float(x.sum()))
        if max(self.history) - min(self.history) < 0.5:
            self.history.clear()
            return x, len(self.history)
        return x * self.history[0], len(self.history)


@case(inputs=CALLS)
class Replaced(nn.Module):
    """Another deque, with another bound, takes the place of the first."""

    def __init__(self):
        super().__init__()
        self.last = deque([1, 2], maxlen=2)

    def forward(self, x):
        if x.sum() > 0:
            self.last = deque(self.last, maxlen=3)
        self.last.append(len(self.last))
        return list(self.last), self.last.maxlen


@case(inputs=BOTH)
def from_both_sides(x):
    """append, appendleft, extend and extendleft drop items at the other end."""
    d = deque([1, 2, 3], 3)
    d.append(4)
    first = list(d)
    d.appendleft(x.sum().item())
    second = list(d)
    d.extend([5, 6])
    third = list(d)
    d.extendleft((7, 8, 9, 10))
    if x.sum() > 0:
        d.popleft()
    d += [11, 12]
    return first, second, third, list(d), d.maxlen


@case(inputs=BOTH)
def cut_when_made(x):
    """The last items stay; a bound of 0 keeps none; True is 1."""
    items = [x, x + 1, x + 2]
    d = deque(items, maxlen=2)
    none = deque(items, 0)
    one = deque(items, True)
    none.append(x)
    if x.sum() > 0:
        d.append(x * 3)
    return d[0], len(none), len(one), one[0], deque(items, None)[0], deque(maxlen=2).maxlen


@case(inputs=BOTH)
def full_is_no_place_to_insert(x):
    """insert() raises where append() drops."""
    d = deque([1, 2], maxlen=3 if x.sum() > 0 else 4)
    d.insert(1, 9)
    try:
        d.insert(0, 8)
    except IndexError as error:
        return str(error), list(d)
    return x


@case(inputs=BOTH)
def copies_have_the_bound(x):
    """copy(), copy.copy, copy.deepcopy, + and * keep it."""
    d = deque([1, x], maxlen=2)
    copies = [d.copy(), copy.copy(d), copy.deepcopy(d), d + deque([2]), d * 2]
    if x.sum() > 0:
        d.clear()
    for c in copies:
        c.append(5)
    return [len(c) for c in copies], [c[1] for c in copies], len(d), copies[3].maxlen


@case(inputs=BOTH)
def turned(x):
    """rotate() by known numbers, in both directions and further than the length."""
    d = deque([1, 2, 3, x.sum().item()])
    d.rotate()
    one = list(d)
    d.rotate(-2)
    two = list(d)
    d.rotate(7)
    if x.sum() > 0:
        d.rotate(0)
    return one, two, list(d)


@case(inputs=BOTH)
def known_bounds_that_python_refuses(x):
    """Errors of the constructor are the program's."""
    caught = []
    for bound in (-1, 1.5):
        try:
            deque([x], bound)
        except (TypeError, ValueError) as error:
            caught.append(str(error))
    if x.sum() > 0:
        caught.append("positive")
    return caught


@case(inputs=BOTH)
def changed_while_walked(x):
    """A full deque has its length after append(), and the walk ends in an error all the same."""
    d = deque([1, 2], maxlen=2)
    seen = []
    try:
        for item in d:
            seen.append(item)
            if x.sum() > 0:
                d.append(item + 2)
    except RuntimeError as error:
        seen.append(str(error))
    return seen, list(d)


@case(inputs=BOTH)
def turned_while_walked(x):
    """So it does after rotate()."""
    d = deque([1, 2, 3])
    seen = []
    try:
        for item in d:
            seen.append(item)
            if x.sum() > 0:
                d.rotate(1)
    except RuntimeError as error:
        seen.append(str(error))
    return seen, list(d)


@case(inputs=BOTH)
def longer_in_one_arm(x):
    """Arms that leave other lengths meet; the bound still holds."""
    d = deque([x], maxlen=2)
    if x.sum() > 0:
        d.append(x + 1)
    d.append(x + 2)
    return torch.stack(list(d)).sum(0), len(d)


@case(inputs=[(5,), (0,), (2,)])
def filled_in_a_loop(n):
    """In a loop that ends at run time it is a deque of the host, with its bound."""
    recent = deque([7], maxlen=3)
    for i in range(n):
        recent.append(i)
        if i % 2:
            recent.appendleft(-i)
    return list(recent), len(recent)


@case(inputs=BOTH)
def returned(x):
    """The caller gets a deque with the bound."""
    d = deque([1, 2, 3], maxlen=2)
    if x.sum() > 0:
        d.append(4)
    return d


@case(inputs=[(torch.arange(20.0).sin(),), (-torch.ones(20),), (torch.ones(20),)])
def bound_of_a_window_of_run_time(x):
    """A window that exists at run time says its bound; a deque without one says None."""
    window, others, full = deque(maxlen=4), deque(), 0
    for i, v in enumerate(x.tolist()):
        if v > 0:
            window.append((i, v))
        else:
            others.append(i)
        if len(window) > 0.7 * window.maxlen:
            full += 1
            window.clear()
    return full, len(window), window.maxlen, others.maxlen


@case(inputs=[(3,), (0,), (9,)])
def added_to_known(count: int):
    """``+`` and ``*`` of deques of which one is known when compiled: the first bound counts"""
    grown, known = deque(range(count), 2), deque([7], 1)
    results = [known + grown, grown + known, known * count, grown * 2, deque([1, 2]) * count]
    for each in results:
        each.append(5)
    return [list(each) for each in results], [each.maxlen for each in results]


class Numbers(list):
    """A list of the user's, of which ``*`` makes a list of Python's."""


@case(inputs=[(3,), (0,)], refused=True)
def own_list_repeated(count: int):
    """``*`` of an instance of a subclass of list and a number of run time"""
    return Numbers([1, 2]) * count  # <- refused
