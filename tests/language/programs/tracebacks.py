"""The traceback that ``__exit__`` gets beside an error."""

import contextlib
import types

import torch
from torch import nn

from tests.language.harness import case

SMALL, LARGE = torch.ones(3), torch.full((3,), 4.0)


class Saved:
    """Says whether all went well, by the traceback alone."""

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append("saved" if traceback is None else "left")
        return True


def doubled(x, manager):
    with manager:
        if x.sum() > 6:
            raise ValueError("too much")
        x = x * 2
    return x


@case(inputs=[(SMALL,), (LARGE,)])
def there_is_one_beside_an_error(x):
    """A traceback is None where there is no error, and only there."""
    log = []
    return doubled(x, Saved(log)), log


class Passing(Saved):
    """Hands on what it was told."""

    def __exit__(self, *told):
        return super().__exit__(*told)


@case(inputs=[(SMALL,), (LARGE,)])
def handed_on(x):
    """What an ``__exit__`` gets goes on to the one that it inherits."""
    log = []
    return doubled(x, Passing(log)), log


class Telling:
    """Says how it ended, and lets errors pass."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        print("fine" if traceback is None else "failed")


@case(inputs=[(4, 2), (4, 0)])
def beside_errors_of_the_host(number, by):
    """An error that nothing catches has a traceback, too."""
    with Telling():
        return number // by


class Failing:
    """Raises when it is left."""

    def __enter__(self):
        return self

    def __exit__(self, *told):
        raise KeyError("left")


@case(inputs=[(SMALL,), (LARGE,)])
def of_managers_on_a_stack(x):
    """A stack tells its managers and functions of the traceback, also of what one of them raises."""
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(Saved(log))
        stack.push(lambda kind, error, traceback: log.append("with" if traceback else "without"))
        if x.sum() > 6:
            stack.enter_context(Failing())
        x = x * 2
    return x, log


def waiting(log):
    with Saved(log):
        yield 1


@case(inputs=[(SMALL,), (LARGE,)])
def beside_errors_thrown_into_generators(x):
    """A manager in which a generator waits is told of the traceback of what is thrown there."""
    log = []
    steps = waiting(log)
    next(steps)
    if x.sum() > 6:
        try:
            steps.throw(ValueError("too much"))
        except StopIteration:
            log.append("ended")
    else:
        next(steps, None)
    return x + 1, log


class Keeping:
    """Keeps what it is told."""

    def __enter__(self):
        return self

    def __exit__(self, *told):
        self.told = told
        return True


@case(inputs=[(SMALL, 2), (LARGE, 0), (LARGE, 2), (LARGE, 1)])
def found_by_a_number(x, place):
    """What an ``__exit__`` keeps of all that it gets is found by a number of run time."""
    kept = Keeping()
    doubled(x, kept)
    return kept.told[place] is None


@case(inputs=[(SMALL,), (LARGE,)])
class KeptByTheModel(nn.Module):
    """Whether there was an error is kept for later calls, by what ``__exit__`` got."""

    def __init__(self):
        super().__init__()
        self.last = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.last = isinstance(traceback, types.TracebackType)
        return True

    def forward(self, x):
        before = self.last
        return doubled(x, self), before


def _left():
    kept = Keeping()
    with kept:
        raise ValueError("at once")
    return kept.told[2]


@case(inputs=[(SMALL,)], refused="DYCL039")
def line_of_one(x):
    """Where an error passed is not known."""
    return x + _left().tb_lineno  # <- refused


@case(inputs=[(SMALL,)], refused="DYCL054")
def text_of_one(x):
    """The text of a traceback says where it is in memory."""
    return x, str(_left())  # <- refused


@case(inputs=[(SMALL,)], refused="DYCL046")
def printed_one(x):
    """Nothing but that text would be printed of it."""
    print(_left())  # <- refused
    return x


@case(inputs=[(SMALL,)], refused="DYCL037")
def two_that_may_be_one(x):
    """Which tracebacks are one object is not known."""
    return x, _left() is _left()  # <- refused


@case(inputs=[(SMALL,)], refused="DYCL037")
def two_compared(x):
    """Whether they are equal is whether they are one object."""
    return x, _left() == _left()  # <- refused


@case(inputs=[(SMALL,), (LARGE,)], refused="DYCL051")
def as_keys(x):
    """Which of them are one key is not known"""
    one, two = Keeping(), Keeping()
    doubled(x + 4, one)
    doubled(x + 5, two)
    return x, len({one.told[2]: 1, two.told[2]: 2})  # <- refused
