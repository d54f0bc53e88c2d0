"""Calls whose arguments do not fit: of functions, classes and builtins, with Python's texts."""

import abc
import bisect
import collections
import dataclasses
import functools
import heapq
import itertools
import math
import operator
import typing
from collections import Counter, OrderedDict, defaultdict

import torch

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


def _kind(call):
    try:
        call()
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing raised"


class _Bare:
    """Nothing that builtins look for."""


class _Counting:
    def __iter__(self):
        return iter((1, 2))

    def __call__(self):
        return 3


@case(inputs=COUNTS)
def kinds_for_iterators(n):
    """What makes an iterator of things that cannot be walked raises at once, not at the first."""
    bare, own = _Bare(), _Counting()
    return [
        _kind(lambda: itertools.islice(n, 2)),
        _kind(lambda: itertools.accumulate(n)),
        _kind(lambda: itertools.groupby(n)),
        _kind(lambda: itertools.groupby(bare)),
        _kind(lambda: itertools.groupby(n, key=str)),
        _kind(lambda: itertools.starmap(max, n)),
        _kind(lambda: itertools.zip_longest([n], n)),
        _kind(lambda: itertools.takewhile([n], n)),
        _kind(lambda: itertools.takewhile(n, [n])),
        _kind(lambda: itertools.pairwise(n)),
        _kind(lambda: itertools.compress([n], bare)),
        _kind(lambda: itertools.chain.from_iterable(n)),
        _kind(lambda: itertools.chain(n, 2)),
        _kind(lambda: itertools.count([n])),
        _kind(lambda: itertools.count("a")),
        _kind(lambda: itertools.repeat(n, 1.5)),
        _kind(lambda: iter(n, n)),
        _kind(lambda: iter(bare, n)),
        _kind(lambda: iter(bare)),
        _kind(lambda: map(n, [n])),
        _kind(lambda: map(abs, bare)),
        _kind(lambda: filter(None, n)),
        list(map(abs, own)) + list(itertools.islice(own, 1)) + [next(iter(own, n)), n],
    ]


@case(inputs=COUNTS)
def kinds_for_makers(n):
    """What is made of a function, of a name or of numbers looks at what it is given."""
    bare, own = _Bare(), _Counting()
    return [
        _kind(lambda: functools.partial(n)),
        _kind(lambda: functools.partial(bare, n)),
        _kind(lambda: operator.attrgetter(n)),
        _kind(lambda: operator.attrgetter("a", [n])),
        _kind(lambda: defaultdict(n)),
        _kind(lambda: defaultdict({n: 1})),
        _kind(lambda: defaultdict(bare)),
        _kind(lambda: range([n], n)),
        _kind(lambda: range("a", n)),
        _kind(lambda: range(n, 1.5)),
        _kind(lambda: dict.fromkeys([n], 1, 2)),
        _kind(lambda: dict.fromkeys()),
        _kind(lambda: dict.fromkeys(key=n)),
        _kind(lambda: OrderedDict.fromkeys(n, n, n)),
        _kind(lambda: heapq.heapify([n], n)),
        _kind(lambda: heapq.heappush([n], 1, 2)),
        _kind(lambda: heapq.heappop((n,))),
        _kind(lambda: print(key=n)),
        functools.partial(own)() + defaultdict(own)[n],
    ]


@case(inputs=COUNTS)
def kinds_for_strings(n):
    """A method of a string looks at what it is given, where the string is made at run time, too."""
    text = f"a{n}"
    return [
        _kind(lambda: text.startswith(n)),
        _kind(lambda: text.startswith(("a", n))),
        _kind(lambda: text.startswith()),
        _kind(lambda: text.find(n)),
        _kind(lambda: text.find("a", text)),
        _kind(lambda: text.zfill("a")),
        _kind(lambda: text.zfill(1.5)),
        _kind(lambda: text.strip(n)),
        _kind(lambda: text.replace("a", n)),
        _kind(lambda: text.split(n)),
        _kind(lambda: text.split(sep="a", maxsplit=[n])),
        _kind(lambda: text.upper(n)),
        _kind(lambda: "ab".replace(n, n)),
        _kind(lambda: "ab".center(n, text, text)),
        _kind(lambda: "ab".join()),
        _kind(lambda: "ab".join(n)),
        _kind(lambda: "ab".join([text, n])),
        _kind(lambda: "ab".join(key=n)),
        text.startswith(("a", "b")) + text.find("a", n),
    ]


