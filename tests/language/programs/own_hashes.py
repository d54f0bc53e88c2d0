"""Objects whose classes say which of them are equal, as keys of dicts and elements of sets."""

import collections
import copy
import dataclasses

import torch
from torch import nn

from tests.language.harness import case

NUMBERS = [(torch.tensor([float(n), 0.0, 0.0]),) for n in (5, 0, 2, -3, 1)]


class Tagged:
    """An object that is equal to others with its number."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return hash(self.number)


class Move:
    """An action of a search, which is its own hash, and has an order."""

    def __init__(self, index):
        self.index = index

    def __eq__(self, other):
        return self.index == other.index

    def __hash__(self):
        return self.index

    def __gt__(self, other):
        return self.index > other.index


class Place:
    """A place on a board, hashed as a tuple."""

    def __init__(self, row, column):
        self.row, self.column = row, column

    def __eq__(self, other):
        return (self.row, self.column) == (other.row, other.column)

    def __hash__(self):
        return hash((self.row, self.column))


class Named:
    """An object of a name and a number."""

    def __init__(self, name, number):
        self.name, self.number = name, number

    def __eq__(self, other):
        return (self.name, self.number) == (other.name, other.number)

    def __hash__(self):
        return hash((self.name, self.number))


@dataclasses.dataclass(frozen=True)
class Edge:
    """Two ends, and what does not count."""

    one: int
    other: int
    weight: float = dataclasses.field(default=1.0, compare=False)


class Told:
    """An object that tells when it is asked."""

    def __init__(self, number, log):
        self.number, self.log = number, log

    def __eq__(self, other):
        self.log.append((self.number, other.number))
        return self.number == other.number

    def __hash__(self):
        self.log.append(self.number)
        return self.number


class Careful:
    """An object that cannot be compared with some."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        if other.number > 2:
            raise ValueError("not compared")
        return self.number == other.number

    def __hash__(self):
        return 0


class Unhashable:
    """An object of a class with an ``__eq__`` alone, which has no hash."""

    def __eq__(self, other):
        return True  # never


@case(inputs=NUMBERS)
def made_in_a_loop(x):
    """Keys of a loop of unknown length: a later one that is equal changes the value only"""
    table = {}
    for i in range(max(int(x.sum()), 0)):
        table[Tagged(i % 2)] = i
    return len(table), [key.number for key in table], list(table.values())


@case(inputs=NUMBERS)
def prior_of_moves(x):
    """What leads from actions to numbers and tensors: a policy"""
    moves = [Move(i) for i in range(3)]
    policy = {move: (x[move.index] + 1) * 2 for move in moves}
    best = max((float(prior), move) for move, prior in policy.items())[1]
    policy[Move(int(x[0]) % 3)] = x
    return sum(policy.values()), best.index, [move.index for move in policy]


@case(inputs=NUMBERS, slow=True)
def visited(x):
    """A set of what was seen, asked before each is added"""
    number, seen, order = int(x.sum()), set(), []
    for each in (number, 1, number, 2, 5):
        if Tagged(each) in seen:
            continue
        seen.add(Tagged(each))
        order.append(each)
    return order, len(seen)


@case(inputs=NUMBERS, slow=True)
def grouped(x):
    """A defaultdict by tuples that are hashed"""
    number, groups = int(x.sum()), collections.defaultdict(list)
    for column in (number, 1, 2):
        groups[Place(0, column)].append(column)
    found = groups.get(Place(0, 9), "none"), Place(0, 2) in groups, Place(1, 2) in groups
    return [(place.column, columns) for place, columns in groups.items()], found


@case(inputs=NUMBERS, slow=True)
def remembered(x):
    """Results of a recursion by the object that it is called with"""
    memory = {}

    def steps(state):
        if state in memory:
            return memory[state]
        found = 1
        if state.number >= 2:
            found = steps(Tagged(state.number - 1)) + steps(Tagged(state.number - 2))
        memory[state] = found
        return found

    return steps(Tagged(max(min(int(x.sum()), 6), 0))), len(memory)


@case(inputs=NUMBERS, slow=True)
def names_and_numbers(x):
    """Texts are hashed otherwise in each process: what is equal is the same"""
    table = {}
    for name in ("a", "b"):
        for number in (int(x.sum()), 1):
            table[Named(name, number)] = table.get(Named(name, number), 0) + 1
    return list(table.values()), Named("a", 1) in table, Named("c", 1) in table


@case(inputs=NUMBERS)
def frozen_dataclasses(x):
    """Of a dataclass count the fields that are compared"""
    number = int(x.sum())
    table = {Edge(number, 1): 1}
    table[Edge(5, 1, 2.0)] = 2
    weights = [edge.weight for edge in table]
    return len(table), weights, table[Edge(number, 1, 3.0)], Edge(3, 3) in table


@case(inputs=NUMBERS, refused="DYCL051")
def key_that_changes(x):
    """A key that has changed lies by the hash that it had when it came, or is found by itself"""
    number = int(x.sum())
    key = Tagged(number)
    table = {key: 1}
    key.number += 1  # <- refused
    return key in table, Tagged(number) in table, Tagged(number + 1) in table, len(table)


