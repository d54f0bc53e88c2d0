"""Generator functions and context managers made of them."""

import contextlib
import itertools

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]


@case(inputs=SIGNS)
class FeaturesOfLayers(nn.Module):
    """A method yields the result of each layer; the loop over them stops by content."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])

    def features(self, x):
        for index, layer in enumerate(self.layers):
            x = layer(x)
            yield index, x

    def forward(self, x):
        for index, feature in self.features(x):
            if feature.sum() > 0:
                return index, feature
        return -1, x  # never


@case(inputs=SIGNS)
def yields_under_a_test(x):
    """What is yielded depends on the input."""

    def parts():
        yield x
        if x.sum() > 0:
            yield x * 2
        else:
            return
        yield x * 3

    total = x
    for part in parts():
        total = total + part
    return total, len(list(parts()))


@case(inputs=SIGNS)
def interleaved(x):
    """Generator and consumer take turns: each sees what the other one did."""
    log = []

    def numbers():
        for i in range(3):
            log.append(i)
            yield x * i
            log.append(-i)

    for item in numbers():
        log.append(item.sum().item() > 1)
    return log


@case(inputs=SIGNS)
def endless(x):
    """A generator without an end: next, islice and zip take what they need."""

    def doubling(value):
        while True:
            yield value
            value = value * 2

    values = doubling(x)
    first, second = next(values), next(values)
    rows = [a + n for a, n in zip(doubling(x), range(3))]  # noqa: B905
    return first + second, rows, next(values)


@case(inputs=SIGNS)
def halved_until_small(x):
    """A while in the generator with a test at run time."""

    def halves(value):
        for _ in range(5):
            if value.abs().sum() < 2:
                return
            value = value / 2
            yield value

    result = x
    for result in halves(x):
        pass
    return result


@case(inputs=SIGNS)
def delegation(x):
    """yield from a generator, a list and a range."""

    def inner(n):
        yield x * n
        yield from [x + n]

    def outer():
        yield from inner(2)
        yield from (x * k for k in range(2))
        yield from inner(3)

    return list(outer()), sum(outer())


@case(inputs=SIGNS)
def consumers(x):
    """list, tuple, sum, max, enumerate, unpacking, comprehensions, any over a generator."""

    def values():
        yield x.sum().item()
        yield 0.25
        yield x.max().item()

    a, *b = values()
    pairs = [(i, v) for i, v in enumerate(values())]
    return list(values()), tuple(values()), sum(values()), max(values()), a, b, pairs, any(
        v > 2 for v in values()
    )


@case(inputs=SIGNS)
def exceptions_inside(x):
    """Exceptions come out of next, are caught inside, and end the generator."""

    def careful():
        try:
            yield 1
            if x.sum() < 0:
                raise ValueError("negative")
            yield 2
        except ValueError as error:
            text = str(error)
        else:
            text = "positive"
        yield text

    def careless():
        yield 1
        raise KeyError("gone")

    seen = []
    try:
        for value in careless():
            seen.append(value)
    except KeyError:
        seen.append(-1)
    return seen + list(careful()), x


@case(inputs=SIGNS)
def ends_by_stop_iteration(x):
    """next after the end raises StopIteration, or gives the default."""

    def one():
        if x.sum() > 0:
            yield 5

    values = one()
    first = next(values, 0)
    try:
        second = next(values)
    except StopIteration:
        second = -1
    return first, second, next(values, None)


@contextlib.contextmanager
def scaled(log, factor):
    """Log before and after, whatever happens in between."""
    log.append(factor)
    try:
        yield factor * 2
    except ValueError:
        log.append("caught")
    finally:
        log.append(-factor)


@case(inputs=SIGNS)
def managers(x):
    """@contextmanager: the body's exceptions are raised at the yield; finally runs on each way out."""
    log = []
    with scaled(log, 3) as factor, scaled(log, 4):
        x = x * factor
        if x.sum() < 0:
            raise ValueError("negative")
        log.append("whole")
    return x, log


@case(inputs=SIGNS)
def managers_and_ways_out(x):
    """return, break and continue inside a with of a generator."""
    log = []
    for i in range(3):
        with scaled(log, i):
            if x.sum() > i * 3:
                continue
            if x.sum() < 0:
                break
            return x, log
    return x + 1, log


@case(inputs=SIGNS)
def manager_defined_here(x):
    """A context manager that is defined in the call and closes over it."""
    level = 0

    @contextlib.contextmanager
    def deeper():
        nonlocal level
        level += 1
        yield level
        level -= 1

    with deeper() as one, deeper() as two:
        x = x * two + one
    return x, level


@case(inputs=SIGNS)
class Pages(nn.Module):
    """__iter__ is a generator."""

    def __init__(self):
        super().__init__()
        self.weights = [1.0, 2.0, 3.0]

    def __iter__(self):
        yield from self.weights

    def forward(self, x):
        for weight in self:
            if x.max() < weight:
                x = x + weight
        return x


@case(inputs=SIGNS, may_refuse=True)
def left_inside_of_a_try(x):
    """A generator that is left alone runs its finally."""
    log = []

    def guarded():
        try:
            yield 1
            yield 2
        finally:
            log.append("closed")

    for value in guarded():
        if x.sum() > 0:
            break
    return value, log


@case(inputs=SIGNS)
def nested_generators(x):
    """A generator over another one, with a filter."""

    def source():
        for row in x:
            yield row

    def positive(rows):
        for row in rows:
            if torch.all(row > 0):
                yield row * 2

    return len(list(positive(source()))), list(itertools.chain([1], range(2)))


def lowered(x, left):
    """Ask for what is added, and return the sum."""
    if left == 0:
        return x
    y: object = yield left
    if y is None:
        return (yield from lowered(x - 1, left - 1))
    return (yield from lowered(x + y, left - 1))


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def what_yield_gives_is_returned(x):
    """``return (yield from ...)``, ``y: object = yield ...``, ``return (yield ...)``."""

    def last():
        return (yield 7)

    steps = lowered(x, 3)
    asked = next(steps)
    try:
        while True:
            asked += steps.send(x * asked if asked % 2 or x.sum() > 0 else None)
    except StopIteration as end:
        total = end.value
    one = last()
    asked += next(one)
    try:
        one.send(x + 1)
    except StopIteration as end:
        return asked, total, end.value


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def what_yield_gives_is_added(x):
    """``total += yield total`` of numbers, tensors and lists."""

    def running(total):
        while True:
            total += yield total

    def filled(items):
        items += yield items
        items += [0]
        yield len(items)

    number, tensor, items = running(0.5), running(x.clone()), [x]
    listed = filled(items)
    given = [next(number), next(tensor), next(listed)]
    for value in x.flatten()[:3].tolist():
        given.append(number.send(value))
        if value > 0:
            given.append(tensor.send(x * value) + 0)
    return given, listed.send([x + 1, x + 2]), items


@case(inputs=[(POSITIVE,)], refused="DYCL002")
def what_yield_gives_is_added_elsewhere(x):
    """Others may write the variable that Python has read before."""
    total = x

    def running():
        nonlocal total
        while True:
            total += yield  # <- refused

    steps = running()
    next(steps)
    total = total + 1
    steps.send(x)
    return total
