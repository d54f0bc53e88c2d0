"""Methods written as text that linecache shows, as attrs writes them; functions bound by hand"""

import linecache
import types

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

TEXT = """\
def __init__(self, total, steps=0):
    store = bind(self)
    store("total", total)
    store("steps", steps)
"""


def written():
    """Return the method in the text, which linecache knows the lines of."""
    file = "<methods written for Counted>"  # at import
    namespace = {"__name__": __name__, "bind": object.__setattr__.__get__}  # at import
    exec(compile(TEXT, file, "exec"), namespace)  # at import
    linecache.cache[file] = (len(TEXT), None, TEXT.splitlines(True), file)  # at import
    return namespace["__init__"]  # at import


class Counted:
    """A class without source of its ``__init__`` in the file."""

    __slots__ = ("steps", "total")
    __init__ = written()


def scaled(self, x, by=2):
    """A function that is bound to objects."""
    return self.total + x * by


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (MIXED / 99,)])
def made_by_them(x):
    """__init__ of a class with slots, which sets what is there through a bound __setattr__"""
    counted = Counted(x)
    while counted.total.sum() < 9 and counted.steps < 4:
        counted = Counted(counted.total + x.abs(), steps=counted.steps + 1)
    return counted.total, counted.steps


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def bound_by_hand(x):
    """types.MethodType(f, y) and f.__get__(y), and what they raise"""
    counted = Counted(x, 1)
    bound = types.MethodType(scaled, counted)
    other = scaled.__get__(counted)
    said = []
    for arguments in ((scaled,), (3, x), (scaled, None)):
        try:
            types.MethodType(*arguments)
        except TypeError as error:
            said.append(str(error))
    return bound(x) + other(x, by=3) if x.sum() > 0 else bound(x), said
