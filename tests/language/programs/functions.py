"""Functions as values: defaults, closures, nonlocal, decorators, partial, recursion."""

import functools

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


def _scaled(x, scale=2.0, *, shift=0):
    if x.sum() > 0:
        x = x * scale
    return x + shift


@case(inputs=BOTH)
def mutable_default(x):
    """A mutable default is one object for all calls within the program."""

    def remember(value, seen=[]):
        seen.append(value)
        return len(seen)

    first = remember(1)
    if x.sum() > 0:
        remember(2)
        first = 10
    return first, remember(3) if x.sum() > 0 else 0


@case(inputs=BOTH)
def default_evaluated_at_definition(x):
    """A default is evaluated when the function is defined."""
    n = 1

    def add(value, amount=n):
        return value + amount + n

    n = 5
    if x.sum() > 0:
        return add(x)
    return add(x, 0)


@case(inputs=BOTH)
def closures_see_later_values(x):
    """A closure sees the variable, not the value it had at definition."""
    scale = 1

    def scaled(value):
        return value * scale

    first = scaled(x)
    if x.sum() > 0:
        scale = 10
    return first, scaled(x)


@case(inputs=BOTH)
def closures_over_loop_variable(x):
    """Functions made in a loop share its variable; defaults freeze it."""
    late = [lambda v: v + i for i in range(3)]
    early = [lambda v, i=i: v + i for i in range(3)]
    adders = []
    for k in range(2):
        adders.append(lambda v: v * k)
    if x.sum() > 0:
        k = 7
    return late[0](1), early[0](1), adders[0](x)


@case(inputs=[*BOTH, (MIXED,)])
def nonlocal_counter(x):
    """nonlocal writes the variable of the enclosing function."""
    count = 0
    last = None

    def visit(row):
        nonlocal count, last
        if row.sum() > 0:
            count += 1
            last = row

    for row in x:
        visit(row)
    return count, last


@case(inputs=BOTH)
def functions_as_values(x):
    """Functions are passed, returned and kept in lists and dicts."""

    def twice(function):
        return lambda value: function(function(value))

    def compose(*functions):
        def composed(value):
            for function in functions:
                value = function(value)
            return value

        return composed

    table = {"grow": twice(lambda v: v + 1), "square": torch.square}
    pipeline = compose(table["grow"], table["square"], torch.sqrt)
    return pipeline(x) if x.sum() > 0 else table["grow"](x)


def _clamped(limit):
    def decorate(function):  # at import
        @functools.wraps(function)  # at import
        def wrapper(*args, **kwargs):  # at import
            result = function(*args, **kwargs)
            return result.clamp(max=limit)

        return wrapper  # at import

    return decorate  # at import


@_clamped(2.0)
def _decorated(x, amount=1):
    if x.sum() > 0:
        return x + amount
    return x - amount


@case(inputs=BOTH)
def own_decorators(x):
    """A decorator with arguments wraps a function."""
    return _decorated(x), _decorated(x, amount=2)


@case(inputs=BOTH)
class StaticAndClassMethods(nn.Module):
    """staticmethod, classmethod, class attributes and properties."""

    floor = -1.0

    @staticmethod
    def sharpen(x, power):
        return x**power

    @classmethod
    def clip(cls, x):
        return x.clamp(min=cls.floor)

    @property
    def power(self):
        return 2 if self.floor < 0 else 3  # known

    def forward(self, x):
        if x.sum() > 0:
            return self.sharpen(x, self.power)
        return type(self).clip(StaticAndClassMethods.sharpen(x, 3))


@case(inputs=BOTH)
def partials(x):
    """functools.partial with positional and keyword arguments; functools.reduce."""
    shifted = functools.partial(_scaled, shift=2)
    clipped = functools.partial(torch.clamp, min=-1.0)
    total = functools.reduce(lambda a, b: a + b, [x, x, x])
    return shifted(x), clipped(x, max=1.0), total


def _power(x, n):
    if n == 0:
        return torch.ones_like(x)
    if x.sum() > 0:
        return x * _power(x, n - 1)
    return _power(x, n - 1) - x


@case(inputs=BOTH)
def recursion_of_known_depth(x):
    """Recursion whose depth is known unrolls."""
    return _power(x, 3)


@case(inputs=BOTH)
def early_return_in_called_function(x):
    """return in an inlined function ends that function only."""

    def pick(y):
        for i in range(3):
            if y[0, i] > 1:
                return i
        return -1

    first, second = pick(x), pick(-x)
    return first, second


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def returned_and_called_at_once(x):
    """What a function reads that only its call holds is there after a test, too"""

    def scaled_by(factors):
        def scale(y):
            for factor in factors:
                y = y * factor if y.sum() > 0 else y - factor
            return y

        return scale

    return scaled_by([2, 3])(x) + scaled_by((x.sum(), 4))(x)