@case(inputs=[(torch.tensor([2, 1]), 2), (torch.tensor([1, 2]), -1)])
def kinds_with_tensors(x, n):
    """Tensors among the arguments."""
    return [
        _kind(lambda: range(x)),
        _kind(lambda: range(n, x)),
        _kind(lambda: range(x[0].float(), 3)),
        _kind(lambda: functools.partial(x)),
        _kind(lambda: iter(x.sum())),
        _kind(lambda: itertools.pairwise(x[0])),
        _kind(lambda: f"a{n}".find(x)),
        _kind(lambda: x.unbind("a"))[:9],
        _kind(lambda: x.to("nowhere"))[:12],
        _kind(lambda: x.cpu(n))[:9],
        len(range(x[:1])),
    ]


@case(inputs=[(torch.ones(1),), (torch.ones(3),)], dynamic_shapes={"x": {0: torch.export.Dim("n")}})
def kinds_with_sizes(x):
    """A range of a tensor that may have several elements."""
    try:
        return len(range(x.long()))
    except TypeError as error:
        return str(error)


@case(inputs=[(2,), (0,), (-1,), (-2,)])
def numbers_for_iterators(n):
    """What is made of numbers that it does not take raises at once, too."""
    rows = [1, 2, 3]
    return [
        _kind(lambda: list(itertools.islice(rows, n))),
        _kind(lambda: list(itertools.islice(rows, n, None))),
        _kind(lambda: list(itertools.islice(rows, 1, n))),
        _kind(lambda: list(itertools.islice(rows, 0, 3, n))),
        _kind(lambda: itertools.islice(rows, n + 0.5)),
        _kind(lambda: itertools.islice(rows, "a")),
        _kind(lambda: itertools.islice(n, n)),
        _kind(lambda: itertools.tee(n, 0)),
        _kind(lambda: operator.concat(n, n)),
        _kind(lambda: bisect.insort(n, n)),
        _kind(lambda: OrderedDict([], n)),
        _kind(lambda: itertools.tee([n], -1)),
        _kind(lambda: itertools.product(rows, repeat=-1)),
        _kind(lambda: itertools.product([n], repeat=-1)),
    ]


@case(inputs=COUNTS)
def nothing_to_count(n):
    """Counters take None for nothing to count."""
    counter = Counter([n])
    counter.update(None)
    return counter, Counter(None), _kind(lambda: Counter(n)), _kind(lambda: counter.update(n))


def _items(made):
    found = []
    try:
        for item in made:
            found.append(item)
    except TypeError as error:
        found.append(str(error))
    return found


@case(inputs=COUNTS)
def items_before_errors(n):
    """Iterables are asked for their items one after the other: an error comes after the first."""
    return _items(itertools.chain([1, 2], None)), _items(itertools.chain(None)), n


@case(inputs=COUNTS, refused="DYCL063")
def no_class_to_catch(n):
    """What ``except`` names has to be a class of exceptions: Python raises a TypeError there."""
    try:
        return [n][n]
    except 42:  # <- refused
        return 0  # never


@case(inputs=COUNTS, refused="DYCL063")
def no_class_to_catch_of_the_host(n):
    """So it is where the host looks the number up: no error passes by."""
    numbers = [n * 2, n + 1, n - 3, n * n, 0, 1, 2, 3, 4]
    try:
        return numbers[n + 9]
    except 42:  # <- refused
        return 0  # never


@case(inputs=COUNTS, refused="DYCL063")
def nested_classes_to_catch(n):
    """A tuple in a tuple is none, either."""
    try:
        return [n][n]
    except (KeyError, (IndexError, TypeError)):  # <- refused
        return 0  # never


@case(inputs=[(2, 0.5), (1, -0.0), (-1, 2.0)])
def kinds_compared(n, f):
    """Numbers, texts and None are not compared with each other, nor added; texts are not summed."""
    text = f"a{n}"
    return [
        _kind(lambda: max(n, text)),
        _kind(lambda: min([n, None])),
        _kind(lambda: min(f, int)),
        _kind(lambda: max([n, 2], key=None, default="a")),
        _kind(lambda: sorted([n, text])),
        _kind(lambda: sum([n, text])),
        _kind(lambda: sum(["a"], "")),
        _kind(lambda: sum(text, "b")),
        _kind(lambda: sum([n], [f])),
        _kind(lambda: format(text, 16)),
        max(n, f) + min([f, n]) + sum([n, f]),
    ]


