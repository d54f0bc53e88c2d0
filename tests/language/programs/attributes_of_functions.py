"""Attributes of functions: read, and kept from call to call where the program writes them."""

import functools

from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SERIES = [(POSITIVE,), (NEGATIVE,), (POSITIVE,), (MIXED,), (NEGATIVE,)]


@case(inputs=SERIES, factory=True)
def counts_its_calls():
    """A function that counts how often it is called"""

    def scaled(x):
        scaled.calls += 1
        return x * scaled.calls if x.sum() > 0 else x

    scaled.calls = 0
    return scaled


@case(inputs=SERIES, factory=True)
def remembers_in_itself():
    """A function that makes its memory in the first call"""

    def found(x):
        if not hasattr(found, "memo"):
            found.memo = {}
        key = int(x.sum())
        if key not in found.memo:
            found.memo[key] = x.max().item()
        return x * len(found.memo), found.memo[key]

    return found


@case(inputs=SERIES, factory=True)
def counts_in_try():
    """An attribute that is missing at first, which an except clause sets"""

    def counted(x):
        try:
            counted.number += 1
        except AttributeError:
            counted.number = 1
        return x * counted.number if x.sum() > 0 else -x

    return counted


def _counting(function):
    @functools.wraps(function)
    def around(x):
        around.count += 1
        return function(x) * around.count

    around.count = 0
    return around


@case(inputs=SERIES, factory=True)
def counted_by_decorator():
    """A decorator that counts, on the function that it makes"""

    @_counting
    def clipped(x):
        return x if x.sum() > 0 else x.clamp(min=-1)

    return clipped


@case(inputs=SERIES, factory=True)
def last_tensor():
    """A tensor of the call before, on a helper that is called twice"""

    def smoothed(x):
        found = smoothed.last
        smoothed.last = x * 0.5 if found is None else found * 0.5 + x
        return smoothed.last

    smoothed.last = None

    def forward(x):
        y = smoothed(x) if x.sum() > 0 else x
        return y + smoothed(x)

    return forward


@case(inputs=SERIES, factory=True)
def left_by_an_error():
    """What a function has counted when it raises"""

    def checked(x):
        checked.seen.append(1)
        if x.sum() > 0:
            raise ValueError("too large")
        return x

    checked.seen = []

    def forward(x):
        try:
            return checked(x), len(checked.seen)
        except ValueError:
            return x * 0, len(checked.seen)

    return forward


REGISTRY = {}


def _register(name, order):
    def register(function):  # at import
        function.key, function.order = name, order  # at import
        REGISTRY[name] = function  # at import
        return function  # at import

    return register  # at import


@_register("double", 2)
def _doubled(x):
    return x * 2


@_register("half", 1)
def _halved(x):
    return x / 2


@case(inputs=SERIES)
def in_a_registry(x):
    """Functions that a decorator has registered: their attributes are read"""
    for function in sorted(REGISTRY.values(), key=lambda each: each.order):
        if function.key == "half" or x.sum() > 0:
            x = function(x)
    return x, getattr(_doubled, "missing", 3), hasattr(_halved, "order")


@case(inputs=SERIES)
class OfMethods(nn.Module):
    """Methods have the attributes of their functions, and their names"""

    def forward(self, x):
        seen = []
        for name in ("first", "second"):
            method = getattr(self, name)
            if method.order > 1 and x.sum() > 0:
                x = method(x)
            seen.append((method.__name__, getattr(method, "other", None)))
        return x, seen

    def first(self, x):
        return x + 1

    def second(self, x):
        return x + 2  # never

    first.order, second.order = 2, 1


@case(inputs=SERIES, factory=True)
def counted_by_method():
    """A method's function that a method counts on"""

    class Counted(nn.Module):
        """Counts."""

        def forward(self, x):
            self.count()
            return x * Counted.count.calls if x.sum() > 0 else x

        def count(self):
            Counted.count.calls += 1

        count.calls = 0

    return Counted()


@case(inputs=[(3,), (5,)], factory=True, refused="DYCL067")
def counted_in_recursion():
    """A recursion of run time that counts on itself is refused"""

    def depth(n):
        depth.calls += 1  # <- refused
        return 1 if n <= 0 else depth(n - 1) + 1

    depth.calls = 0
    return lambda n: (depth(n), depth.calls)


@case(inputs=SERIES, refused="DYCL043")
def of_function_of_the_call(x):
    """An attribute of a function that is made in the call is refused"""

    def scaled(y):
        return y * scaled.factor  # never

    scaled.factor = 2  # <- refused
    return scaled(x) if x.sum() > 0 else x


class _Table:
    @classmethod
    def made(cls):
        return 1


@case(inputs=SERIES)
def bound_methods_take_none(x):
    """A bound method takes no attributes, as numbers, builtins and ranges do not"""
    said = []
    try:
        _Table.made.calls = 1
    except AttributeError as error:
        said.append(str(error))
    try:
        len.calls = 1
    except AttributeError as error:
        said.append(str(error))
    try:
        x.shape.calls = 1
    except AttributeError as error:
        said.append(str(error))
    return said, x * _Table.made()


@case(inputs=SERIES, factory=True)
def by_the_function_of_a_class_method():
    """The function that a class method runs has attributes, which the method shows"""

    class Table:
        @classmethod
        def made(cls):
            return 1

    def program(x):
        Table.made.__func__.seen = x.sum().item()
        found = getattr(Table.made, "seen", 0.0)
        return x + found, hasattr(Table.made, "other"), Table.made.__name__, Table.made()

    return program
