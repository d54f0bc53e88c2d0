"""Generator functions whose loops end at run time, walked by loops and comprehensions."""

import itertools
from collections import Counter, deque

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
COUNTS = [(POSITIVE, number) for number in (3, 0, 1, 5)]


def doubled(number):
    """Yield even numbers."""
    for place in range(number):
        yield place * 2


@case(inputs=COUNTS)
def over_a_range(x, n):
    """A loop over a generator that walks a range of run time."""
    total = x
    for step in doubled(n):
        total = total + step
    return total


@case(inputs=COUNTS)
def in_a_comprehension(x, n):
    """List and set comprehensions, with filters, and extend."""
    items = [step + 1 for step in doubled(n) if step != 2]
    items.extend(doubled(n - 1))
    return x, items, [a for a in doubled(n)], {str(a): a for a in doubled(n)}


def chosen(rows, limit):
    """Yield places and rows on some paths only."""
    for place, row in enumerate(rows):
        if place > limit:
            return
        if row > 0:
            yield place, row


@case(inputs=ROWS)
def on_some_paths(x):
    """What is yielded on some paths only; return ends the generator."""
    rows = [number for number in x.flatten().tolist() if number > -2.5]
    total = 0.0
    for place, row in chosen(rows, 3):
        total += place * row
    return x, total, [place for place, _ in chosen(rows, 2)]


@case(inputs=COUNTS)
def left_early(x, n):
    """break and return leave the generator where it is; it can be gone on with."""
    steps = doubled(n)
    total = 0
    for step in steps:
        total += step
        if total > 1:
            break
    rest = [step for step in steps]
    return x, total, rest


@case(inputs=COUNTS)
def with_state(x, n):
    """A generator that keeps a list and a number of its own, and changes the caller's."""
    seen = []

    def counting():
        count = 0.0
        for place in range(n):
            count += place
            seen.append(place)
            yield count

    total = x
    for count in counting():
        total = total + count
        if total.sum() > 20:
            seen.append(-1)
    return total, seen


@case(inputs=COUNTS)
def delegated(x, n):
    """yield from what ends at run time."""

    def steps():
        yield from range(n)

    total = x
    for step in steps():
        total = total + step
    return total, [step for step in steps()]


@case(inputs=COUNTS)
def tensors(x, n):
    """A generator of tensors, each made from the one before."""

    def states(h):
        for _ in range(n):
            h = (h * 0.5).tanh()
            yield h

    last = x
    for h in states(x):
        last = last + h
    return last


@case(inputs=COUNTS)
def raising(x, n):
    """An exception in the body of the generator ends the loop."""

    def steps():
        for place in range(n):
            if place == 4:
                raise ValueError("too many")
            yield place

    total = 0
    try:
        for step in steps():
            total += step
    except ValueError as error:
        return x, total, str(error)
    return x, total, "all"


@case(inputs=COUNTS)
def after_the_yield(x, n):
    """Statements after the yield, and after the loop."""

    def steps():
        for place in range(n):
            yield place
            told.append(place)
        told.append(-1)

    told = []
    total = 0
    for step in steps():
        total += step
    return x, total, told


@case(inputs=COUNTS)
def one_more(x, n):
    """Items before and after the loop."""

    def steps():
        yield 10
        for place in range(n):
            yield place
        yield 20

    total = 0
    for step in steps():
        total += step
    return x, total


@case(inputs=COUNTS)
def nested_loops(x, n):
    """A loop of known length in one that ends at run time, and two such loops."""

    def pairs():
        for place in range(n):
            for other in range(place):
                yield place * other

    total = 0
    for step in pairs():
        total += step
    return x, total


@case(inputs=COUNTS)
def all_at_once(x, n):
    """sum and list ask for all items at once."""
    return x, sum(doubled(n)), list(doubled(n))


@case(inputs=COUNTS)
def by_next(x, n):
    """next asks for one item."""
    steps = doubled(n)
    return x, next(steps, None)


@case(inputs=COUNTS)
def numbered(x, n):
    """enumerate over such a generator."""
    total = 0
    for place, step in enumerate(doubled(n)):
        total += place * step
    return x, total


@case(inputs=COUNTS, refused="DYCL041")
def zipped(x, n):
    """zip over such a generator."""
    total = 0
    for one, other in zip(doubled(n), [1, 2, 3]):  # <- refused
        total += one * other
    return x, total


def _words(x, most):
    words = [1]
    for _ in range(most):
        x = x * 0.7
        words.append(int(x.sum() * 2))
        if words[-1] == 0:  # known
            break
    return words


def _runs(words):
    """Give runs of equal words; the inner loop may end anywhere."""
    place = 0
    while place < len(words):
        first = place
        while place < len(words) and words[place] == words[first]:
            place += 1
        yield words[first], place - first


@case(inputs=[(torch.ones(3),), (torch.tensor([0.1, 0.2, 0.1]),), (torch.zeros(3),)])
def what_takes_many_items_of_a_generator_that_ends_late(x):
    """Builtins that take more items of a generator than are unrolled, after paths of their own"""
    words = _words(x, 20)
    longest = max(count for _, count in _runs(words))
    return longest, sum(count > 1 for _, count in _runs(words)), [*_runs(words)]


