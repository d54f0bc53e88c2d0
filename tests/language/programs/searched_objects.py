"""Objects of the program that are looked for in lists by their own ``__eq__``"""

from collections import deque
from dataclasses import dataclass

import torch

from tests.language.harness import case, counted, noise


class Token:
    """Equal to what has the same number."""

    def __init__(self, number, weight):
        self.number = number
        self.weight = weight

    def __eq__(self, other):
        return self.number == other.number



def tokens_of(x, n):
    """Make a token of each number, in a list whose length is known at run time only."""
    tokens = []
    for i in range(n):
        tokens.append(Token(x[i].item(), i))
    return tokens


NUMBERS = [counted(3, 1, 2, 3, 1), counted(1), counted(), counted(2, 2)]


@case(inputs=NUMBERS)
def looked_for(x, n):
    """in, not in and count ask ``__eq__`` of the items."""
    tokens = tokens_of(x, n)
    wanted = Token(3, -1)
    return wanted in tokens, wanted not in tokens, tokens.count(wanted), tokens.count(Token(2, 0))


@case(inputs=NUMBERS)
def place_of(x, n):
    """index finds the first, and raises where there is none."""
    tokens = tokens_of(x, n)
    found = -1
    if Token(1, 0) in tokens:
        found = tokens.index(Token(1, 0))
    try:
        return found, tokens.index(Token(3, 0), 1)
    except ValueError:
        return found, -2


@case(inputs=NUMBERS)
def removed(x, n):
    """remove takes out the first that is equal, and raises where there is none."""
    tokens = tokens_of(x, n)
    same = tokens
    if Token(1, 0) in tokens:
        tokens.remove(Token(1, 0))
    try:
        tokens.remove(Token(3, 0))
    except ValueError as error:
        return str(error), [t.weight for t in same]
    return [t.weight for t in same]


class Plain:
    """Equal to itself alone."""

    def __init__(self, name):
        self.name = name


@case(inputs=[(3,), (1,), (0,)])
def by_identity(n):
    """Objects without ``__eq__`` are found where they are themselves."""
    items = []
    for i in range(n):
        items.append(Plain(i))
    other = Plain(0)
    last = items[-1] if n > 0 else other
    found = last in items
    if found:
        items.remove(last)
    return found, other in items, items.count(last), [i.name for i in items]


@case(inputs=[(3,), (1,)])
def is_the_same(n):
    """An object of a run-time list is itself under another name, and no other one."""
    items = []
    for i in range(n):
        items.append(Plain(0))
    first, last = items[0], items[-1]
    again = items[0]
    return first is last, first is not last, again is first, first == last, first != again


@dataclass
class Pair:
    """A dataclass: equal where its fields are."""

    left: int
    right: float


@case(inputs=[counted(1, 2, 1), counted(2)])
def dataclasses(x, n):
    """The fields of dataclasses are compared."""
    pairs = []
    for place in range(n):
        pairs.append(Pair(x[place].item(), x[place].item() / 2))
    wanted = Pair(1, 0.5)
    return wanted in pairs, pairs.count(wanted), pairs[0] == pairs[-1], pairs[0] != wanted


@case(inputs=[(noise(3),), (torch.zeros(3),)])
def of_known_length(x):
    """Lists of known length: each answer is a path."""
    tokens = [Token(int(v > 0), i) for i, v in enumerate(x)]
    wanted = Token(1, 5)
    count = tokens.count(wanted)
    if wanted in tokens:
        tokens.remove(wanted)
    return count, [t.weight for t in tokens]


class Log:
    """Says whom it was compared with."""

    def __init__(self, number, log):
        self.number = number
        self.log = log

    def __eq__(self, other):
        self.log.append((self.number, other.number))
        return self.number == other.number


