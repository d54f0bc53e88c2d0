"""Generators that wait within ``with``, or before a ``finally``, and come to their end."""

import contextlib

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class _Noting:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append("out" if kind is None else kind.__name__)
        return False


def _above(x, log):
    try:
        for number in x.flatten():
            if number > 0:
                yield number.item()
    finally:
        log.append("end")


def _rows(x, log):
    with torch.no_grad(), _Noting(log):
        for row in x:
            yield row * 2
        if x.sum() > 0:
            yield x.sum(0)


@case(inputs=SIGNS)
def walked_to_their_end(x):
    """What runs at their end runs where the last item was asked for."""
    log = []
    numbers = [number * 2 for number in _above(x, log)]
    total = x.sum()
    for row in _rows(x.reshape(2, -1), log):
        log.append("row")
        if row.sum() > 0:
            total = total + row.sum()
    return numbers, total, log, torch.is_grad_enabled()


@case(inputs=SIGNS, slow=True)
def within_each_other(x):
    """`yield from` of such a generator, within a `try` of another one"""

    def outer(log):
        try:
            yield from _above(x, log)
            yield 0.5
        finally:
            log.append("outer")

    log = []
    return sum(outer(log)), list(zip(range(9), outer(log), strict=False)), log


@case(inputs=SIGNS)
def closed_by_hand(x):
    """close() ends them early, an error of theirs as well."""

    def steps(log):
        with _Noting(log):
            yield 1
            if x.sum() < 0:
                raise ValueError("negative")
            yield 2

    log = []
    generator = steps(log)
    first = next(generator)
    try:
        second = next(generator)
    except ValueError as error:
        second = str(error)
    generator.close()
    return first, second, log


@case(inputs=SIGNS)
def under_contextlib(x):
    """`contextlib.closing` closes them, whatever was taken."""
    log = []
    found = 0.0
    with contextlib.closing(_above(x, log)) as numbers:
        for number in numbers:
            found += number
            if found > 1:
                break
    return found, log


@case(inputs=SIGNS, refused="DYCL064")
def left_early(x):
    """Python closes one that nobody holds any longer."""
    log = []
    for number in _above(x, log):  # <- refused
        if number > 1:
            break
    return log


@case(inputs=SIGNS, refused="DYCL064")
def under_another_mode(x):
    """Whoever takes the items would run under the generator's mode, too."""

    def rows():  # <- refused
        with torch.enable_grad():
            for row in x:
                yield row

    asked = [torch.is_grad_enabled() for row in rows() if row.sum() > 0]
    return asked, x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def waits_in_a_handler(x):
    """Generators that wait in `except` and in `else`, and raise there again what they handle"""

    def halves(values):
        for value in values:
            try:
                if value < 0:
                    raise ValueError(value)
            except ValueError as error:
                yield -error.args[0]
                yield 5
            else:
                yield value / 2

    def again(tensor):
        try:
            yield tensor
            if tensor.sum() > 0:
                raise KeyError("positive")
        except KeyError as error:
            sent = yield tensor * 2
            log.append((str(error), sent))
            raise
        finally:
            log.append("left")

    log = []
    try:
        for part in again(x):
            log.append(part)
    except KeyError:
        log.append("caught")
    return list(halves(x.flatten().tolist())), log


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def handles_while_others_wait(x):
    """What a generator handles is its own: whoever takes its items handles nothing"""

    def waiting():
        try:
            raise ValueError("own")
        except ValueError:
            yield 1
            yield 2

    items = waiting()
    found = [next(items)]
    try:
        if x.sum() > 0:
            raise
        raise KeyError("other")
    except (RuntimeError, KeyError) as error:
        found.append(type(error).__name__)
        found.append(next(items))
    return x, found
