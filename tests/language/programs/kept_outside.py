"""What a call writes to objects of the file, of classes, defaults and enclosing functions: kept"""

import copy
from collections import Counter, defaultdict, deque

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

CALLS = [(POSITIVE, True), (POSITIVE * 2, False), (NEGATIVE, False), (POSITIVE, False)]
"""The first one sets what is kept: eager calls before have moved it."""


class Requirement:
    """Is found out when it is first asked."""

    def __init__(self, text):
        self.text = text  # at import

    def __bool__(self):
        if not hasattr(self, "available"):
            self.available = len(self.text) > 3  # <- refused
            self.message = f"{self.text} is there" if self.available else "missing"
        return self.available


@case(inputs=[(x,) for x, _ in CALLS], factory=True)
def found_out_when_first_asked():
    """An attribute that the first call finds missing"""
    long, short = Requirement("torch"), Requirement("np")

    def asks(x):
        if long:  # known
            x = x + len(long.message)
        if not short:  # known
            x = x * len(short.message)
        if x.sum() > 700:
            x = x + 1
        return x

    return asks


@case(inputs=[(x,) for x, _ in CALLS], factory=True)
def found_out_on_some_paths():
    """An attribute that only some of the first calls set"""
    short = Requirement("np")

    def asks(x):
        if x.sum() > 0 and not short:
            x = x * len(short.message)
        return x

    return asks


class Version:
    """Makes its key when it is first compared."""

    def __init__(self, *release):
        self.release, self._key = release, None

    @property
    def key(self):
        if self._key is None:
            self._key = (0, *self.release)
        return self._key

    def __ge__(self, other):
        return self.key >= other.key


NEW, OLD = Version(2, 1), Version(1, 9)


@case(inputs=CALLS)
def keys_made_when_first_compared(x, first):
    """Two objects of the file keep what is computed of each; one made in the call is new"""
    if first:
        NEW._key = OLD._key = None
    is_new = NEW >= OLD and NEW >= Version(2, 0)  # known
    return x * (is_new + 1) if x.sum() > 0 else x, NEW._key, OLD._key


class Meter:
    """An average of all calls."""

    def __init__(self):
        self.reset()  # at import

    def reset(self):
        self.total, self.count, self.seen = 0.0, 0, None

    def update(self, value):
        self.total += value
        self.count += 1

    @property
    def average(self):
        return self.total / max(self.count, 1)


METER = Meter()
HOLDER = {"meters": [METER]}
COPIED = Meter()


@case(inputs=CALLS)
def one_object_under_two_names(x, first):
    """An object that two variables hold is one: numbers and tensors of run time"""
    if first:
        METER.reset()
    METER.update(x.mean().item())
    meter = HOLDER["meters"][0]
    if meter.seen is not None and x.sum() > 0:
        x = x + meter.seen
    METER.seen = x
    return x * meter.average, meter.count


HANDLERS: dict = {}


@case(inputs=CALLS)
def found_by_class_on_one_path(x, first):
    """What handles a class is made when it is first asked for, on one path"""
    if first:
        HANDLERS.clear()
    if x.sum() > 0:
        if type(x) not in HANDLERS:
            HANDLERS[type(x)] = Requirement(type(x).__name__)
        x = x * len(HANDLERS[torch.Tensor].text)
    return x, len(HANDLERS)


BUFFER = torch.zeros(3)


class OfAFile(nn.Module):
    """Holds a tensor of the file."""

    def __init__(self):
        super().__init__()
        self.held = BUFFER


@case(inputs=CALLS)
class ATensorOfBoth(OfAFile):
    """A tensor that the file and the model hold is one"""

    def forward(self, x, first):
        if first:
            BUFFER.zero_()
        if x.sum() > 0:
            BUFFER.add_(x[0])
        return x + self.held


class Positions(nn.Module):
    """Makes tables of places once for each length."""

    tables: dict = {}

    def forward(self, x, first):
        if first:
            self.tables.clear()
        length = x.shape[-1]
        if length not in Positions.tables:
            self.tables[length] = torch.arange(length) * 0.5
        return x + self.tables[length] if x.sum() > 0 else x


case(inputs=CALLS)(Positions)


@case(inputs=CALLS)
def a_default_that_grows(x, first, seen=[]):
    """A list that is the default of an argument"""
    if first:
        seen.clear()
    if x.sum() > 0:
        seen.append(2)
    return x * sum(seen), len(seen)


SEEN, SUMS, COUNTS, LAST = set(), defaultdict(int), Counter(), deque(maxlen=2)


@case(inputs=CALLS)
def other_containers(x, first):
    """A set, a defaultdict, a Counter and a deque of the file"""
    if first:
        for each in SEEN, SUMS, COUNTS, LAST:
            each.clear()
    SEEN.add(1 if x.sum() > 0 else 2)
    SUMS["calls"] += 1
    COUNTS["twice"] += 2
    LAST.append(SUMS["calls"])
    return x * SUMS["calls"] + COUNTS["twice"], len(SEEN), sum(LAST)


@case(inputs=CALLS)
def a_default_that_holds_tensors(x, first, memory={}, *, places=([],)):
    """A tensor in a dict, and one in a list of a tuple, that are defaults"""
    if first:
        memory.clear()
        places[0].clear()
        places[0].append(x)
    if "first" not in memory:
        memory["first"] = x * 2
    places[0][0] = places[0][0] + x
    return x + memory["first"], places[0][0] * 2


@case(inputs=CALLS, factory=True)
def enclosing_function():
    """A dict of the function around"""
    counts = {"calls": 0}

    def counted(x, first):
        counts["calls"] = 1 if first else counts["calls"] + 1
        if x.sum() > 0:
            return x * counts["calls"]
        return x, counts["calls"]

    return counted


@case(inputs=CALLS)
def copies_are_apart(x, first):
    """A copy of an object has what calls have left, and is another one"""
    if first:
        COPIED.reset()
    COPIED.count += 1
    apart = copy.deepcopy(COPIED)
    apart.count += 10
    return (x * COPIED.count if x.sum() > 0 else x), apart.count


@case(inputs=CALLS)
def counted_in_a_loop(x, first):
    """A loop that ends at run time, and a recursion, count in an object of the file"""
    if first:
        METER.reset()
    while x.sum() < 20:
        x = x + 1
        METER.count += 1
    return x * METER.count


@case(inputs=CALLS, refused="DYCL067")
def its_own_table_is_read(x, first):
    """The attributes of such an object are read as a dict"""
    if first:
        METER.reset()
    METER.count += 1  # <- refused
    return x * vars(METER)["count"]


@case(inputs=[(POSITIVE, True), (NEGATIVE, False), (POSITIVE * 3, False)])
def a_default_is_written(x, first, total=torch.zeros(2, 3)):
    """A tensor that is a default is written in place"""
    if first:
        total.zero_()
    total += x
    return total * 2 if x.sum() > 0 else total + 1