@case(inputs=[counted(1, 2, 3), counted(3, 3), counted(5)])
def who_is_asked(x, n):
    """The items are asked, not what is looked for, up to the first that is equal."""
    log, items = [], []
    for place in range(n):
        items.append(Log(x[place].item(), log))
    wanted = Log(3.0, log)
    found = wanted in items
    count = items.count(wanted)
    itself = items[0] in items
    return found, count, itself, log


class _Equal:
    """Says what it equals, and has no hash for it."""

    def __init__(self, count):
        self.count = count

    def __eq__(self, other):
        return self.count == other  # never


class _Hashed(_Equal):
    """Has a hash of its own."""

    def __hash__(self):
        return 1


@case(inputs=[(2,), (0,), (-1,)])
def objects_without_hash(n):
    """A dict or set that is asked for what has no hash raises, whatever it equals."""
    found = []
    for container in ({1: 2}, {1, 2}, {3: n}.keys()):
        try:
            found.append(_Equal(n) in container)
        except TypeError as error:
            found.append(str(error))
    try:
        found.append(deque([n, 1])["first"])
    except TypeError as error:
        found.append(str(error))
    return found


@case(inputs=[(2,), (0,), (1,)])
def objects_with_a_hash(n):
    """A hash of the program's own decides where the object is looked for."""
    return n, _Hashed(n) in {1: 2}


@dataclass
class Scored:
    """Equal where the fields are: the very same number is, also a NaN."""

    score: float
    place: int


NAN = float("nan")
ROWS = [[1.0, 2.0, 1.0], [NAN, 1.0, NAN], [2.0, 0.0, 1.0], [NAN, 2.0, 3.0]]
SCORES = [(torch.tensor(row), n) for row, n in zip(ROWS, (3, 3, 1, 2), strict=True)]


def scored(x, n):
    """Make an object of each score, in a list whose length is known at run time only."""
    found = []
    for i in range(n):
        found.append(Scored(x[i].item(), i % 2))
    return found


@case(inputs=SCORES)
def the_same_nan_in_fields(x, n):
    """An object whose field is the very NaN of another one equals it; another NaN does not"""
    items = scored(x, n)
    wanted, other = Scored(items[0].score, 0), Scored(x[0].item(), 0)
    found = [wanted in items, items.count(wanted), items[0] == wanted, items.index(wanted)]
    return found, other in items, items[0] != other


@case(inputs=SCORES)
def the_same_nan_in_tuples(x, n):
    """Tuples and lists of numbers read from containers, compared, ordered, and looked into"""
    items = scored(x, n)
    first, again, last = items[0].score, x[0].item(), items[-1].score
    equal = (items[0].score, 1) == (first, 1), [first] == [items[0].score], (first,) == (again,)
    inside = first in (items[0].score, 5.0), again in (first, 5.0), first not in [last]
    counted_ = [last, first].index(items[0].score), [first, again].count(items[0].score)
    return equal, inside, counted_, (items[0].score, 1) < (first, 2), (first, 1) < (again, 2)


@case(inputs=[(torch.tensor([1.0, NAN]), 0.5), (torch.tensor([2.0, 2.0]), NAN)])
def a_nan_that_is_given(x, a: float):
    """An argument is itself wherever it is put"""
    b, c = x[1].item(), x[1].item()
    kept = []
    for value in (a, b, c):
        if value != 0.5:
            kept.append(value)
    return (a, b) == (a, c), a in kept, b in kept, kept.count(c), (kept[-1],) == (c,)


@dataclass
class Weighed:
    """Has a tensor that holds one number."""

    weight: torch.Tensor
    place: int


@case(inputs=[(torch.tensor([1.0, 2.0, 1.0]), 3), (torch.tensor([3.0, NAN, 1.0]), 2)])
def tensors_in_fields(x, n):
    """Tensors of one number are compared by it, where none but one is NaN"""
    items = []
    for i in range(n):
        items.append(Weighed(x[i] * 2, i % 2))
    wanted = Weighed(items[0].weight, 0)
    return wanted in items, items.count(wanted), items[0] == wanted, items[-1] == wanted
