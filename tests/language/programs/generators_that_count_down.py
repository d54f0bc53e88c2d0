"""Generators whose ``while`` loop ends at run time, walked by loops, comprehensions, builtins"""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

COUNTS = [(3,), (0,), (1,), (40,)]


def countdown(n):
    """Yield the numbers below."""
    while n > 0:
        n -= 1
        yield n


def until_zero(n):
    """The same, ended by a return."""
    while True:
        if n == 0:
            return
        n -= 1
        yield n


@case(inputs=COUNTS)
def in_a_loop(n):
    """A for loop over it is a loop that ends at run time."""
    total = 0
    for number in countdown(n):
        total = total * 2 % 1000 + number
    for number in until_zero(n):
        total = total * 3 % 1000 + number
    return total


@case(inputs=COUNTS)
def by_builtins(n):
    """sum, list, max and the like take all items."""
    items = list(countdown(n))
    pairs = sorted(until_zero(n), reverse=True)
    some = any(number == 2 for number in countdown(n))
    return sum(until_zero(n)), items, pairs, max(countdown(n), default=-1), some, tuple(countdown(n))


@case(inputs=COUNTS)
def in_comprehensions(n):
    """Lists, sets and dicts of what it gives."""
    return [i * 2 for i in countdown(n) if i != 1], {str(i): i for i in until_zero(n)}


@case(inputs=COUNTS)
def with_other_iterators(n):
    """enumerate, zip, map and next over it."""
    total = 0
    for place, number in enumerate(countdown(n)):
        total += place * number
    for number, letter in zip(countdown(n), "abc"):
        total += number if letter == "b" else 0
    first = next(until_zero(n), -1)
    doubled = list(map(lambda i: i + i, until_zero(n)))
    return total, first, doubled


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (torch.zeros(2, 3),)])
def from_a_tensor(x):
    """The number is in a tensor, and what is yielded is a tensor."""

    def halved(h):
        while h.abs().sum() > 1.0:
            h = h * 0.5
            yield h

    last = x
    steps = 0
    for h in halved(x):
        last = last + h
        steps += 1
    return last, steps, sum(halved(x))


@case(inputs=COUNTS)
def some_turns_only(n):
    """What is yielded in some turns only, and after the loop."""

    def odd(n):
        while n > 0:
            n -= 1
            if n % 2:
                yield n
            elif n == 6:
                break
        yield -1

    found = 0
    for number in odd(n):
        found = found * 3 % 1000 + number
    return found


@case(inputs=COUNTS, slow=True)
def with_a_list(n):
    """A generator that keeps a list: a stack of what is still to do."""

    def walk(n):
        stack = [n]
        while stack:
            top = stack.pop()
            if top > 9:
                stack.append(top // 2)
            elif top > 2:
                stack.append(top - 1)
                stack.append(top - 3)
            yield top

    total = 0
    for number in walk(n):
        total += number
    return total, [number for number in walk(n)]


@case(inputs=COUNTS)
def left_and_gone_on_with(n):
    """break leaves the generator where it is."""
    numbers = countdown(n)
    total = 0
    for number in numbers:
        total += number
        if number < 30:
            break
    rest = 0
    for number in numbers:
        rest += number
    return total, rest


@case(inputs=COUNTS)
def delegated(n):
    """yield from such a generator."""

    def both(n):
        yield from countdown(n)
        yield from until_zero(n // 2)

    total = 0
    for number in both(n):
        total += number
    return total


@case(inputs=[(noise(4),), (noise(4, seed=3),), (noise(4, seed=5),), (noise(4).abs(),)])
def with_an_end_that_is_known(x):
    """A loop with an end known before, which may be left earlier: unrolled where it must be."""

    def first(x):
        i = 0
        while i < 4 and x[i] > -0.5:
            yield x[: i + 1].sum()
            i += 1

    return sum(first(x)), [v for v in first(x)]


@case(inputs=COUNTS)
def raising(n):
    """An exception inside of the generator, after some items."""

    def steps(n):
        while True:
            if n == 0:
                return
            if n == 35:
                raise ValueError("thirty-five")
            n -= 1
            yield n

    total = 0
    try:
        for step in steps(n):
            total += step
    except ValueError as error:
        return str(error), total
    return "", total


@case(inputs=COUNTS)
def two_at_once(n):
    """Two generators of one function, one after the other and turn by turn."""
    one, other = countdown(n), countdown(n + 2)
    total = 0
    for number in one:
        total += number * next(other, 0)
    return total


@case(inputs=COUNTS, slow=True)
def early_return(n):
    """A return out of the loop."""
    for a in countdown(n):
        if a == 17:
            return a, -1
    return 0, n


@case(inputs=COUNTS, slow=True)
def shared_list(n):
    """What the generator does before and after each item, up to a break."""
    log = []
    def g(n):
        while n > 0:
            log.append(n)
            yield n
            log.append(-n)
            n -= 1
        log.append(0)
    t = 0
    for v in g(n):
        t += v
        if len(log) > 20:
            break
    return log, t


@case(inputs=COUNTS, slow=True)
def returns(n):
    """What the generator returns is given to who delegated to it."""
    def g(n):
        while n > 0:
            n -= 1
            yield n
        return n - 5
    def h(n):
        r = yield from g(n)
        yield r
    t = []
    for v in h(n):
        t.append(v)
    return t


@case(inputs=[(torch.tensor([4.0, 3.0]),), (torch.tensor([0.0, 0.0]),), (torch.tensor([9.0, 1.0]),)], slow=True)
def alias(x):
    """The generator writes into the tensor that it yields."""
    def g(y):
        while y.sum() > 2:
            y.mul_(0.5)
            yield y
    y = x.clone()
    seen = []
    for v in g(y):
        seen.append(v.sum().item())
    return y, seen


@case(inputs=COUNTS, refused="DYCL020")
def nested(n):
    """A while loop around a walk over another such generator."""
    def outer(n):
        while n > 0:
            n -= 1
            for i in countdown(n % 4):
                yield n * 10 + i
    t = 0
    for v in outer(n):  # <- refused
        t = (t * 7 + v) % 1009
    return t


@case(inputs=COUNTS)
def unpacked(n):
    """A star in a display takes all items at once."""
    return [9, *countdown(n)], (*countdown(n), n)


@case(inputs=[(noise(3),), (noise(3, seed=1),)], slow=True)
class Kept(nn.Module):
    """The generator counts its turns in the model."""
    def __init__(self):
        super().__init__()
        self.steps = 0
    def forward(self, x):
        def g(h):
            while h.abs().sum() > 1:
                self.steps += 1
                h = h * 0.6
                yield h
        t = x
        for h in g(x):
            t = t + h
        return t, self.steps