@case(inputs=[(torch.ones(3),), (torch.tensor([0.1, 0.2, 0.1]),), (torch.zeros(3),)])
def what_takes_many_runs_of_equal_items(x):
    """Builtins that take the runs of groupby, of a list that may be of twenty lengths"""
    return max(len(list(run)) for _, run in itertools.groupby(_words(x, 20)))


def _late(x):
    yield from (1, 2, 3, 4, 5)
    count = 0
    while count < x[0]:
        yield count
        count += 1


def _halves(x):
    for factor in (1, 2, 3, 4, 5):
        yield x * factor
    while x.abs().sum() > 1:
        x = x / 2
        yield x


LATE = [(torch.tensor([2.0, 1]),), (torch.zeros(2),), (torch.tensor([7.0, -7]),)]


@case(inputs=LATE)
def lists_of_what_a_late_loop_gives(x):
    """Lists, sums, sets and tables of what ends in a loop after more than is looked ahead"""
    found = list(_late(x)), tuple(_late(x)), sum(_late(x)), sorted(_late(x), key=lambda n: -n)
    return *found, max(_late(x)), set(_late(x)), Counter(_late(x)), deque(_late(x), maxlen=2)


@case(inputs=LATE)
def stacks_of_what_a_late_loop_gives(x):
    """Tensors that a late loop gives"""
    return torch.stack(list(_halves(x)))


@case(inputs=LATE)
def what_a_late_loop_changes_in_between(x):
    """A list that the generator fills, too, and what it writes to"""
    seen = []

    def noted():
        for count in _late(x):
            seen.append(count)
            yield count

    total = sum(noted())
    return total, seen


@case(inputs=LATE)
def starred_targets(x):
    """Unpacking with a starred target takes all items before the first is assigned."""
    first, *rest = _late(x)
    *most, last = _late(x)
    one, *between, end = _late(x)
    return first, rest, most, last, one, between, end


@case(inputs=LATE)
def starred_targets_of_few_items(x):
    """Too few items for the targets on some paths"""

    def few():
        if x[0] > 0:
            yield 1
        count = 0
        while count < x[0] - 3:
            yield count
            count += 1

    try:
        first, second, *rest = few()
    except ValueError as error:
        return x, str(error)
    return x, first, second, rest


@case(inputs=LATE)
def starred_targets_in_their_order(x):
    """What is taken is taken once, and assigned afterwards"""
    log = []

    def noted():
        for count in _late(x):
            log.append(count)
            yield count

    held = {}
    held["first"], *held["rest"] = noted()
    return x, held, log


def _nested(x, depth):
    yield from (1, 1, 1, 1)
    if depth:
        yield sum(_nested(x, depth - 1))
    count = 0
    while count < x[0]:
        yield count
        count += 1


@case(inputs=LATE)
def late_loops_within_each_other(x):
    """Each generator takes the sum of another that ends late, too."""
    return x, sum(_nested(x, 4))


@case(inputs=LATE)
def many_ways_to_end(x):
    """A generator with an end of its own in each turn of a loop"""

    def until():
        yield from (1, 2, 3, 4)
        left = int(x[0])
        while left > 0:
            if left == 5:
                return
            yield left
            left -= 1

    return x, sum(until()), len(list(until()))


@case(inputs=LATE)
def texts_of_what_a_late_loop_gives(x):
    """``join`` makes a list first; runs of equal items end at run time, too."""
    words = [int(x.sum() * k + 7) // 2 % 3 for k in range(7)]
    runs = "".join("abc"[word] for word, _ in itertools.groupby(words) if word)
    return ",".join(str(count) for count in _late(x)), runs


def _stretches(values, bound):
    start = None
    for place, value in enumerate(values):
        if value > bound and start is None:
            start = place
        elif value <= bound and start is not None:
            if place - start >= 2:
                yield start, place
            start = None
    if start is not None:
        yield start, len(values)


WAVES = [(torch.linspace(0, turns, 6).sin(),) for turns in (9.0, 4.0, 0.0, 30.0, 2.0, 5.0, 1.0)]


@case(inputs=WAVES)
def stretches_of_a_signal(x):
    """A generator with a test in each iteration: paths come together at the head of its loop."""
    return [(first, end, x[first:end].sum()) for first, end in _stretches(x.tolist(), 0.1)]


@case(inputs=WAVES)
def what_a_generator_finds_in_nested_loops(x):
    """Two loops, of which the inner one yields on some paths only"""

    def rises():
        last = None
        for row in x.view(2, 3):
            for value in row:
                if last is not None and value > last:
                    yield value - last
                last = value

    return sum(rises(), torch.zeros(()))


@case(inputs=LATE, refused="DYCL041")
def added_to_what_the_generator_changes(x):
    """What a sum begins with is changed before the second item is asked for, not before the first."""
    total = torch.zeros(2)

    def noted():
        for count in _late(x):
            total.add_(1)
            yield count

    return sum(noted(), total)  # <- refused


class _Noting:
    def __init__(self, log):
        self.log = log

    def __add__(self, number):
        self.log.append(number)
        return self


@case(inputs=LATE, refused="DYCL041")
def added_to_an_object(x):
    """What adding does is seen by the generator in between."""
    log = []

    def noted():
        for count in _late(x):
            yield count + len(log)

    sum(noted(), _Noting(log))  # <- refused
    return x, log
