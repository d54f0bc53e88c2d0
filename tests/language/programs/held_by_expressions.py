"""What only an expression, a loop or a result on its way holds: generators and functions with variables of their own."""

import itertools

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
SIGNS = [(torch.tensor([1.0, 2.0, 3.0]),), (torch.tensor([2.0, -2.0, 5.0]),), (torch.tensor([-1.0, -2.0, -3.0]),)]


def _positive(x):
    return [float(v) for v in x.tolist() if v > 0]


def _told(items):
    for item in items:
        told = item
        yield told
        yield told + 1


def _both(first, second):
    return list(first), list(second)


@case(inputs=SIGNS)
def tee_walked_over(x):
    """The iterators of tee over a list of run time are walked by the loop that holds them."""
    return [list(each) for each in itertools.tee(_positive(x))]


@case(inputs=SIGNS)
def generators_in_a_tuple(x):
    """Generators of one function that only a loop holds keep their variables while one is walked."""
    rows = _positive(x)
    out = []
    for each in (_told(rows), _told(rows[1:])):
        for v in each:
            out.append(v)
    return out, [list(each) for each in (_told(rows), _told(rows[1:]))]


@case(inputs=SIGNS)
def generators_in_containers(x):
    """So do those in lists, dicts, and attributes of objects that only a loop holds."""

    class Pair:
        def __init__(self, one, two):
            self.parts = (one, two)

    rows = _positive(x)
    out = []
    for each in [_told(rows), _told(rows[1:]), _told(rows[:1])]:
        for v in each:
            out.append(v)
    for name, each in {"a": _told(rows), "b": _told(rows[1:])}.items():
        out.append((name, list(each)))
    for each in Pair(_told(rows), _told(rows[1:])).parts:
        for v in each:
            if v > 2:
                break
            out.append((v, v))
    return out


@case(inputs=SIGNS)
def generators_as_arguments(x):
    """So do those that a call being evaluated holds."""
    rows = _positive(x)
    return _both(_told(rows), [v for v in rows if v > 1]), _both(*(_told(rows), _told(rows[1:])))


def _made(t):
    def made():
        return t + 0

    return made


@case(inputs=BOTH)
def functions_in_a_tuple(x):
    """Functions that only a loop holds keep the variables they read where paths join."""
    out = []
    for each in (_made(x[0]), _made(x[1])):
        if x.sum() > 0:
            out.append(each())
        else:
            out.append(x[0])
    return out


@case(inputs=BOTH)
def functions_that_see_writes(x):
    """What is written into a tensor is seen by functions that only a loop holds."""
    y = x * 2
    out = []
    for each in (_made(y[0]), _made(y[1])):
        out.append(each())
        if x.sum() > 0:
            y.add_(1)
    return out


def _counter():
    n = 0

    def count():
        nonlocal n
        n += 1
        return n

    return count


@case(inputs=BOTH)
def functions_that_count(x):
    """One function twice in what a loop walks has its variables once, and changes them on one path."""

    def twice():
        count = _counter()
        return count, count

    return [(each() if x.sum() > 0 else 0, each()) for each in twice()]


@case(inputs=BOTH)
def result_passes_finally(x):
    """A result that passes by a finally clause is held by nothing else while paths join there."""
    log = []

    def generator():
        try:
            return _told([x, x * 2])
        finally:
            if x.sum() > 0:
                log.append("left")

    def function():
        try:
            return _made(x)
        finally:
            if x.sum() > 0:
                log.append("left")

    return list(generator()), function()(), log


@case(inputs=BOTH)
def result_changed_by_finally(x):
    """What a finally clause does to the list that is returned, or that the error holds, is seen."""

    def returned():
        out = [1]
        try:
            return out, 2
        finally:
            if x.sum() > 0:
                out[0] = 5

    def raised():
        out = [1]
        try:
            raise ValueError(out)
        finally:
            if x.sum() > 0:
                out.append(5)

    try:
        raised()
    except ValueError as error:
        return returned(), error.args[0], x


class _Closing:
    def __init__(self, out, x):
        self.out = out
        self.x = x

    def __enter__(self):
        return self.out

    def __exit__(self, *told):
        if self.x.sum() > 0:
            self.out.append("closed")


@case(inputs=BOTH)
def result_changed_by_exit(x):
    """So is what a manager does to it as it is left."""

    def returned():
        with _Closing([1], x) as out:
            return out

    return returned(), x
