"""What Python asks of the model's objects while compiling: texts, hashes, orders, indices"""

import enum

import torch
from torch import nn

from tests.language.harness import case
from tests.language.programs.kept_state import CALLS


class Meter:
    """Says how it is written, compared, ordered and counted with."""

    def __init__(self, value):
        self.value = value

    def __str__(self):
        return f"meter at {self.value}"

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __lt__(self, other):
        return self.value < other.value

    def __index__(self):
        return self.value


class Plain:
    """Says how it is written."""

    def __init__(self):
        self.count = 0

    def __repr__(self):
        return f"<{self.count}>"


class Metered(nn.Module):
    """Has two meters, and a table of them."""

    def __init__(self):
        super().__init__()
        self.meter, self.other, self.plain = Meter(1), Meter(5), Plain()
        self.table = {self.meter: "first"}


@case(inputs=CALLS)
class TextsOfCounters(Metered):
    """Objects that the call has changed are written: by print, f-strings, % and str()"""

    def forward(self, x):
        if x.sum() > 0:
            self.meter.value += 1
        self.plain.count += 2
        print(self.meter, self.plain)
        last = "%s|%d" % (self.meter, 3)
        return x * 2, f"{self.meter} and {self.plain!r}", str(self.plain), last


@case(inputs=CALLS)
class TextsBeforeChanges(Metered):
    """What is written before it changes is what the call before has left"""

    def forward(self, x):
        before = f"{self.meter} {self.plain}"
        self.meter.value = 7
        self.plain.count = self.plain.count + 1
        return x * 2, before


@case(inputs=CALLS, refused="DYCL045")
class LookedUpAfterChange(Metered):
    """A key whose hash has changed is looked up"""

    def forward(self, x):
        self.meter.value = 3
        return x, self.table.get(self.meter, "none")  # <- refused


@case(inputs=CALLS, refused="DYCL045")
class SortedAfterChange(Metered):
    """Objects whose order has changed are sorted"""

    def forward(self, x):
        self.meter.value = 9
        return x * sorted([self.meter, self.other])[0].value  # <- refused


@case(inputs=CALLS, refused="DYCL045")
class CountedWithAfterChange(Metered):
    """What is a size, a bound and an index has changed"""

    def forward(self, x):
        self.meter.value = 2
        size = torch.zeros(2, self.meter)  # <- refused
        return size, x[: self.meter], list(range(self.meter))  # <- refused


@case(inputs=CALLS, refused="DYCL045")
class ComparedInListsAfterChange(Metered):
    """Lists of objects that have changed are compared, and written"""

    def forward(self, x):
        self.meter.value = 5
        same = [self.meter] == [self.other]  # <- refused
        return x, same, str([self.plain])


class Counting:
    """Counts how often it is asked."""

    asked = 0

    def __repr__(self):
        Counting.asked += 1
        return "counting"

    def __hash__(self):
        Counting.asked += 1
        return 1


COUNTING = Counting()


@case(inputs=CALLS)
def written_by_counting(x):
    """A text that counts how often it is asked for is made by the program"""
    before = Counting.asked
    return x, f"{COUNTING}", Counting.asked - before


@case(inputs=CALLS, refused="DYCL045")
def looked_up_by_counting(x):
    """A hash that counts how often it is asked for would be asked while compiling"""
    return x * len({COUNTING: 1})  # <- refused


@case(inputs=CALLS, refused="DYCL045")
def asked_beside_counting(x):
    """Where calls leave something in a class, methods that Python asks might read it"""
    Counting.asked = 0
    return x * {METER: 2}[METER]  # <- refused


METER = Meter(1)


class Mode(str, enum.Enum):
    """Says that it was compared."""

    SUM = "sum"
    MEAN = "mean"

    def __eq__(self, other):
        print("compared with", str(other))
        return str.__eq__(self, other)

    __hash__ = str.__hash__


MODE = Mode.MEAN


@case(inputs=CALLS)
def compared_by_printing(x):
    """An __eq__ that prints is asked in each call: by ==, `in`, count() and index()"""
    if x.sum() > 0:
        x = x.sum() if MODE == "sum" else x.mean()  # known
        return x, MODE in ("sum", "max", Mode.MEAN)
    return x, MODE not in ["max"], [MODE, Mode.SUM].count("sum"), ["max", "mean"].index(MODE)
