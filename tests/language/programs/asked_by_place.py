"""Classes without `__iter__`: Python asks their objects for the items at 0, 1, 2, ..."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Rows:
    """Has a length and items."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return self.rows[place]


class Steps:
    """Raises where it ends."""

    def __init__(self, stop):
        self.stop = stop
        self.asked = []

    def __getitem__(self, place):
        self.asked.append(place)
        if place >= self.stop:
            raise IndexError(place)
        return place * 2


@case(inputs=BOTH)
def loop_with_tests(x):
    """A loop over tensors, with tests of run time"""
    total = x * 0
    for row in Rows([x, x + 1, -x]):
        if row.sum() > 0:
            total = total + row
    return total


@case(inputs=BOTH)
def taken_at_once(x):
    """list, tuple, sum, unpacking, a comprehension, zip, enumerate, a star, reversed"""
    rows = Rows([x, x + 1])
    first, second = rows
    pairs = [(a, n) for a, n in zip(rows, Steps(5))]
    numbered = list(enumerate(Rows([1, x])))
    return list(rows), tuple(Steps(2)), sum(Steps(3)), first + second, pairs, numbered, torch.cat([*rows]), list(reversed(Rows([1, 2])))  # noqa: E501


@case(inputs=BOTH)
def one_by_one(x):
    """iter and next, which ask for no more than is needed; in; the others are not asked"""
    steps = Steps(4)
    walking = iter(steps)
    taken = [next(walking), next(walking)]
    found = 2 in steps, 7 in Steps(3)
    return taken, found, next(walking, None), steps.asked, any(n > 3 for n in Steps(9)), x


@case(inputs=[(0,), (1,), (5,)])
def length_of_run_time(n):
    """As many items as a number of run time says"""
    total = 0
    for step in Steps(n):
        total += step
        if total > 10:
            break
    return total


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 0), (NEGATIVE, 2)])
def list_of_run_time(x, n):
    """Over a list whose length is known at run time only"""
    rows = Rows([step for step in range(n)])
    total = x
    for each in rows:
        total = total + each if total.sum() > 0 else total - each
    return total, len(rows)


class Stopping:
    """Ends as iterators do."""

    def __getitem__(self, place):
        if place > 1:
            raise StopIteration
        return place + 1


class Failing:
    """Raises another error."""

    def __getitem__(self, place):
        if place > 1:
            raise KeyError(place)
        return place


@case(inputs=BOTH)
def other_ends(x):
    """StopIteration ends it; another error is raised"""
    seen = [*Stopping()]
    try:
        for each in Failing():
            seen.append(each)
            x = x + each if x.sum() > 0 else x
    except KeyError as error:
        seen.append(error.args[0])
    return seen, x


@case(inputs=BOTH)
def that_grows(x):
    """What is added during the walk is walked"""
    rows = Rows([x])
    for row in rows:
        if len(rows) < 3 and row.sum() > 0:
            rows.rows.append(row * 2)
    return len(rows)


class Unwalkable:
    """Says that it cannot be walked."""

    __iter__ = None

    def __getitem__(self, place):
        return place  # never


@case(inputs=BOTH, refused="DYCL050")
def that_says_no(x):
    """`__iter__ = None`, which is a TypeError, is refused"""
    try:
        return list(Unwalkable()), x  # <- refused  # never
    except TypeError:
        return x + 1


@case(inputs=BOTH)
class LayersByPlace(nn.Module):
    """An object that the model holds, with layers"""

    class Layers:
        """Gives layers by place."""

        def __init__(self, count):
            self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(count))

        def __getitem__(self, place):
            return self.layers[place]

    def __init__(self):
        super().__init__()
        self.blocks = self.Layers(3)

    def forward(self, x):
        for layer in self.blocks:
            x = layer(x) if x.sum() > 0 else layer(x).relu()
        return x


class Counted:
    """Notes what it is asked for."""

    def __init__(self, rows):
        self.rows = rows
        self.asked = []

    def __iter__(self):
        self.asked.append("iter")
        return iter(self.rows)

    def __len__(self):
        self.asked.append("len")
        return len(self.rows)


@case(inputs=BOTH)
def asked_for_length(x):
    """What makes a list or tuple of all items asks for the length, too; nothing else does"""
    rows, first = Counted([x, x + 1]), []
    first.extend(rows)
    first += rows
    made = [list(rows), tuple(rows), [*rows], (*rows, 1), torch.cat([*rows])]
    numbers = Counted([2, 1])
    text = "".join(Counted(["a", "b"]))
    low, high = numbers
    found = sorted(numbers), sum(numbers), max(*numbers), {*numbers}, [n for n in numbers], low, high
    return made, found, rows.asked, numbers.asked, text, len(first)


class Lengthless(Rows):
    """Says that it has no length."""

    def __init__(self, rows, error):
        super().__init__(rows)
        self.error = error

    def __len__(self):
        raise self.error("no length")


@case(inputs=BOTH)
def errors_of_length(x):
    """An error of the length is raised, but for a TypeError"""
    first = list(Lengthless([x, 1], TypeError))
    total = 0
    for row in Lengthless([x, x], NotImplementedError):
        total = total + row if x.sum() > 0 else total - row
    try:
        return first, total, list(Lengthless([x], NotImplementedError))
    except NotImplementedError as error:
        return first, total, str(error)
