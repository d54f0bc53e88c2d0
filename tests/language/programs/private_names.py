"""Names with two underscores in front: inside a class, Python reads them with the class's name."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Logger:
    """Hides all its names, as libraries do that take any keyword argument."""

    def __init__(__self, __start):
        __self.start = __start
        __self.__step = 3

    def note(__self, __value, *__rest, **__named):
        def shifted(__by):
            return __value + __by

        __total = __self.start + __self.__step
        for __step in range(2):
            __total += __step
        try:
            raise ValueError(3)
        except ValueError as __error:
            __total += __error.args[0]
        squares = [__n * __n for __n in range(3)]
        moved = map(lambda __offset: __offset + __total, squares)
        return shifted(__total), squares, list(moved), f"{__step=} { __step + 1 = }", __named, __rest


@case(inputs=ROWS)
def all_names_of_a_method(x):
    """Parameters, variables, attributes, and names of functions and comprehensions inside."""
    return Logger(2).note(x, 1, start=2) if x.sum() > 0 else x


@case(inputs=ROWS)
class OfTheModel(nn.Module):
    """A private method, keyword and variable of the model itself."""

    def __doubled(self, x):
        return x * 2

    def forward(self, x, *, __scale=2.0):
        __y = x
        if x.sum() > 0:
            __y = self.__doubled(x) * __scale
        return __y


class Caller:
    """Calls with a keyword of such a name."""

    def taken(self, **named):
        return named

    def call(self, __y):
        return self.taken(__y=__y)


@case(inputs=ROWS)
def keywords_of_calls(x):
    """Python leaves the keyword of a call as it is."""
    return Caller().call(x)


def __double(x):
    return x * 2


@case(inputs=ROWS)
def outside_of_classes(x):
    """Without a class around it the name is as it stands."""
    __y = __double(x)
    return __y.relu() if __y.sum() > 0 else __y


class _Base:
    """Its name begins with an underscore, which Python leaves out."""

    def __init__(self, n):
        self.__n = n

    def base(self):
        return self.__n


class _Derived(_Base):
    """Has an attribute of the same private name."""

    def __init__(self, n, m):
        super().__init__(n)
        self.__n = m

    def derived(self, x):
        return next(map(lambda __a: __a + self.__n, [x]))


@case(inputs=ROWS)
def of_a_class_and_its_base(x):
    """A class and its base have a private attribute each."""
    both = _Derived(2, 3)
    both.base()
    return both.derived(x) * both.base() if x.sum() > 0 else x - both.base()


class _Local:
    def run(self, x):
        def __scaled(x):
            return x * 2

        __y = __scaled(x)
        return (__y.relu() if __y.sum() > 0 else __y), __scaled.__name__

    def kept(self, x):
        class Kept:  # <- refused
            def get(self):
                return self.__value  # never

        return Kept()


@case(inputs=ROWS)
def bound_by_a_statement(x):
    """A function in a method keeps its name."""
    return _Local().run(x)


@case(inputs=ROWS, refused="DYCL001")
def in_a_class_of_a_function(x):
    """Private names of a class that is made in a function are not taken."""
    return _Local().kept(x)


_Names__offset = torch.tensor(2.0)


class _Names:
    def shifted(self, x):
        global __offset
        return x + __offset


@case(inputs=ROWS)
def of_a_module(x):
    """A variable of the module, read in a class, has the class's name, too."""
    return _Names().shifted(x) if x.sum() > 0 else x


@case(inputs=[(POSITIVE,), (NEGATIVE,)], factory=True)
def in_a_class_of_underscores():
    """A class whose name is underscores alone makes no names private"""

    class ___(nn.Module):  # noqa: N801
        """Has a factor."""

        def __init__(self):
            super().__init__()
            self.__factor = 2

        def forward(self, x):
            try:
                return x * self.__factor if x.sum() > 0 else x
            except AttributeError:  # never
                return None  # never

    return ___()
