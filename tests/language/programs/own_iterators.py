"""Objects with a ``__next__`` of their own, in loops, in builtins, and asked by next"""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

COUNTS = [(3,), (0,), (1,), (30,)]


class Countdown:
    """Gives the numbers below, and knows how often it was asked."""

    def __init__(self, left):
        self.left = left
        self.asked = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return self.left


@case(inputs=COUNTS)
def in_loops(n):
    """A for loop asks until StopIteration; what the object keeps is seen afterwards."""
    counter = Countdown(n)
    total = 0
    for number in counter:
        total = total * 2 % 1000 + number
    again = [number for number in counter]
    return total, again, counter.asked, counter.left


@case(inputs=COUNTS)
def left_early(n):
    """break leaves the object as it is; it is gone on with."""
    counter = Countdown(n)
    total = 0
    for number in counter:
        total += number
        if number == 20:
            break
    for number in counter:
        total += number * 3
    return total, counter.asked


@case(inputs=COUNTS)
def by_builtins(n):
    """list, sum, sorted, enumerate and zip over it."""
    items = list(Countdown(n))
    total = sum(Countdown(n))
    placed = 0
    for place, number in enumerate(Countdown(n)):
        placed += place * number
    return items, total, sorted(Countdown(n)), placed, max(Countdown(n), default=-1)


@case(inputs=COUNTS)
def by_next(n):
    """next asks for one, or gives what stands for none; iter gives the object itself."""
    counter = Countdown(n)
    same = iter(counter)
    first = next(counter, "none")
    second = next(same, "over")
    return first, second, same is counter, counter.asked


@case(inputs=COUNTS)
def raising_at_the_end(n):
    """StopIteration of next is an exception like others."""
    counter = Countdown(n)
    try:
        first = next(counter)
        second = next(counter)
    except StopIteration:
        return -1, counter.asked
    return first, second


class Steps:
    """Walked by an object of another class."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return Halving(self.x)


class Halving:
    """Gives halves until they are small."""

    def __init__(self, x):
        self.x = x

    def __next__(self):
        if self.x.abs().max() < 0.5:
            raise StopIteration()
        self.x = self.x / 2
        return self.x


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (torch.zeros(2, 3),)])
def from_a_tensor(x):
    """The end is decided by a tensor, and the items are tensors."""
    total = x
    for h in Steps(x):
        total = total + h
    for h in Steps(x):
        total = total + h.abs()
    return total


@case(inputs=[(noise(2, 4),), (noise(2, 4) * 4,)])
class Layers(nn.Module):
    """A known number of items, each a layer: unrolled."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    class Walk:
        """Gives one layer after the other."""

        def __init__(self, layers):
            self.layers = layers
            self.place = 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.place >= len(self.layers):
                raise StopIteration
            self.place += 1
            return self.layers[self.place - 1]

    def forward(self, x):
        for layer in self.Walk(self.layers):
            x = torch.tanh(layer(x))
            if x.sum() > 1.0:
                x = x * 0.5
        return x


@case(inputs=COUNTS)
def until_a_sentinel(n):
    """iter of a function asks it until it gives the sentinel."""
    left = [n]

    def down():
        left[0] = left[0] // 2
        return left[0]

    total = 0
    for number in iter(down, 0):
        total += number
    return total, left


class Failing:
    """Raises something else at some place."""

    def __init__(self, left):
        self.left = left

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        if self.left == 25:
            raise KeyError("twenty-five")
        self.left -= 1
        return self.left


@case(inputs=COUNTS)
def failing(n):
    """Other exceptions of ``__next__`` leave the loop."""
    total = 0
    try:
        for number in Failing(n):
            total += number
    except KeyError as error:
        return str(error), total
    return "", total


@case(inputs=COUNTS, slow=True)
def changed_in_body(n):
    """The body changes what the object gives."""
    it = Countdown(n)
    t = 0
    for i, a in enumerate(it):
        t += a * i
        if a % 3 == 0:
            it.left -= 1
    return t


@case(inputs=COUNTS, slow=True)
def zipped_twice(n):
    """zip asks one object twice for each pair."""
    it = Countdown(n)
    t = 0
    for a, b in zip(it, it):
        t = t * 3 % 101 + a * b
    return t, it.left


class Forwards:
    """Can only be walked from its beginning."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)  # never


class Turned(Forwards):
    """Says what it gives backwards."""

    def __reversed__(self):
        return iter([self.items[-1], 7])


class Placed(Forwards):
    """Is asked for its places, the last one first."""

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        return self.items[place] * 10


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def backwards(x):
    """reversed() asks ``__reversed__``, else the length and each place, not ``__iter__``."""
    total = x
    for item in reversed(Placed([x, x + 1])):
        if item.sum() > 0:
            total = total - item
    return total, list(reversed(Turned([1, 2, 3]))), list(reversed(Placed(range(3))))


@case(inputs=[(POSITIVE,)])
def not_reversible(x):
    """What has neither is not reversible."""
    try:
        return list(reversed(Forwards([1, 2]))), x
    except TypeError as error:
        return str(error), x