@case(inputs=[(2, 0.5), (1, 1.0), (3, 1.0)])
def kinds_for_mathematics(n, f):
    """Functions of ``math``: too many arguments, other kinds, and a base that has no logarithm."""
    text = f"a{n}"
    return [
        _kind(lambda: math.sqrt(text)),
        _kind(lambda: math.floor([n])),
        _kind(lambda: math.comb(n, f)),
        _kind(lambda: math.pow(n)),
        _kind(lambda: math.pow(n, f, n)),
        _kind(lambda: math.isclose(n, f, n)),
        _kind(lambda: math.log(2.0, f)),
        _kind(lambda: math.log(3, n)),
    ]


@case(inputs=[(2,), (0,), (-3,)])
def integers_beyond_floats(n):
    """Integers that no float holds, as constants."""
    return [
        _kind(lambda: math.sqrt(n * 10**400)),
        _kind(lambda: float(n * -(10**400))),
        _kind(lambda: math.isnan(n * 10**400)),
        n * 10**400 > 10**399,
        -(10**400) + n,
    ]


@case(inputs=[(2, 0.5), (1, -0.0), (-1, 2.0)])
def kinds_for_conversions(n, f):
    """Conversions, and what asks an object, in a ``try`` of the program."""
    text, bare = f"a{n}", _Bare()
    return [
        _kind(lambda: int(n, 2)),
        _kind(lambda: int([n])),
        _kind(lambda: int(bare)),
        _kind(lambda: float([f])),
        _kind(lambda: complex(text, n)),
        _kind(lambda: str(n, "utf-8")),
        _kind(lambda: chr(text)),
        _kind(lambda: bin(f)),
        _kind(lambda: abs(text)),
        _kind(lambda: round(f, text)),
        _kind(lambda: divmod(n, text)),
        _kind(lambda: pow(n, text)),
        _kind(lambda: len(n)),
        _kind(lambda: len(bare)),
        _kind(lambda: next(n)),
        _kind(lambda: next([n])),
        _kind(lambda: dict(n)),
        _kind(lambda: dict([n])),
        _kind(lambda: set([[n]])),
        _kind(lambda: isinstance(n, text)),
        _kind(lambda: issubclass(n, int)),
        _kind(lambda: getattr(bare, n)),
        _kind(lambda: operator.inv(f)),
        _kind(lambda: operator.lt(n, text)),
        _kind(lambda: hex(n, n)),
        int("11", 2) + abs(n) + len(text),
    ]


@case(inputs=[(torch.arange(3.0), 0), (torch.arange(3.0), -1), (torch.arange(3.0), 2)])
def dimensions_of_misfits(x, n):
    """Where the other arguments are wrong, no dimension that is run-time is out of range."""
    return [
        _kind(lambda: x.sum(n, n, n))[:9],
        _kind(lambda: x.argmax([n]))[:9],
        _kind(lambda: x.reshape(dim=n))[:9],
        _kind(lambda: x.unflatten(dim=n))[:9],
        _kind(lambda: x.split(dim=n))[:9],
        _kind(lambda: torch.stack(x, (n, n)))[:9],
        _kind(lambda: x.cumsum(n))[:10],
        _kind(lambda: x.pow())[:9],
        _kind(lambda: x.to(dim=n))[:9],
        _kind(lambda: x.to(-5))[:12],
    ]


@case(inputs=[(torch.arange(3.0), 2), (torch.arange(3.0), 0), (torch.arange(3.0), -1)])
def kinds_for_operations(x, n):
    """Operations of PyTorch that want a tensor take no number; kernels have types and dimensions."""
    text, whole = f"a{n}", x.long()
    return [
        _kind(lambda: torch.maximum(x, n))[:9],
        _kind(lambda: torch.eye(n, 0.5))[:9],
        _kind(lambda: torch.eye(n, text))[:9],
        _kind(lambda: torch.chunk(n, 2))[:9],
        _kind(lambda: torch.nn.functional.one_hot(whole, x))[:9],
        _kind(lambda: x @ n)[:9],
        _kind(lambda: x + text)[:9],
        _kind(lambda: text * x)[:9],
        _kind(lambda: x.sort(5))[:10],
        _kind(lambda: torch.softmax(x, 3))[:10],
        _kind(lambda: torch.nn.functional.softmax(x, dim=-3))[:10],
        _kind(lambda: x & n)[:19],
        _kind(lambda: x.masked_select(x)),
        _kind(lambda: [1, 2, 3][whole]),
        _kind(lambda: x.numpy(n))[:9],
        torch.maximum(x, x[n]) + torch.clamp(x, n) + n,
    ]


