"""Generators that give an item or not, by a test of run time."""

import torch

from tests.language.harness import case

NUMBERS = (2, 3, 5, 7, 11)
ALL = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
SOME = torch.tensor([-1.0, 2.0, -3.0, 4.0, -5.0, 6.0])
OTHERS = torch.tensor([2.0, -2.0, 3.0, -4.0, 5.0, -6.0])
EACH = [(ALL,), (-ALL,), (SOME,), (OTHERS,), (ALL - 3,)]


@case(inputs=EACH)
def items_that_are_taken(x):
    """The generator is at another place on each path that took as many items."""

    def taken():
        for place, number in enumerate(NUMBERS):
            if x[place] > 0:
                yield number

    total, count = torch.zeros(()), 0
    for number in taken():
        total = total + number * x[count]
        count += 1
    return total, count


@case(inputs=EACH)
def loops_within(x):
    """Places in loops within loops, after them and in other generators."""

    def inner(place):
        for turn in range(2):
            if x[place] > turn * 2:
                yield place * 10 + turn

    def taken():
        for place in range(3):
            if x[place] > 0:
                yield place
            yield from inner(place)
        yield 77
        if x[0] > 1:
            yield 88

    total, count = 0, 0
    for item in taken():
        total += item * count
        count += 1
        if count > 6:
            break
    else:
        total += 1000
    return total, count, x


@case(inputs=EACH)
def in_turn(x):
    """What the generator does and what the loop does stay in Python's order."""
    seen = []

    def taken():
        for place in range(4):
            seen.append(f"at {place}")
            if x[place] > 0:
                print("gives", place)
                yield place

    for place in taken():
        seen.append(f"takes {place}")
    return seen, x


@case(inputs=EACH)
def changed_in_place(x):
    """The loop changes what the generator tests."""
    x = x.clone()

    def taken():
        for place in range(4):
            if x[place] > 0:
                yield place

    for place in taken():
        x[place + 1] -= x[place]
    return x


@case(inputs=EACH)
def errors_of_the_generator(x):
    """One ends by an error on some paths."""

    def taken():
        for place in range(4):
            if x[place] > 0:
                yield place
            if x[place] < -3:
                raise ValueError(f"too low at {place}")

    count = 0
    try:
        for place in taken():
            count += place
    except ValueError as error:
        return count, str(error), x
    return count, x


@case(inputs=EACH)
def two_beside_each_other(x):
    """zip() of two of them, and one that is left and asked again."""

    def taken(first):
        for place in range(first, 6, 2):
            if x[place] > 0:
                yield place

    pairs = [pair for pair in zip(taken(0), taken(1), strict=False)]
    rest = taken(0)
    for place in rest:
        if x[place] > 2:
            break
    return pairs, list(rest), x


@case(inputs=EACH)
def sums_of_items(x):
    """A sum of them is one number, however many there were."""

    def taken():
        for place, number in enumerate(NUMBERS):
            if x[place] > 0:
                yield number

    return sum(taken()), sum(taken(), 10), sum(number for number in taken() if number > 2), x


@case(inputs=EACH)
def sums_of_tensors(x):
    """The same of tensors; where none is taken the sum is the number 0."""

    def taken():
        for place, number in enumerate(NUMBERS[:3]):
            if x[place] > 0:
                yield x * number

    return sum(taken()), sum(taken(), x)
