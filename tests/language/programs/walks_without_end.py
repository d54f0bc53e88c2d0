"""Walks over iterators without end: what is beside them, or the loop's body, ends them."""

import itertools

import torch

from tests.language.harness import case


def _count(number):
    return (torch.tensor([number, 0.0]),)  # at import


NUMBERS = [_count(5.0), _count(0.0), _count(-3.0), _count(1.0), _count(40.0)]


@case(inputs=NUMBERS)
def beside_a_range(x):
    """zip of count() and a range that run time knows is as long as the range, in either order."""
    n = int(x.sum())
    total = 0
    for place, number in zip(itertools.count(n, 2), range(max(n, 0))):
        total += place * number
    return total, [place for _, place in zip(range(max(n, 0)), itertools.count(n))]


@case(inputs=NUMBERS, slow=True)
def beside_a_list(x):
    """repeat(), cycle() and enumerate(count()) beside a list that run time knows."""
    n = int(x.sum())
    items = [number * 3 for number in range(max(n, 0))]
    rows = list(zip(itertools.repeat(n), items, itertools.count()))
    turns = [turn + item for turn, item in zip(itertools.cycle([n, 2]), items)]
    return rows, turns, [a + b for (a, b), _ in zip(enumerate(itertools.count(n)), items)]


@case(inputs=NUMBERS)
def own_generator(x):
    """A generator of the program with `while True` that nothing leaves has no end either."""

    def numbers():
        number = 0
        while True:
            yield number
            number += 1

    n = int(x.sum())
    return [a * b for a, b in zip(numbers(), range(max(n, 0)))]


@case(inputs=NUMBERS)
def beside_known_items(x):
    """The shortest decides: three known items."""
    n = int(x.sum())
    items = list(range(max(n, 0)))
    return [a + b + c for a, b, c in zip(itertools.count(n), items, [1, 2, 3])]


@case(inputs=NUMBERS)
def left_by_the_body(x):
    """A loop over count() that its body leaves at run time: break, and return."""

    def root(number):
        for i in itertools.count(1):
            if i * i >= number:
                return i
        return 0  # never

    n = int(x.sum())
    total = 0
    for i in itertools.count():
        if i > n:
            break
        total += i
    return total, root(n)


@case(inputs=NUMBERS)
def layers_in_order(x):
    """A loop over count() whose body ends it at a known item as well is unrolled."""
    n = int(x.sum())
    weights = [1, 2, 3, 4]
    total = 0
    for i in itertools.count():
        if i == len(weights):
            break
        total += weights[i]
        if total > n:
            break
    return total, i


@case(inputs=NUMBERS, refused="DYCL041")
def two_at_a_time(x):
    """Iterators that share their items, and end at run time, are refused before long."""
    n = int(x.sum())
    first, second = itertools.tee(range(max(n, 0)))
    next(second, None)
    return [p * q for p, q in zip(first, second)]  # <- refused


@case(inputs=NUMBERS)
def filtered(x):
    """The first item of an endless filter that passes, and a loop over one that its body leaves."""
    n = int(x.sum())
    threes = (number for number in itertools.count() if number % 3 == 0)
    total = 0
    for number in (number for number in itertools.count() if number % 3 != n % 3):
        if number > n:
            break
        total += number
    squares = next(i * i for i in itertools.count(1) if i * i > n)
    even = filter(lambda number: number % 2 == 0, itertools.count())
    return next(number for number in threes if number > n), total, squares, next(even)


@case(inputs=NUMBERS)
def parts_taken(x):
    """takewhile and islice of what has no end give as many items as run time says."""

    def fibonacci():
        a, b = 0, 1
        while True:
            yield a
            a, b = b, a + b

    n = int(x.sum())
    below = list(itertools.takewhile(lambda number: number < n, fibonacci()))
    first = list(itertools.islice(fibonacci(), max(n, 0)))
    return below, first, sum(itertools.takewhile(lambda number: number < n, itertools.count(1)))


@case(inputs=NUMBERS, refused="DYCL041")
def items_dropped(x):
    """Items that are left out before the first is given are refused before long."""
    n = int(x.sum())
    return next(itertools.dropwhile(lambda number: number < n, itertools.count()))  # <- refused