@case(inputs=[(torch.arange(3.0), 2), (torch.arange(3.0), 0)])
def numbers_for_tensors(x, n):
    """The same where nobody catches the error."""
    return torch.maximum(x, n) if n > 1 else x - n


@case(inputs=[(2, 0.5), (0, 1.5)])
def kinds_of_classes(n, f):
    """Unions, generic classes and lists of classes are taken for classes in a ``try``, or not."""
    return [
        _kind(lambda: isinstance(n, int | str)),
        _kind(lambda: isinstance(f, typing.Union[int, str])),
        _kind(lambda: isinstance(n, typing.Sized)),
        _kind(lambda: issubclass(int, int | float)),
        _kind(lambda: isinstance(n, (int, (str, float)))),
        _kind(lambda: isinstance(n, [int])),
        _kind(lambda: [n, 2, 1].index(7, n)),
        _kind(lambda: bisect.insort([1, 2, 3], n, key=str)),
        [isinstance(f, int | str), isinstance(n, typing.Union[int, str])],
    ]


@case(inputs=COUNTS, refused="DYCL063")
def no_items_and_a_bound(n):
    """A deque of no items raises another error where its bound is negative."""
    return _kind(lambda: collections.deque(5, n))  # <- refused


@case(inputs=COUNTS, refused="DYCL063")
def inserted_nowhere(n):
    """So does what is inserted into no list where the first place is negative."""
    return _kind(lambda: bisect.insort(_kind, [], n))  # <- refused


@case(inputs=[(torch.arange(4.0).reshape(2, 2), 3), (torch.arange(4.0).reshape(2, 2), 1)])
def spread_between_rows(x, n):
    """Numbers spread between tensors of several elements raise, however many they are."""
    try:
        return torch.linspace(x[0, 0], x[1], n)
    except RuntimeError as error:
        return str(error), torch.linspace(x[0, 0], 2, n)


class _Counted:
    """Says itself how it compares and multiplies, as a number does."""

    def __init__(self, count):
        self.count = count

    def __lt__(self, other):
        return self.count < getattr(other, "count", other)

    def __gt__(self, other):
        return self.count > getattr(other, "count", other)

    def __mul__(self, other):
        return _Counted(self.count * getattr(other, "count", other))

    __rmul__ = __mul__


class _Joined:
    """A sequence that says itself what it is with another one behind."""

    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length  # never

    def __getitem__(self, place):
        return place  # never

    def __add__(self, other):
        return self.length + other.length


@case(inputs=COUNTS)
def objects_that_fit(n):
    """Objects that say what is computed with them fit where they are items of tuples, too."""
    return [
        bisect.bisect((1, 2, 3), _Counted(n)),
        bisect.bisect_left((n, n + 1), _Counted(n)),
        bisect.bisect(range(5), _Counted(2)),
        math.prod((_Counted(2), _Counted(n))).count,
        math.prod((1, 2), start=_Counted(n)).count,
        operator.concat(_Joined(1), _Joined(n)),
        operator.call(int, "5"),
        operator.getitem(list, int) is not None,
        max((n, "a"), (n + 1, 2)),
        operator.lt((n, "a"), (n + 1, 2)),
    ]


_WEIGHT = torch.nn.Parameter(torch.ones(3))
_LARGEST = functools.partial(max, 3)


@case(inputs=COUNTS)
def names_of_kinds(n):
    """What does not fit is called as Python calls it: a parameter is no tensor, classes in C."""
    return [
        _text(lambda: next(_WEIGHT)),
        _text(lambda: format(_WEIGHT, ".2f")),
        _text(lambda: len(_LARGEST)),
        _text(lambda: iter(_LARGEST)),
        _text(lambda: math.sqrt(_LARGEST)),
        n,
    ]


@case(inputs=COUNTS, refused="DYCL059")
def iterators_that_do_not_fit(n):
    """What Python calls an iterator is not known."""
    return _text(lambda: math.sqrt(iter([n])))  # <- refused


_PRODUCT, _FACTOR = torch.ones(1, 2, 3), torch.ones(1, 4, 5).double()


@case(inputs=[(torch.ones(3),), (-torch.ones(3),)])
def sizes_before_types(x):
    """Sizes that do not fit are told before types that do not, as PyTorch does."""
    try:
        return torch.bmm(_PRODUCT, _FACTOR)
    except RuntimeError as error:
        return x, str(error) if x.sum() > 0 else ""
