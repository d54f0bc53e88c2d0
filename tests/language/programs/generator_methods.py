"""What generators return, and what is sent and thrown into them."""

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


def _halves(x):
    yield x / 2
    return x.sum()


def _running(x):
    total = x * 0
    while True:
        got = yield total
        if got is None:
            return "ended"
        total = total + got


def _careful(x, log):
    try:
        first = yield x
        second = yield first * 2
    except ValueError as error:
        log.append(str(error))
        return "caught"
    return second


@case(inputs=BOTH)
def value_of_the_end(x):
    """StopIteration has what a generator returned, and nothing when it is asked again."""
    halves = _halves(x)
    first, ends = next(halves), []
    for _ in range(2):
        try:
            next(halves)
        except StopIteration as end:
            ends.append((end.value, len(end.args)))
    return first, ends


@case(inputs=BOTH)
def value_of_the_end_after_a_loop(x):
    """A loop takes the end of a generator: what it returned is gone."""
    halves = _halves(x)
    found = [half for half in halves]
    try:
        next(halves)
    except StopIteration as end:
        return found, end.value


@case(inputs=BOTH)
def result_of_yield_from(x):
    """`yield from` gives what the inner generator returned; None for other iterables."""

    def outer():
        total = yield from _halves(x) if x.sum() > 0 else _halves(x * 3)
        none = yield from [x, x + 1]
        yield total, none

    return list(outer())


@case(inputs=BOTH)
def value_sent(x):
    """send() gives the value to the `yield`; None, as next() sends, ends this one."""
    running = _running(x)
    first = next(running)
    second = running.send(x + 1)
    third = running.send(x if x.sum() > 0 else x * 10)
    try:
        running.send(None)
    except StopIteration as end:
        return first, second, third, end.value


@case(inputs=BOTH)
def value_sent_to_the_start(x):
    """A generator that has not begun takes None only; one that has ended raises."""
    running, told = _running(x), []
    try:
        running.send(x)
    except TypeError as error:
        told.append(str(error))
    running.send(None)
    running.close()
    try:
        running.send(x)
    except StopIteration as end:
        told.append(end.value)
    return told


@case(inputs=BOTH)
def exception_thrown(x):
    """throw() raises at the `yield`, which may be inside of a `try`."""
    log, results = [], []
    careful = _careful(x, log)
    results.append(next(careful))
    try:
        if x.sum() > 0:
            careful.throw(ValueError("thrown"))
        results.append(careful.send(x + 1))
        careful.send(x - 1)
    except StopIteration as end:
        results.append(end.value)
    try:
        _careful(x, log).throw(KeyError)
    except KeyError:
        log.append("not begun")
    return results, log


@case(inputs=BOTH)
def generator_closed(x):
    """close() raises GeneratorExit at the `yield`; closing twice does nothing."""
    log = []

    def counting():
        for i in range(3):
            try:
                yield x * i
            except GeneratorExit:
                log.append(i)
                return

    numbers = counting()
    first = next(numbers)
    if x.sum() > 0:
        first = next(numbers)
    numbers.close()
    numbers.close()
    return first, log, list(numbers)


@case(inputs=BOTH)
def generator_that_ignores_its_end(x):
    """A generator that yields when it is closed: RuntimeError."""

    def stubborn():
        try:
            yield x
        except GeneratorExit:
            pass
        yield x + 1

    numbers = stubborn()
    next(numbers)
    try:
        numbers.close()
    except RuntimeError as error:
        return str(error), numbers.__next__ is not None


@case(inputs=BOTH)
def stop_iteration_inside(x):
    """StopIteration that leaves a generator becomes RuntimeError (PEP 479)."""

    def taking(items):
        while True:
            yield next(items)

    try:
        return [item * 2 for item in taking(iter([x]))]
    except RuntimeError as error:
        return str(error)


@case(inputs=BOTH)
def sent_through_yield_from(x):
    """send() to a generator that waits in an inner one goes to that; what it returns comes back."""

    def inner(total, times):
        for _ in range(times):
            given = yield total
            total = total * 2 if given is None else total + given
        return total

    def middle(total):
        result = yield from inner(total, 2)
        return result

    def outer():
        first = yield from middle(x)
        last = yield from inner(first, 1) if x.sum() > 0 else middle(first * 3)
        yield last

    running, results = outer(), []
    results.append(next(running))
    for given in (x, None, 2.0, x * 3):
        try:
            results.append(running.send(given))
        except StopIteration as end:
            results.append(end.value)
    return results


class _Early(torch.nn.Module):
    """Layers that give what they computed, and go on with what they get."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(3))

    def layer_by_layer(self, x):
        for layer in self.layers:
            x = yield torch.relu(layer(x))

    def wrapped(self, x):
        yield from self.layer_by_layer(x)


@case(inputs=BOTH)
class LayersAskedOneByOne(_Early):
    """Layers within a wrapper are asked one by one, until the result is sure"""

    def forward(self, x):
        walk, given, count = self.wrapped(x), None, 0
        try:
            while True:
                given = walk.send(given)
                count += 1
                if given.max() + x.sum() > 1:
                    break
        except StopIteration:
            count = -count
        return given, count


@case(inputs=BOTH, refused="DYCL039")
def sent_to_an_iterator_of_a_list(x):
    """send() to a generator that waits in an iterator of a list is refused: it has no send()."""

    def outer():
        yield from [x, x + 1]  # <- refused

    running = outer()
    next(running)
    return running.send(x)


@case(inputs=BOTH, refused="DYCL039")
def thrown_through_yield_from(x):
    """throw() to a generator that waits in an inner one is refused."""

    def outer():
        yield from _running(x)

    running = outer()
    next(running)
    return running.throw(ValueError("thrown"))  # <- refused


@case(inputs=BOTH, refused="DYCL064")
def left_where_it_would_see_its_end(x):
    """Python would close a generator that nobody holds any longer, and its handler would run."""
    log = []

    def counting():
        for i in range(3):
            try:
                yield x * i
            except GeneratorExit:
                log.append(i)
                return

    return next(counting()), log  # <- refused
