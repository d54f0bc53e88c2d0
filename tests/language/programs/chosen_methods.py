"""Methods that functools makes or chooses, and builtins that ask methods of the user's classes."""

import functools
import math

import torch

from tests.language.harness import case


def _row(*numbers):
    return (torch.tensor(numbers),)  # at import


ROWS = [_row(1.0, 2.0, 3.0), _row(-1.0, 2.0, -3.0), _row(0.0, 0.0, 0.0), _row(5.0, -2.0, 2.5)]


@functools.singledispatch
def _described(value):
    return "something", value.__class__.__name__


@_described.register
def _(value: int):
    return value + 1


@_described.register(float)
def _half(value):
    return value / 2


@_described.register(list)
def _all(value):
    return [_described(item) for item in value]


@_described.register
def _(value: torch.Tensor):
    return value * 3


@case(inputs=ROWS)
def a_function_for_each_class(x):
    """functools.singledispatch chooses by the class of a run-time value."""
    number = x[0].item()
    parts = _described(number), _described(int(number)), _described([number, 1])
    return parts, _described(x), _described("text"), _described((1, 2))


class _Log:
    def __init__(self):
        self.rows = []

    def put(self, kind, value, *, times=1):
        self.rows.append((kind, value * times))

    once = functools.partialmethod(put, 1)
    often = functools.partialmethod(put, 2, times=3)

    @functools.singledispatchmethod
    def scaled(self, value):
        return -1

    @scaled.register
    def _(self, value: int):
        return value * 10 + len(self.rows)

    @scaled.register
    def _(self, value: float):
        return value * 100


@case(inputs=ROWS)
def methods_made_of_methods(x):
    """partialmethod and singledispatchmethod of an object made in the call."""
    log = _Log()
    log.once(x[0].item())
    log.often(x[1].item())
    log.often(x[1].item(), times=0)
    return log.rows, log.scaled(x[0].item()), log.scaled(int(x[0].item())), log.scaled("text")


class _Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __abs__(self):
        return math.sqrt(sum(part * part for part in self.parts))

    def __round__(self, digits=None):
        return [round(part, digits) for part in self.parts]


@case(inputs=ROWS)
def builtins_ask_methods(x):
    """abs() and round() of objects."""
    vector = _Vector(*x.tolist())
    return abs(vector), round(vector), round(vector, 1)
