"""Calls whose arguments do not fit: of functions, classes and builtins, with Python's texts."""

import abc
import dataclasses
import typing

from tests.language.harness import case

COUNTS = [(2,), (0,), (-1,)]


def _text(call):
    try:
        call()
    except TypeError as error:
        return str(error)
    return "nothing raised"  # never


def _function(a, b=None, /, c=3, *, d, e=None):
    return a, b, c, d, e


@case(inputs=COUNTS)
def functions(n):
    """Too many, too few, unknown and repeated arguments of functions."""

    def inner(a, b=n, *, c=None):
        return a, b, c  # never

    def rest(a, *more):
        return a, more  # never

    return [
        _text(lambda: inner(1, n, 3)),
        _text(lambda: inner()),
        _text(lambda: inner(1, d=n)),
        _text(lambda: inner(1, a=n)),
        _text(lambda: rest()),
        _text(lambda: _function(n)),
        _text(lambda: _function(a=n, d=1)),
        _text(lambda: _function(n, 2, 3, 4, d=1)),
        _function(n, d=1),
    ]


class _Pair(typing.NamedTuple):
    """Two."""

    left: int
    right: int


@dataclasses.dataclass
class _Step:
    """A name and an amount."""

    name: str
    amount: int = 1


class _Plain:
    def __init__(self, a):
        self.a = a

    def add(self, n):
        return self.a + n


@case(inputs=COUNTS)
def classes(n):
    """Arguments of classes and methods."""
    plain = _Plain(n)
    return [
        _text(lambda: _Plain()),
        _text(lambda: _Plain(n, 2)),
        _text(lambda: plain.add(1, n)),
        _text(lambda: _Step()),
        _text(lambda: _Step("a", n, 3)),
        _text(lambda: _Pair(n)),
        plain.add(2),
    ]


@case(inputs=COUNTS)
def builtins(n):
    """Arguments of builtins."""
    return [
        _text(lambda: bool(n, 2)),
        _text(lambda: bool(x=n)),
        _text(lambda: int(n, 2, 3)),
        _text(lambda: reversed()),
        _text(lambda: reversed([n], [2])),
        _text(lambda: enumerate()),
        _text(lambda: isinstance(n)),
        _text(lambda: len()),
        _text(lambda: len([n], 2)),
        _text(lambda: abs(n, 2)),
        _text(lambda: range()),
        _text(lambda: getattr(n)),
        _text(lambda: zip([n], bold=True)),
        _text(lambda: map(abs)),
        _text(lambda: min()),
        _text(lambda: sorted()),
        _text(lambda: next()),
        _text(lambda: set([n], 2)),
        sum([n], start=2),
        int("100", base=2) + n,
    ]


class _Abstract(abc.ABC):
    @abc.abstractmethod
    def run(self, n):
        """Run."""


class _Concrete(_Abstract):
    def run(self, n):
        return n + 1


@case(inputs=COUNTS)
def abstract_classes(n):
    """A class with abstract methods has no instances."""
    return _text(lambda: _Abstract()), _Concrete().run(n)


class _Keywords:
    def method(self, **given):
        return sorted(given)


@case(inputs=[*COUNTS, (7,)])
def keywords_given_twice(n):
    """A keyword argument may come from the call or from a dict, and not from both."""

    def inner(**given):
        return sorted(given)

    table = {"a": n}
    if n > 6:
        table["b"] = n
    functions = [inner, lambda **given: len(given), _Keywords().method, dict]
    texts = [_text(lambda f=f: str(f(b=1, **table))) for f in functions]
    return texts, _text(lambda: inner(**table, **{"a": 2}))


def _all(*places, **named):
    return list(places), named


def _told(log, item):
    log.append(item)
    return item


@case(inputs=[*COUNTS, (7,)])
def order_of_arguments(n):
    """Keywords come last, and are put in by groups; what is unpacked alone is so after them."""
    log, items = [], [n]
    texts = [
        _text(lambda: _all(**{"a": 1}, a=_told(log, 1), b=_told(log, 2))),
        _text(lambda: _all(a=_told(log, 3), **{"a": n}, b=_told(log, 4))),
        _text(lambda: _all(*5, a=_told(log, 5)))[:0],
        _text(lambda: _all(*5, _told(log, 6), a=_told(log, 7)))[:0],
    ]
    both = _all(_told(log, n), a=_told(log, 8), *[_told(log, 9)])
    alone = _all(*items, a=items.append(10) if n > 0 else None)
    return texts, both, alone, _all(*items, n, a=items.append(11)), log


class _Unordered:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n  # never

    __bool__ = None


@case(inputs=COUNTS, refused="DYCL050")
def methods_taken_away(n):
    """An operator that a class sets to None is refused: Python raises where it is used."""
    return 1 if _Unordered(n) else 0  # <- refused