@case(inputs=NUMBERS, refused="DYCL051")
def asked_in_turn(x):
    """How often what hashes and compares is called is seen where that does more than answer"""
    log, table = [], {}
    table[Told(1, log)] = 1  # <- refused
    table[Told(int(x.sum()), log)] = 2
    found = Told(1, log) in table, table.get(Told(2, log)), table.setdefault(Told(3, log), 3)
    gone = table.pop(Told(1, log))
    return log, found, gone, len(table)


@case(inputs=NUMBERS)
def raised_by_comparing(x):
    """An error of a comparison is caught"""
    table = {Careful(1): 1}
    try:
        table[Careful(int(x.sum()))] = 2
    except ValueError as error:
        return str(error), len(table)
    return len(table)


@case(inputs=NUMBERS)
def changed_while_walked(x):
    """A display with keys that may be equal; the dict gets others while it is walked"""
    table = {Move(0): 1, Move(int(x.sum())): 2, Move(1): 3}
    try:
        for move in table:
            table[Move(move.index + 10)] = 1
    except RuntimeError as error:
        return str(error), len(table)


@case(inputs=NUMBERS)
def missing(x):
    """The KeyError of what is equal to no key is caught"""
    table = {Tagged(1): "one"}
    try:
        return table[Tagged(int(x.sum()))]
    except KeyError:
        return "missing"


@case(inputs=NUMBERS, slow=True)
def sets_together(x):
    """What is in one set, both, or one only"""
    one, other = {Tagged(1), Tagged(2)}, {Tagged(int(x.sum()))}
    return len(one | other), len(one & other), len(one - other), one >= other


@case(inputs=NUMBERS)
def tensors_written(x):
    """A tensor that a dict leads to is written in place; the dict has a copy"""
    number = int(x.sum())
    table = {Tagged(number): x * 1}
    copied = copy.deepcopy(table)
    table[Tagged(number)].add_(1)
    return list(table.values()), list(copied.values()), Tagged(number) in copied


@case(inputs=NUMBERS)
class TableOfTheModel(nn.Module):
    """A dict of the model's is asked for the model's objects"""

    def __init__(self):
        super().__init__()
        self.table = {Tagged(i): i * 10 for i in range(3)}
        self.keys = [Tagged(i) for i in range(3)]

    def forward(self, x):
        """Look up some of the keys."""
        number = int(x.sum())
        return [self.table[key] for key in self.keys if key.number < number]


@case(inputs=NUMBERS, refused="DYCL051")
def walked_set(x):
    """A set is walked by hashes, in an order of CPython's own"""
    return [each.number for each in {Tagged(1), Tagged(int(x.sum()))}]  # <- refused


@case(inputs=NUMBERS, refused="DYCL051")
def of_a_class_without_a_hash(x):
    """A class with an ``__eq__`` alone has no hash"""
    table = {}
    if x.sum() > 0:
        table[Unhashable()] = 1  # <- refused
    return len(table)


@case(inputs=NUMBERS, refused="DYCL065")
def returned(x):
    """Such a dict does not leave the program"""
    return {Tagged(int(x.sum())): 1}  # <- refused


def _said(content):
    print(content)
    return content


@case(inputs=NUMBERS)
def hashed_after_the_display(x):
    """Keys and values of a display are all evaluated before one of them is hashed."""
    number = int(x.sum())
    try:
        table = {"first": _said(1), Careful(_said(1)): _said(2), Careful(number): _said(3)}
    except ValueError as error:
        return str(error), x
    return len(table), x


@case(inputs=NUMBERS)
def keys_that_come_again_in_a_display(x):
    """What comes later replaces the value of an equal key."""
    number = int(x.sum())
    table = {Tagged(number): [1], Tagged(1): [2], "a": 3, Tagged(number): [_said(4)]}
    return table[Tagged(1)], list(table.values()), x


@case(inputs=NUMBERS, refused="DYCL051")
def a_long_display(x):
    """More than 15 keys are put into the dict some at a time."""
    number = int(x.sum())
    return len({
        Tagged(number): 0, "a": 1,  # <- refused
        "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9,
        "j": 10, "k": 11, "l": 12, "m": 13, "n": 14, "o": 15, "p": 16,
    })  # fmt: skip


@case(inputs=NUMBERS)
def called_dicts_in_errors(x):
    """Errors say ``dict`` and ``set`` of what has such keys."""
    number = int(x.sum())
    table = {Tagged(number): x}
    counts = collections.defaultdict(int)
    counts[Tagged(number)] += 1
    said = []
    for work in (
        lambda: table(), lambda: table.first, lambda: table < table, lambda: hash(table),
        lambda: counts.first, lambda: {Tagged(number)}.first, lambda: ",".join(["a", table]),
    ):  # fmt: skip
        try:
            work()
        except (TypeError, AttributeError) as error:
            said.append(str(error))
    return said, type(counts).__name__
