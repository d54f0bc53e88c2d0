"""What a call writes to classes and to variables of the file: kept as what the model keeps"""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

CALLS = [(POSITIVE, True), (POSITIVE, False), (NEGATIVE, False), (POSITIVE, False)]
"""The first one sets what is kept: eager calls before have moved it."""

STEPS = 0
AVERAGE = None


class Counted(nn.Module):
    """Counts its calls in its class."""

    calls = 0
    limit = 2

    def __init__(self):
        super().__init__()
        self.inner = Part()


class Part(nn.Module):
    """Reads what others count."""

    def forward(self, x):
        return x * Counted.calls


@case(inputs=CALLS)
class CountsInItsClass(Counted):
    """A counter of the class, read by its name, by instances and by subclasses"""

    def forward(self, x, first):
        if first:
            Counted.calls = 0
        Counted.calls += 1
        seen = self.calls, type(self).calls, CountsInItsClass.calls, getattr(self, "calls")
        if x.sum() > 0:
            return self.inner(x), seen
        return x - self.calls, seen


@case(inputs=CALLS)
class OwnOfASubclass(Counted):
    """A subclass gets an attribute of its own: its base keeps the other one"""

    def forward(self, x, first):
        if first:
            type(self).limit = 2
        if x.sum() > 0:
            OwnOfASubclass.limit += 3
        return x, self.limit, Counted.limit


@case(inputs=CALLS)
def counts_in_the_file(x, first):
    """A counter among the variables of the file, and a tensor that begins with None"""
    global STEPS, AVERAGE
    if first:
        STEPS, AVERAGE = 0, None
    step()
    AVERAGE = x if AVERAGE is None else AVERAGE * 0.5 + x
    return AVERAGE * 1, STEPS, [STEPS + i for i in range(2)]


def step():
    global STEPS
    STEPS += 1


class Made:
    """Counts how many of its instances there are."""

    number = 0

    def __init__(self, value):
        Made.number += 1
        self.value, self.own = value, self.number

    @classmethod
    def reset(cls):
        cls.number = 0


@case(inputs=CALLS)
def counts_instances(x, first):
    """Instances are numbered as they are made, also in one arm only"""
    if first:
        Made.reset()
    made = [Made(x), Made(x + 1)]
    if x.sum() > 0:
        made.append(Made(x * 2))
    return [m.value * m.own for m in made], Made.number


def other(self, x):
    return x


@case(inputs=CALLS, refused="DYCL043")
class StoresAFunction(Counted):
    """A method is replaced in the class"""

    def forward(self, x, first):
        if x.sum() > 0:
            Part.forward = other  # <- refused
        return self.inner(x)


@case(inputs=CALLS, refused="DYCL023")
def counted_in_recursion(x, first):
    """A function that calls itself until run time ends it counts its calls"""
    return descend(int(x.sum().item()))


def descend(left):
    global STEPS
    STEPS += 1
    return 0 if left <= 0 else 1 + descend(left - 1)  # <- refused
